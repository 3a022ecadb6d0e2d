// A thread waits for a result without looking whether it is there already: if it comes first, nobody wakes the thread.
// expect: deadlock
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
    std::mutex lock;
    std::condition_variable ready;
    int result = 0;
    std::thread worker([&] {
        std::lock_guard guard(lock);
        result = 42;
        ready.notify_one();
    });
    {
        std::unique_lock guard(lock);
#ifdef FIXED
        ready.wait(guard, [&] { return result != 0; });
#else
        ready.wait(guard);
#endif
    }
    worker.join();
}
