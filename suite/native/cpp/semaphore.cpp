// A worker says that it has ended by releasing a semaphore, but only if all went well.
// expect: deadlock
#include <atomic>
#include <semaphore>
#include <stdexcept>
#include <thread>

std::counting_semaphore<2> ended(0);
std::atomic<int> files{1};

void convert() {
    if (files.fetch_sub(1) <= 0) throw std::runtime_error("no file left");
}

void work() {
#ifdef FIXED
    struct Ended {
        ~Ended() { ended.release(); }
    } always;
#endif
    try {
        convert();
    } catch (const std::runtime_error &) {
        return;
    }
#ifndef FIXED
    ended.release();
#endif
}

int main() {
    std::thread a(work), b(work);
    ended.acquire();
    ended.acquire();
    a.join();
    b.join();
}
