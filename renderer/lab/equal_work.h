#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/expectation.h"
#include "renderer/lab/trial.h"
#include "renderer/lab/verdict.h"

// Do two settings do the same work? A comparison of speeds means little where they do not.

namespace rayscope {

struct EqualWorkWish {
    Settings a, b;
    Settings reference;  ///< what errors are measured against; its seed is not read
    Camera camera;
    double brightest = 0;  ///< that a lamp or the sky of the scene is in a channel
    int width = 160, height = 90;
    int samples = 32;  ///< a pixel, of one batch
    int batches = 16;  ///< of each side, at least 8; up to four times as many where both are noisy
    /// More batches are rendered until a picture that is so much brighter would be noticed.
    double resolution = .01;
    double seconds = 0;          ///< no batches are added after so long; 0: however long they take
    int referenceSamples = 512;  ///< a pixel; 0: no reference, errors stay 0
};

/// The wish to compare settings of a scene, with its camera, in a picture of 14400 pixels of its
/// shape.
EqualWorkWish equalWorkWish(const Settings& a, const Settings& b, const Scene& scene);

/// One side. Rays are per sample that the film counts.
struct SideWork {
    double raysPerSample = 0;
    double shadowRays = 0;          ///< of these
    std::vector<double> depthRays;  ///< closest-hit rays at depths 1, 2, ...
    Estimate brightness;            ///< mean radiance of all channels
    /// Of a picture that has the work of one sample a pixel (Film::samples); where the expectation
    /// differs, the part of it that is bias grows with EqualWorkWish::samples.
    Estimate mse, relMse;
    int emptyPixels = 0;  ///< that have no sample at all
};

struct EqualWorkResult {
    Verdict verdict = Verdict::different;
    /// What differs most, or how closely it agrees: "B is 9.9 % brighter".
    std::string sentence;
    bool lessWork = false;  ///< B traces fewer rays per sample
    SideWork a, b;
    PixelDifference pixels;  ///< of the first batch, rendered with the same seed
    double noticeable = 0;   ///< a brightness that differs so much, relatively, is DIFFERENT
    std::optional<Difference> largest;  ///< behind `sentence`, where DIFFERENT
    int width = 0, height = 0;          ///< of the pictures, on which errors depend
    int batches = 0, samples = 0;       ///< of each side; a pixel in each
    int referenceSamples = 0;
};

/// One sentence behind the verdict, without a full stop.
std::string sentenceOf(const EqualWorkResult& result);

/// A job: batches of A and B in turn, then the reference. It has films of its own; the renderers
/// have their scene and may be one object. What others have launched and not finished is finished
/// by a step, and what it took is lost.
class EqualWork : public SteppedJob {
public:
    EqualWork(Renderer& a, Renderer& b, const EqualWorkWish& wish);

    double share() const override;
    /// When it has ended without a problem.
    const EqualWorkResult& result() const { return result_; }

private:
    /// What one side has rendered.
    struct Side {
        Renderer& renderer;
        const Settings& settings;
        OffscreenFilm memory{};
        std::vector<Image> images{};
        std::vector<Rays> rays{};
        std::vector<double> samples{};  ///< of all pixels together, which have counted them
        std::vector<std::vector<double>> values{};
        int emptyPixels = 0;
    };

    Steps run() override;
    std::suspend_always render(Side& side, Settings settings, std::uint32_t seed);
    void takeFilm(Side& side);
    void endOfBatch();
    double films() const;
    Rounding rounding() const;
    void conclude();
    bool lessWork() const;
    bool sameRays() const;
    SideWork workOf(const Side& side) const;

    EqualWorkWish wish_;
    std::vector<Statistic> statistics_;
    Side a_, b_;
    ReferenceImage reference_;
    std::vector<Pixel> filmOfA_;
    std::vector<Difference> differences_;
    int batches_;  ///< as many as there are to be
    Clock::time_point began_ = Clock::now();
    bool identical_ = true;
    double twinShare_ = 1;  ///< of the pixels in which A and its twin differ; 1: unknown
    int films_ = 0;         ///< begun
    struct Grown {
        double share = 0, films = 0;
    };
    Grown grownAt_;                 ///< when batches were added: progress never falls
    std::unique_ptr<FilmRun> run_;  ///< of the last of them
    EqualWorkResult result_;
};

}  // namespace rayscope
