// A picture in chunks, as ranks and checkpoints have it, on a real device.

#include "renderer/team/film_team.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/listed_frames.h"

#ifdef RAYSCOPE_CUDA

namespace rayscope {
namespace {

class FilmTeamGpu : public Gpu {
protected:
    FilmCheckpoint wished(const Settings& settings, int spp) const {
        FilmCheckpoint film;
        film.state = {scene_, scene_.camera, settings, {}};
        film.width = kWidth;
        film.height = kHeight;
        film.spp = spp;
        return film;
    }
};

TEST_F(FilmTeamGpu, ChunksAndWhatIsGoneOnFromMakeThePictureOfOneRun) {
    constexpr int kSamples = 300;
    use("cornell");
    for (const char* engine : {"engine=megakernel", "engine=regeneration", "engine=wavefront"}) {
        SCOPED_TRACE(engine);
        Settings settings = settings_;
        assignAll(settings, {engine});
        const Rendering one = render(settings, kSamples);
        Alone alone;
        FilmLead begun(alone, *renderer_, {wished(settings, kSamples / 3), "", 60});
        playToEnd(begun);
        ASSERT_TRUE(begun.complete()) << begun.problem();
        FilmCheckpoint half = begun.film();
        half.spp = kSamples;
        FilmLead lead(alone, *renderer_, {half, "", 60});
        playToEnd(lead);
        ASSERT_TRUE(lead.complete()) << lead.problem();
        const std::vector<Pixel>& pixels = lead.film().pixels;
        for (size_t i = 0; i < pixels.size(); ++i) {
            ASSERT_EQ(pixels[i].samples, one.pixels[i].samples) << i;
            ASSERT_NEAR(pixels[i].g, one.pixels[i].g, 1e-4 * (1 + one.pixels[i].g)) << i;
        }
    }
}

TEST_F(FilmTeamGpu, AFrameThatComesBackHasItsOwnBodies) {
    use("nbody-1000");
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope_gpu_frames_" + std::to_string(getpid()));
    fs::create_directories(folder);
    SequenceWish wish;
    wish.state = {scene_, scene_.camera, settings_, {}};
    wish.state.settings.steps = 20;
    wish.keys = {scene_.camera};
    wish.frames = 6;
    wish.width = kWidth;
    wish.height = kHeight;
    wish.spp = kFewSpp;
    wish.moves = true;
    const auto render = [&](const char* name, std::unique_ptr<Frames> frames) {
        wish.path = (folder / name).string();
        renderer_->setScene(wish.state.scene);
        Sequence sequence(*renderer_, wish, std::move(frames));
        playToEnd(sequence);
        EXPECT_EQ(sequence.problem(), "");
        EXPECT_EQ(sequence.written(), 6);
    };
    render("a.png", allFrames(6));
    render("b.png", std::make_unique<ListedFrames>(std::deque{2, 4, 1, 3, 0, 5}));
    const auto bytes = [&](const char* name, int frame) {
        std::ifstream file(frameFile((folder / name).string(), frame, 6), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_NE(bytes("a.png", 0), bytes("a.png", 1));
    for (int frame = 0; frame < 6; ++frame)
        EXPECT_TRUE(bytes("a.png", frame) == bytes("b.png", frame)) << frame;
    fs::remove_all(folder);
}

}  // namespace
}  // namespace rayscope

#endif
