// What is made on a thread of its own while somebody asks for it.

#include "renderer/base/aside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rayscope {
namespace {

class AsideTest : public testing::Test {
protected:
    bool ready(int key, double waitMs) {
        return aside_.ready(
            key, waitMs,
            [&] {
                return [this, key] {
                    while (!open_) std::this_thread::yield();
                    if (key < 0) throw std::runtime_error("no such thing");
                    return std::to_string(key);
                };
            },
            [&](int key, const std::string& made) {
                EXPECT_EQ(made, std::to_string(key));
                taken_.push_back(key);
            });
    }

    std::atomic<bool> open_ = false;
    std::vector<int> taken_;
    Aside<int, std::string> aside_;
};

TEST_F(AsideTest, WhatIsUnderWayIsNotWaitedFor) {
    EXPECT_FALSE(ready(1, 0));
    EXPECT_TRUE(aside_.makes(1));
    EXPECT_FALSE(ready(1, 1));
    open_ = true;
    EXPECT_TRUE(ready(1, 1e300));
    EXPECT_FALSE(aside_.makes(1));
    EXPECT_EQ(taken_, std::vector<int>{1});
}

TEST_F(AsideTest, AnotherWishComesNext) {
    EXPECT_FALSE(ready(1, 0));
    EXPECT_FALSE(ready(2, 0));
    EXPECT_TRUE(aside_.makes(1)) << "one at a time";
    open_ = true;
    EXPECT_TRUE(ready(2, 1e300));
    EXPECT_EQ(taken_, (std::vector<int>{1, 2})) << "what was wanted before may be of use";
}

TEST_F(AsideTest, AFailureIsTheCallers) {
    open_ = true;
    EXPECT_THROW(ready(-1, 1e300), std::runtime_error);
    EXPECT_TRUE(ready(3, 1e300)) << "it goes on";
}

}  // namespace
}  // namespace rayscope
