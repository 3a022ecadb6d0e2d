// Two threads wait for a flag, and whoever sets it wakes one.
// expect: deadlock
#include <atomic>
#include <thread>

int main() {
    std::atomic<int> open{0};
    auto wait = [&] { open.wait(0); };
    std::thread a(wait), b(wait);
    open.store(1);
#ifdef FIXED
    open.notify_all();
#else
    open.notify_one();
#endif
    a.join();
    b.join();
}
