// A pool that is told to stop leaves its queue as it is: a job that was taken in before is never done.
// expect: panic
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

class Pool {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::function<void()>> jobs;
    bool stopping = false;
    std::thread worker{[this] { work(); }};

    void work() {
        std::unique_lock guard(lock);
        for (;;) {
            changed.wait(guard, [this] { return stopping || !jobs.empty(); });
#ifdef FIXED
            if (jobs.empty()) return;
#else
            if (stopping) return;
#endif
            auto job = std::move(jobs.front());
            jobs.pop_front();
            guard.unlock();
            job();
            guard.lock();
        }
    }

  public:
    void submit(std::function<void()> job) {
        std::lock_guard guard(lock);
        jobs.push_back(std::move(job));
        changed.notify_one();
    }

    ~Pool() {
        {
            std::lock_guard guard(lock);
            stopping = true;
        }
        changed.notify_one();
        worker.join();
    }
};

int main() {
    int done = 0;
    {
        Pool pool;
        pool.submit([&] { done++; });
    }
    assert(done == 1);
}
