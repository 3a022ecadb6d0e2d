// The count of a shared_ptr is atomic, the pointer itself is not: one thread copies it while another assigns to it.
// expect: data race
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

std::shared_ptr<int> current = std::make_shared<int>(1);
std::mutex lock;

std::shared_ptr<int> get() {
#ifdef FIXED
    std::lock_guard guard(lock);
#endif
    return current;
}

void set(std::shared_ptr<int> next) {
#ifdef FIXED
    std::lock_guard guard(lock);
#endif
    current.swap(next);
}

int main() {
    std::thread reader([] {
        std::shared_ptr<int> mine = get();
        assert(*mine == 1 || *mine == 2);
    });
    set(std::make_shared<int>(2));
    reader.join();
}
