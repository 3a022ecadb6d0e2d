// Two tasks that wait for each other through promises, one the other way round.
// expect: deadlock
#include <future>
#include <thread>

int main() {
    std::promise<int> first, second;
    auto f = first.get_future(), s = second.get_future();
    std::thread a([&] {
#ifdef FIXED
        first.set_value(1);
        s.get();
#else
        first.set_value(s.get() + 1);
#endif
    });
    std::thread b([&] { second.set_value(f.get() + 1); });
    a.join();
    b.join();
}
