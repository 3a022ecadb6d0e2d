// The count of a shared_ptr is atomic, the pointer itself is not: one thread copies it while another assigns to it.
// expect: data race
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

#ifdef FIXED
std::atomic<std::shared_ptr<int>> current;
#else
std::shared_ptr<int> current;
#endif

int main() {
    current = std::make_shared<int>(1);
    std::thread reader([] {
        std::shared_ptr<int> mine = current;
        assert(*mine == 1 || *mine == 2);
    });
    current = std::make_shared<int>(2);
    reader.join();
}
