#include "renderer/lab/equal_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

using Of = Statistic::Of;

constexpr int kPixels = 14400;

/// A paired t test with fewer has limits so wide that a missing depth could pass.
constexpr int kFewestBatches = 8;
/// Films that were equal to the bit so often stay so.
constexpr int kIdenticalBatches = 4;
constexpr int kMostTimes = 4;

/// Of the paths; in card, where every ray meets a checkered floor, rounding sends 1e-3 elsewhere.
constexpr double kMostDiverged = 5e-3;
/// Pixels that differ: so many times those that differ between single and double precision, as fast
/// maths round more than precise ones, and some.
constexpr double kMoreRounding = 10;
constexpr double kFewPixels = 1e-3;

constexpr std::uint32_t kSeed = 1;
constexpr std::uint32_t kReferenceSeed = 1000001;

bool sameCounts(const Rays& a, const Rays& b) {
    return a.camera == b.camera && a.bounce == b.bounce && a.shadow == b.shadow &&
           a.depth == b.depth;
}

Settings otherPrecision(Settings s) {
    const bool wide = s.variant.precision == Precision::float64;
    s.variant.precision = wide ? Precision::float32 : Precision::float64;
    return s;
}

double meanOf(const Image& image) {
    const glm::dvec3 mean = meanRadiance(image);
    return (mean.x + mean.y + mean.z) / 3;
}

double brightestOf(const Scene& scene) {
    double most = 0;
    const auto see = [&](const glm::dvec3& light) {
        most = std::max({most, light.x, light.y, light.z});
    };
    see(scene.sky.bottom);
    see(scene.sky.top);
    if (scene.sky.picture) {
        const std::vector<float>& rgb = scene.sky.picture->rgb;
        see(glm::dvec3(*std::max_element(rgb.begin(), rgb.end()) * scene.sky.strength));
    }
    for (const Sphere& sphere : scene.spheres) see(sphere.material.emission);
    for (const SceneMesh& mesh : scene.meshes) {
        for (const Material& m : mesh.mesh.outline().materials) see(mesh.material.value_or(m).emission);
    }
    return most;
}

/// What to trust about a scene, without what makes it fast: double precision, precise maths, one
/// megakernel in which every path has its own random numbers, light sampling where the scene allows
/// it, as deep as `settings`, on the same backend.
Settings referenceSettings(const Settings& settings, const Scene& scene) {
    Settings s = defaultSettings(settings.backend, scene);
    s.depth = settings.depth;
    s.threads = settings.threads;
    s.variant.precision = Precision::float64;
    s.variant.math = Math::precise;
    s.variant.lightSampling = true;
    if (!unsupported(s, scene).empty()) s.variant.lightSampling = false;
    return s;
}

std::string percent(double share) {
    const double value = 100 * std::abs(share);
    return value < 9.95 ? fmt::format("{:.2g} %", value) : fmt::format("{:.0f} %", value);
}

std::string placeOf(const Statistic& what) {
    switch (what.of) {
        case Of::row:
            return fmt::format("row {} from the top", what.index + 1);
        case Of::column:
            return fmt::format("column {} from the left", what.index + 1);
        default:
            return fmt::format("the tile {} from the left and {} from the top of {} x {}",
                               what.index % kTilesAcross + 1, what.index / kTilesAcross + 1,
                               kTilesAcross, kTilesAcross);
    }
}

std::string raysSentence(const Difference& d) {
    const int depth = d.what.index + 1;
    if (d.b == 0) return fmt::format("B has no rays at depth {}", depth);
    if (d.a == 0) return fmt::format("B has rays at depth {} and A has none", depth);
    return fmt::format("B traces {} {} rays at depth {}", percent(d.b / d.a - 1),
                       d.b > d.a ? "more" : "fewer", depth);
}

std::string pictureSentence(const EqualWorkResult& r, const Difference& d) {
    const double all = r.b.brightness.mean / r.a.brightness.mean - 1;
    const double one = d.b / d.a - 1;
    if (all * one > 0 && std::abs(all) > .5 * std::abs(one))
        return fmt::format("B is {} {}", percent(all), all > 0 ? "brighter" : "darker");
    constexpr std::array<const char*, 3> kChannels{"red", "green", "blue"};
    return fmt::format("B has {} {} {}", percent(one), one > 0 ? "more" : "less",
                       kChannels[d.what.channel]);
}

std::string differenceSentence(const EqualWorkResult& r, const Difference& d) {
    if (d.what.of == Of::rays) return raysSentence(d);
    if (d.what.of == Of::picture) return pictureSentence(r, d);
    if (d.b == 0) return placeOf(d.what) + " is black in B";
    if (d.a == 0) return placeOf(d.what) + " is black in A";
    return fmt::format("{} is {} {} in B", placeOf(d.what), percent(d.b / d.a - 1),
                       d.b > d.a ? "brighter" : "darker");
}

std::string emptySentence(const EqualWorkResult& r) {
    return fmt::format(
        "{} has {} pixels without a sample, {} has {}",
        r.a.emptyPixels > r.b.emptyPixels ? "A" : "B", std::max(r.a.emptyPixels, r.b.emptyPixels),
        r.a.emptyPixels > r.b.emptyPixels ? "B" : "A", std::min(r.a.emptyPixels, r.b.emptyPixels));
}

}  // namespace

std::string_view nameOf(Verdict verdict) {
    constexpr std::array<std::string_view, 4> kNames{"identical", "same rays", "same expectation",
                                                     "DIFFERENT"};
    return kNames[static_cast<size_t>(verdict)];
}

std::string sentenceOf(const EqualWorkResult& r) {
    std::string sentence;
    switch (r.verdict) {
        case Verdict::identical:
            return "the films are equal to the bit and the rays as many";
        case Verdict::sameRays:
            sentence = fmt::format("{} of the pixels differ by more than rounding",
                                   percent(r.pixels.share));
            break;
        case Verdict::sameExpectation:
            sentence = "brightness agrees within " + percent(r.noticeable);
            break;
        case Verdict::different:
            sentence = r.a.emptyPixels != r.b.emptyPixels ? emptySentence(r)
                                                          : differenceSentence(r, *r.largest);
            break;
    }
    if (r.lessWork) {
        sentence += fmt::format("; B traces {} fewer rays a sample",
                                percent(r.b.raysPerSample / r.a.raysPerSample - 1));
    }
    return sentence;
}

EqualWorkWish equalWorkWish(const Settings& a, const Settings& b, const Scene& scene) {
    EqualWorkWish wish;
    wish.a = a;
    wish.b = b;
    wish.reference = referenceSettings(a, scene);
    wish.camera = scene.camera;
    wish.brightest = brightestOf(scene);
    const double shape = static_cast<double>(scene.width) / scene.height;
    wish.height = std::max(1, static_cast<int>(std::lround(std::sqrt(kPixels / shape))));
    wish.width = std::max(1, static_cast<int>(std::lround(shape * wish.height)));
    if (a.backend == Backend::cuda && b.backend == Backend::cuda) wish.samples = 64;
    return wish;
}

EqualWork::EqualWork(Renderer& a, Renderer& b, const EqualWorkWish& wish)
    : SteppedJob("compare work"),
      wish_(wish),
      statistics_(statisticsOf(wish.width, wish.height, std::max(wish.a.depth, wish.b.depth))),
      a_{a, wish_.a},
      b_{b, wish_.b},
      batches_(std::max(wish.batches, kFewestBatches)) {
    for (Settings* s : {&wish_.a, &wish_.b, &wish_.reference}) s->variant.countDepths = false;
}

double EqualWork::share() const {
    if (ended()) return 1;
    if (!run_) return 0;
    const double done = (films_ - 1 + run_->share() - grownAt_.films) / (films() - grownAt_.films);
    return grownAt_.share + (1 - grownAt_.share) * std::min(1., done);
}

/// How many films are rendered in all.
double EqualWork::films() const {
    const double ofBatch = 4;
    return ofBatch * batches_ + 1. * wish_.referenceSamples / wish_.samples;
}

/// Batches of a film of A and one of B, then A's twin in the other precision, then the reference.
Steps EqualWork::run() {
    for (Side* side : {&a_, &b_}) {
        if (problem_.empty())
            problem_ =
                side->memory
                    .allocate(side->renderer, side->settings.backend, wish_.width, wish_.height)
                    .reason();
    }
    if (!problem_.empty()) co_return;
    const std::array sides{&a_, &b_};
    for (int batch = 0; batch < batches_; ++batch) {
        for (Side* side : sides) {
            co_await render(*side, side->settings, kSeed + batch);
            takeFilm(*side);
            // The kernel that is to be timed does not count rays by depth: each film is rendered
            // a second time by one that does, for these alone.
            Settings counting = side->settings;
            counting.variant.countDepths = true;
            co_await render(*side, counting, kSeed + batch);
            side->rays.back().depth = run_->stats().rays.depth;
        }
        endOfBatch();
    }
    const Settings twin = otherPrecision(wish_.a);
    if (!identical_ && !largestOf(differences_) && a_.renderer.unsupported(twin).empty()) {
        co_await render(a_, twin, kSeed);
        twinShare_ =
            pixelDifference(a_.images.front(), a_.memory.image(), rounding().radiance).share;
    }
    while (reference_.batches() * wish_.samples < wish_.referenceSamples) {
        co_await render(a_, wish_.reference, kReferenceSeed + reference_.batches());
        reference_.add(a_.memory.image());
    }
    conclude();
}

std::suspend_always EqualWork::render(Side& side, Settings settings, std::uint32_t seed) {
    settings.seed = seed;
    run_ = std::make_unique<FilmRun>(side.renderer, side.memory, settings, wish_.camera,
                                     wish_.samples);
    ++films_;
    return play(*run_);
}

void EqualWork::takeFilm(Side& side) {
    side.images.push_back(side.memory.image());
    side.rays.push_back(run_->stats().rays);
    const Pixel* pixels = side.memory.fetch();
    std::vector<Pixel> film(pixels, pixels + size_t{1} * wish_.width * wish_.height);
    side.emptyPixels = 0;
    side.samples.push_back(0);
    for (const Pixel& p : film) {
        side.samples.back() += p.samples;
        side.emptyPixels += !(p.samples > 0);
    }
    if (&side == &a_)
        filmOfA_ = std::move(film);
    else
        identical_ &= std::memcmp(filmOfA_.data(), film.data(), film.size() * sizeof(Pixel)) == 0;
}

Rounding EqualWork::rounding() const {
    const auto wide = [](const Settings& s) { return s.variant.precision == Precision::float64; };
    return wide(wish_.a) && wide(wish_.b) ? kDouble : kSingle;
}

void EqualWork::endOfBatch() {
    for (Side* side : {&a_, &b_})
        side->values.push_back(
            valuesOf(statistics_, side->images.back(), side->rays.back(), side->samples.back()));
    identical_ &= sameCounts(a_.rays.back(), b_.rays.back());
    const int finished = static_cast<int>(a_.values.size());
    if (identical_ && finished == kIdenticalBatches) batches_ = finished;
    if (finished < batches_) return;
    differences_ = differencesOf(statistics_, a_.values, b_.values,
                                 {rounding(), wish_.samples, wish_.brightest});
    // the noise would hide a brightness that differs, and more batches may help
    const bool late = wish_.seconds > 0 && millisecondsSince(began_) > 1e3 * wish_.seconds / 2;
    const bool mayGrow =
        !late && 2 * batches_ <= kMostTimes * std::max(wish_.batches, kFewestBatches);
    if (!identical_ && mayGrow && !largestOf(differences_) &&
        noticeableOf(differences_) > wish_.resolution) {
        grownAt_ = {share(), 1. * films_};
        batches_ *= 2;
    }
}

SideWork EqualWork::workOf(const Side& side) const {
    Rays rays;
    for (const Rays& r : side.rays) rays += r;
    const double samples = std::accumulate(side.samples.begin(), side.samples.end(), 0.);
    SideWork work;
    work.emptyPixels = side.emptyPixels;
    work.raysPerSample = static_cast<double>(rays.total()) / samples;
    work.shadowRays = static_cast<double>(rays.shadow) / samples;
    for (const std::uint64_t count : rays.depth)
        work.depthRays.push_back(static_cast<double>(count) / samples);
    while (!work.depthRays.empty() && work.depthRays.back() == 0) work.depthRays.pop_back();
    std::vector<double> brightness, mse, relMse;
    for (const Image& image : side.images) {
        brightness.push_back(meanOf(image));
        if (reference_.batches() < 2) continue;
        const ImageError error = imageError(image, reference_);
        mse.push_back(wish_.samples * error.mse);
        relMse.push_back(wish_.samples * error.relMse);
    }
    work.brightness = estimateOf(brightness);
    work.mse = estimateOf(mse);
    work.relMse = estimateOf(relMse);
    return work;
}

/// The same paths but for those that rounding sent elsewhere.
bool EqualWork::sameRays() const {
    Rays a, b;
    for (const Rays& r : a_.rays) a += r;
    for (const Rays& r : b_.rays) b += r;
    const double tolerance = rounding().rays * static_cast<double>(a.total());
    const auto near = [&](std::uint64_t x, std::uint64_t y) {
        return std::abs(static_cast<double>(x) - static_cast<double>(y)) <= tolerance;
    };
    for (int d = 0; d < kMaxDepth; ++d) {
        if (!near(a.depth[d], b.depth[d])) return false;
    }
    // a pixel stays as it is where none of its paths went elsewhere
    const double most = 1 - std::pow(1 - kMostDiverged, wish_.samples);
    return near(a.shadow, b.shadow) &&
           result_.pixels.share <= std::min(most, kFewPixels + kMoreRounding * twinShare_);
}

/// Whether B traces fewer rays per sample by more than chance and a thousandth.
bool EqualWork::lessWork() const {
    const auto raysPerSample = [](const Side& side, size_t batch) {
        return static_cast<double>(side.rays[batch].total()) / side.samples[batch];
    };
    std::vector<double> fewer;
    for (size_t i = 0; i < a_.rays.size(); ++i)
        fewer.push_back(1 - raysPerSample(b_, i) / raysPerSample(a_, i));
    const Estimate share = estimateOf(fewer);
    const double limit = studentLimit(kFalseAlarms, static_cast<int>(fewer.size()) - 1);
    return share.mean > limit * share.error + 1e-3;
}

void EqualWork::conclude() {
    EqualWorkResult& r = result_;
    r.width = wish_.width;
    r.height = wish_.height;
    r.batches = batches_;
    r.samples = wish_.samples;
    r.referenceSamples = reference_.batches() * wish_.samples;
    r.a = workOf(a_);
    r.b = workOf(b_);
    r.pixels = pixelDifference(a_.images.front(), b_.images.front(), rounding().radiance);
    r.lessWork = lessWork();
    r.largest = largestOf(differences_);
    r.noticeable = noticeableOf(differences_);
    if (identical_)
        r.verdict = Verdict::identical;
    else if (r.largest || r.a.emptyPixels != r.b.emptyPixels)
        r.verdict = Verdict::different;
    else
        r.verdict = sameRays() ? Verdict::sameRays : Verdict::sameExpectation;
    r.sentence = sentenceOf(r);
}

}  // namespace rayscope
