// A thread gives its share of a sum when its thread_local is destroyed, which is after the promise it made was kept.
// expect: panic
#include <atomic>
#include <cassert>
#include <future>
#include <thread>

std::atomic<int> sum{0};

struct Share {
    int value = 0;
    ~Share() { sum += value; }
};
thread_local Share share;

int main() {
    std::promise<void> promise;
    std::thread worker([&] {
        share.value = 5;
#ifdef FIXED
        promise.set_value_at_thread_exit();
#else
        promise.set_value();
#endif
    });
    promise.get_future().wait();
#ifdef FIXED
    // Even then the thread is only about to end; joining it is what says that it has.
    worker.join();
    assert(sum == 5);
#else
    assert(sum == 5);
    worker.join();
#endif
}
