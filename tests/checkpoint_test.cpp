// What long work keeps in a file, to go on from it.

#include "renderer/film/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "renderer/choices/axes.h"
#include "renderer/film/image_files.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

TEST(SampleSet, JoinsWhatTouchesAndRefusesWhatOverlaps) {
    SampleSet set;
    for (const SampleRange range : {SampleRange{8, 4}, {0, 2}, {4, 2}, {2, 2}, {12, 1}})
        EXPECT_TRUE(set.add(range)) << range.first;
    for (const SampleRange range : {SampleRange{0, 1}, {5, 2}, {7, 2}, {12, 9}, {3, 20}})
        EXPECT_FALSE(set.add(range)) << range.first;
    EXPECT_EQ(set.count(), 11);
    EXPECT_EQ(set.next(), 13);
    using Ranges = std::vector<SampleRange>;
    EXPECT_EQ(set.missing(13), (Ranges{{6, 2}}));
    EXPECT_EQ(set.missing(20), (Ranges{{6, 2}, {13, 7}}));
    EXPECT_EQ(set.missing(7), (Ranges{{6, 1}}));
    EXPECT_TRUE(set.add({6, 2}));
    EXPECT_EQ(set, SampleSet({0, 13}));
}

FilmCheckpoint smallFilm() {
    FilmCheckpoint film;
    film.state.scene = *findScene("cornell");
    film.state.camera = film.state.scene->camera;
    film.state.settings = defaultSettings(Backend::cpu, film.state.scene);
    film.width = 3;
    film.height = 2;
    film.spp = 9;
    film.done.add({0, 2});
    film.done.add({5, 1});
    film.spent = {{"camera", 18}};
    for (int i = 0; i < 6; ++i) film.pixels.push_back({1.f * i, 2, 3, 3});
    return film;
}

class CheckpointTest : public testing::Test {
protected:
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope_checkpoint_" + std::to_string(getpid()));
    const std::string path = (folder / "a.checkpoint").string();

    void SetUp() override {
        fs::create_directories(folder);
        ASSERT_TRUE(writeFilmCheckpoint(path, smallFilm()));
        std::ifstream file(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    void TearDown() override { fs::remove_all(folder); }

    /// Why the bytes are no film.
    std::string reason(const std::string& changed) {
        auto checkpoint = checkpointFrom(changed, "x");
        if (!checkpoint) return checkpoint.reason();
        const auto film = filmCheckpointFrom(*std::move(checkpoint), "x");
        return film ? "none" : film.reason();
    }
    std::string with(const std::string& old, const std::string& now) {
        const size_t at = bytes.find(old);
        EXPECT_NE(at, bytes.npos) << old;
        return bytes.substr(0, at) + now + bytes.substr(at + old.size());
    }

    std::string bytes;
};

TEST_F(CheckpointTest, KeepsAFilm) {
    const auto film = readFilmCheckpoint(path);
    ASSERT_TRUE(film) << film.reason();
    const FilmCheckpoint wanted = smallFilm();
    EXPECT_EQ(film->state, wanted.state);
    EXPECT_EQ(film->done, wanted.done);
    EXPECT_EQ(film->spp, 9);
    EXPECT_EQ(film->spent["camera"], 18);
    EXPECT_EQ(film->pixels[5].r, 5);
    const auto begin = readStateOrScene(path);
    ASSERT_TRUE(begin) << begin.reason();
    EXPECT_EQ(std::get<State>(*begin), wanted.state) << "any command can begin with its state";
}

TEST_F(CheckpointTest, RefusesWhatIsDamaged) {
    EXPECT_EQ(reason(bytes), "none");
    EXPECT_EQ(reason(""), "x is no checkpoint");
    EXPECT_NE(reason(with("checkpoint 2", "checkpoint 1")).find("of another version"),
              std::string::npos);
    EXPECT_NE(reason(bytes.substr(0, 40)).find("ends too early"), std::string::npos);
    EXPECT_NE(reason(bytes.substr(0, bytes.size() - 1)).find("bytes have changed"),
              std::string::npos);
    std::string flipped = bytes;
    flipped[flipped.size() - 9] ^= 1;
    EXPECT_NE(reason(flipped).find("bytes have changed"), std::string::npos);
    EXPECT_NE(reason(with("\"width\":3", "\"width\":4")).find("has 192 bytes in place of 256"),
              std::string::npos);
    EXPECT_NE(reason(with("\"width\":3", "\"width\":99999")).find("width"), std::string::npos);
    EXPECT_NE(reason(with("[[2,3]]", "[]")).find("samples that it names"), std::string::npos);
    for (const char* gaps : {"[[2,4]]", "[[2,1],[2,1]]", "[[2,-3]]", "[[2,3,4]]", "[2,3]", "3",
                             "[[0,0]]", "[[1e3,3]]"})
        EXPECT_NE(reason(with("[[2,3]]", gaps)).find("\"missing\""), std::string::npos) << gaps;
    EXPECT_NE(reason(with("\"kind\":\"render\"", "\"kind\":\"sweep\"")).find("\"sweep\""),
              std::string::npos);
    EXPECT_NE(reason(with("\",\"width\"", " or so\",\"width\"")).find("another version"),
              std::string::npos);
}

}  // namespace
}  // namespace rayscope
