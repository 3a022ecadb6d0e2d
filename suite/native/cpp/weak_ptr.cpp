// A weak_ptr is asked whether it has expired and then locked. In between the last owner lets go.
// expect: panic
#include <cassert>
#include <memory>
#include <thread>

int main() {
    auto owner = std::make_shared<int>(42);
    std::weak_ptr<int> weak = owner;
    std::thread user([weak] {
#ifdef FIXED
        if (auto mine = weak.lock()) assert(*mine == 42);
#else
        if (!weak.expired()) {
            auto mine = weak.lock();
            assert(mine && *mine == 42);
        }
#endif
    });
    owner.reset();
    user.join();
}
