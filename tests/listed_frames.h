#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "renderer/lab/sequence.h"

namespace rayscope {

/// These frames in this order, as a rank has them when another one is lost.
class ListedFrames : public Frames {
public:
    explicit ListedFrames(std::deque<int> frames) : left_(std::move(frames)) {}
    std::optional<int> next() override {
        if (left_.empty()) return {};
        const int frame = left_.front();
        left_.pop_front();
        return frame;
    }
    void written(int) override { ++done_; }
    bool over() override { return left_.empty(); }
    int done() const override { return done_; }

private:
    std::deque<int> left_;
    int done_ = 0;
};

}  // namespace rayscope
