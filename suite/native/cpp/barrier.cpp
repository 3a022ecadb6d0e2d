// Two workers go through phases. One that has nothing left to do returns instead of dropping out of the barrier, and the other waits for it.
// expect: deadlock
#include <atomic>
#include <barrier>
#include <thread>

int main() {
    std::barrier<> phase(2);
    std::atomic<int> work{3};
    auto worker = [&] {
        while (work.fetch_sub(1) > 0) phase.arrive_and_wait();
#ifdef FIXED
        phase.arrive_and_drop();
#endif
    };
    std::thread a(worker), b(worker);
    a.join();
    b.join();
}
