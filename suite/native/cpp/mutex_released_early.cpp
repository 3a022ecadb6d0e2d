// A reference to what the lock protects leaves the function that locks.
// expect: data race
#include <mutex>
#include <thread>
#include <vector>

class Log {
    std::mutex lock;
    std::vector<int> lines = std::vector<int>(2);

  public:
#ifdef FIXED
    void set(int line, int value) {
        std::lock_guard guard(lock);
        lines[line] = value;
    }
#else
    std::vector<int> &get() {
        std::lock_guard guard(lock);
        return lines;
    }
    void set(int line, int value) { get()[line] = value; }
#endif
};

int main() {
    Log log;
    std::thread other([&] { log.set(1, 5); });
    log.set(1, 6);
    other.join();
}
