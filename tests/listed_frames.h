#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "renderer/base/temporary_folder.h"
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

/// Six frames of bodies that move, rendered in order and as they come back from a lost rank, are
/// the same files. The renderer is the wish's; path and frames are set here.
inline void expectFramesOfTheirOwn(Renderer& renderer, SequenceWish wish) {
    constexpr int kFrames = 6;
    const TemporaryFolder folder;
    ASSERT_EQ(folder.problem(), "");
    wish.frames = kFrames;
    wish.moves = true;
    const auto pathOf = [&](const char* name) { return folder.path() + "/" + name; };
    const auto render = [&](const char* name, std::unique_ptr<Frames> frames) {
        wish.path = pathOf(name);
        renderer.setScene(wish.state.scene);
        Sequence sequence(renderer, wish, std::move(frames));
        playToEnd(sequence);
        EXPECT_EQ(sequence.problem(), "");
        EXPECT_EQ(sequence.written(), kFrames);
    };
    render("a.png", allFrames(kFrames));
    render("b.png", std::make_unique<ListedFrames>(std::deque{2, 4, 1, 3, 0, 5}));
    const auto bytes = [&](const char* name, int frame) {
        std::ifstream file(frameFile(pathOf(name), frame, kFrames), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_NE(bytes("a.png", 0), bytes("a.png", 1));
    for (int frame = 0; frame < kFrames; ++frame)
        EXPECT_TRUE(bytes("a.png", frame) == bytes("b.png", frame)) << frame;
}

}  // namespace rayscope
