// A detached thread works on what belongs to the function that started it, which may be gone: it was freed when the function returned.
// expect: use after free, data race
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

std::atomic<int> sum{0};
std::atomic<bool> ended{false};

void start() {
    auto numbers = std::make_shared<std::vector<std::atomic<int>>>(2);
    (*numbers)[1] = 7;
#ifdef FIXED
    std::thread([numbers] { sum = (*numbers)[1].load(); ended = true; }).detach();
#else
    std::thread([&shared = *numbers] { sum = shared[1].load(); ended = true; }).detach();
#endif
}

int main() {
    start();
    while (!ended) std::this_thread::yield();
}
