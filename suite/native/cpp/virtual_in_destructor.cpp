// The thread of a base class calls a virtual function of the derived one. The destructor of the derived class is over before the base's joins the thread.
// expect: data race
#include <atomic>
#include <thread>

class Task {
  protected:
    std::thread thread;
    virtual int step() = 0;
    void stop() {
        if (thread.joinable()) thread.join();
    }

  public:
    std::atomic<int> result{0};
    void start() {
        thread = std::thread([this] { result = step(); });
    }
    virtual ~Task() { stop(); }
};

class Count : public Task {
    int value = 3;
    int step() override { return value; }

  public:
#ifdef FIXED
    ~Count() override { stop(); }
#else
    ~Count() override { value = 0; }
#endif
};

int main() {
    Count count;
    count.start();
}
