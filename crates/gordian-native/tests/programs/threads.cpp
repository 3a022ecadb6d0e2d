// The threads of C++. The first argument chooses a case.
#include <cassert>
#include <condition_variable>
#include <cstring>
#include <future>
#include <latch>
#include <pthread.h>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>

static std::mutex a, b;
static std::condition_variable changed;
static bool ready;
static int made;

struct Made {
    Made() { made++; }
};

static Made &the_one() {
    static Made it;
    return it;
}

int main(int, char **argument) {
    const char *which = argument[1];
    auto is = [&](const char *name) { return !std::strcmp(which, name); };
    if (is("ab ba")) {
        std::thread other([] {
            std::lock_guard first(b);
            std::lock_guard second(a);
        });
        {
            std::lock_guard first(a);
            std::lock_guard second(b);
        }
        other.join();
    } else if (is("lost wakeup")) {
        std::thread other([] {
            std::unique_lock lock(a);
            changed.wait(lock);
        });
        changed.notify_one();
        other.join();
    } else if (is("exception")) {
        std::thread other([] { std::lock_guard lock(a); ready = true; });
        {
            std::lock_guard lock(a);
            if (ready)
                throw std::runtime_error("too late");
        }
        other.join();
    } else if (is("queue")) {
        std::queue<int> queue;
        std::thread other([&] {
            for (int i = 0; i < 2; i++) {
                std::lock_guard lock(a);
                queue.push(i);
                changed.notify_one();
            }
        });
        for (int i = 0; i < 2; i++) {
            std::unique_lock lock(a);
            changed.wait(lock, [&] { return !queue.empty(); });
            assert(queue.front() == i);
            queue.pop();
        }
        other.join();
    } else if (is("statics")) {
        std::thread one(the_one), two(the_one);
        one.join();
        two.join();
        assert(made == 1);
    } else if (is("latch")) {
        std::latch latch(1);
        std::thread other([&] { latch.wait(); });
        latch.count_down();
        other.join();
    } else if (is("future")) {
        auto answer = std::async(std::launch::async, [] { return 42; });
        assert(answer.get() == 42);
    } else if (is("cancelled")) {
        // What a frame holds is given back on the way out.
        std::thread other([] {
            std::lock_guard lock(a);
            Made it;
            std::condition_variable never;
            std::unique_lock second(b);
            never.wait(second);
        });
        pthread_cancel(other.native_handle());
        other.join();
        std::lock_guard first(a);
        std::lock_guard second(b);
        assert(made == 1);
    } else {
        assert(!"a case");
    }
    return 0;
}
