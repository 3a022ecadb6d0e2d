// Connecting fails the first time. std::call_once lets the next caller try again, but the flag that says so was set before.
// expect: panic
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag once;
std::atomic<int> attempts{0};
std::atomic<bool> connected{false};

void connect() {
#ifndef FIXED
    connected = true;
#endif
    if (attempts++ == 0) throw std::runtime_error("refused");
#ifdef FIXED
    connected = true;
#endif
}

void use() {
    if (!connected) {
        try {
            std::call_once(once, connect);
        } catch (const std::runtime_error &) {
            return;
        }
    }
    assert(attempts == 2);
}

int main() {
    std::thread a(use), b(use);
    a.join();
    b.join();
}
