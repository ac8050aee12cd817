// Movies of a sequence's frames. Most tests put a script in the place of ffmpeg, which writes down
// how it was called.

#include "renderer/lab/movie.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/base/run_program.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/sequence.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

class Movie : public testing::Test {
protected:
    Movie()
        : folder_(fmt::format("{}a 50% movie {}", testing::TempDir(),
                              testing::UnitTest::GetInstance()->current_test_info()->name())),
          path_(getenv("PATH")) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Movie() override {
        setenv("PATH", path_.c_str(), 1);
        fs::remove_all(folder_);
    }

    /// The only ffmpeg that is found.
    void putFfmpeg(const std::string& script) {
        fs::create_directories(folder_ + "/bin");
        const std::string file = folder_ + "/bin/ffmpeg";
        std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(file, fs::perms::owner_all);
        setenv("PATH", (folder_ + "/bin:/usr/bin:/bin").c_str(), 1);
    }

    std::string at(const std::string& name) const { return folder_ + "/" + name; }
    std::string read(const std::string& name) const {
        std::ifstream file(at(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// Small pictures of rising brightness.
    std::string writeFrames(int count) const {
        const std::string frames = framesOf(at("fly.mp4"));
        fs::create_directories(fs::path(frames).parent_path());
        for (int frame = 0; frame < count; ++frame) {
            const auto grey = static_cast<std::uint8_t>(20 * frame);
            EXPECT_TRUE(writePng(frameFile(frames, frame, count),
                                 Picture{33, 17, std::vector<std::uint8_t>(3 * 33 * 17, grey)}));
        }
        return frames;
    }

    const std::string folder_, path_;
};

bool always() {
    return true;
}

TEST_F(Movie, NamesEndAsMoviesDo) {
    EXPECT_TRUE(isMovie("fly.mp4"));
    EXPECT_TRUE(isMovie("a/fly.webm"));
    EXPECT_FALSE(isMovie("fly.png"));
    EXPECT_FALSE(isMovie("mp4"));
    EXPECT_EQ(framesOf("a/fly.mp4"), "a/fly-frames/fly.png");
    EXPECT_EQ(framesOf("fly.webm"), "fly-frames/fly.png");
}

TEST_F(Movie, WithoutFfmpegSaysSo) {
    setenv("PATH", folder_.c_str(), 1);
    EXPECT_EQ(canMakeMovie("fly.mp4").reason(),
              "movies need ffmpeg: install it, or write .png files");
    EXPECT_FALSE(canMakeMovie("fly.avi").reason().empty());
}

TEST_F(Movie, IsMadeBesideItsNameAndThenTakesIt) {
    putFfmpeg("printf '%s\\n' \"$@\" >\"" + at("words") +
              "\"; for last; do :; done; echo movie >\"${last#file:}\"");
    std::ofstream(at("fly.mp4")) << "old";
    const auto made = makeMovie(at("fly.mp4"), framesOf(at("fly.mp4")), 12, 24, always);
    ASSERT_TRUE(made) << made.reason();
    EXPECT_EQ(read("fly.mp4"), "movie\n");
    const std::string words = read("words");
    // a percent sign in a folder's name is none of the pattern
    EXPECT_NE(
        words.find("a 50%% movie IsMadeBesideItsNameAndThenTakesIt/fly-frames/fly-%04d.png\n"),
        words.npos)
        << words;
    EXPECT_NE(words.find("-framerate\n24\n"), words.npos) << words;
    EXPECT_NE(words.find("-frames:v\n12\n"), words.npos) << words;
}

TEST_F(Movie, ThatFailsLeavesTheOldOneAndSaysWhy) {
    putFfmpeg(
        "for last; do :; done; echo half >\"${last#file:}\"; echo first; echo 'no codec'; exit 1");
    std::ofstream(at("fly.webm")) << "old";
    EXPECT_EQ(makeMovie(at("fly.webm"), framesOf(at("fly.webm")), 2, 30, always).reason(),
              "ffmpeg: no codec");
    EXPECT_EQ(read("fly.webm"), "old");
    fs::remove_all(at("bin"));
    fs::remove(at("fly.webm"));
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Movie, IsGivenUpWhenAsked) {
    putFfmpeg("exec sleep 60");
    const auto began = std::chrono::steady_clock::now();
    int asked = 0;
    EXPECT_FALSE(
        makeMovie(at("fly.mp4"), framesOf(at("fly.mp4")), 2, 30, [&] { return ++asked < 3; }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
    EXPECT_FALSE(fs::exists(at("fly.mp4")));
}

TEST_F(Movie, FramesAreRemovedAndOtherFilesStay) {
    const std::string frames = writeFrames(3);
    std::ofstream(at("fly-frames/mine.txt")) << "mine";
    removeFrames(frames, 3);
    EXPECT_EQ(std::distance(fs::directory_iterator(at("fly-frames")), fs::directory_iterator()), 1);
    EXPECT_EQ(read("fly-frames/mine.txt"), "mine");
}

TEST_F(Movie, OfFfmpegHasEveryFrame_nightly) {
    const std::string frames = writeFrames(10);
    for (const std::string name : {"fly.mp4", "fly.webm"}) {
        const auto made = makeMovie(at(name), frames, 10, 25, always);
        ASSERT_TRUE(made) << made.reason();
        const auto probe = runProgram(
            {findProgram("ffprobe", {}), "-v", "error", "-count_frames", "-select_streams", "v",
             "-show_entries", "stream=nb_read_frames,width,height,r_frame_rate", "-of", "csv=p=0",
             at(name)},
            1000, always);
        ASSERT_TRUE(probe) << probe.reason();
        // an odd size has a row and a column more
        EXPECT_EQ(probe->text, "34,18,25/1,10\n") << name;
    }
}

}  // namespace
}  // namespace rayscope
