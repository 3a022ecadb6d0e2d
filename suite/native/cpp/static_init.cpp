// A local static is made once, however many threads come. What it is made from is not: the configuration is read before it has been set.
// expect: panic
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> configured{0};

struct Cache {
    int size;
    Cache() : size(configured.load()) {}
};

Cache &cache() {
    static Cache only;
    return only;
}

int main() {
#ifdef FIXED
    configured = 16;
#endif
    std::thread early([] { cache(); });
#ifndef FIXED
    configured = 16;
#endif
    early.join();
    assert(cache().size == 16);
}
