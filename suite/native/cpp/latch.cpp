// A start signal for two workers, but the latch was made for three: it never opens.
// expect: deadlock
#include <latch>
#include <thread>

int main() {
#ifdef FIXED
    std::latch ready(2);
#else
    std::latch ready(3);
#endif
    std::thread a([&] { ready.arrive_and_wait(); });
    std::thread b([&] { ready.arrive_and_wait(); });
    a.join();
    b.join();
}
