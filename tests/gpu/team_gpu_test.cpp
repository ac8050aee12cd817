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
        const std::vector<PixelSum>& pixels = lead.film().pixels;
        for (size_t i = 0; i < pixels.size(); ++i) {
            ASSERT_EQ(pixels[i].samples, one.pixels[i].samples) << i;
            ASSERT_NEAR(pixels[i].g, one.pixels[i].g, 1e-4 * (1 + one.pixels[i].g)) << i;
        }
    }
}

TEST_F(FilmTeamGpu, AFrameThatComesBackHasItsOwnBodies) {
    use("nbody-1000");
    SequenceWish wish;
    wish.state = {scene_, scene_.camera, settings_, {}};
    wish.state.settings.steps = 20;
    wish.keys = {scene_.camera};
    wish.width = kWidth;
    wish.height = kHeight;
    wish.spp = kFewSpp;
    expectFramesOfTheirOwn(*renderer_, wish);
}

}  // namespace
}  // namespace rayscope

#endif
