#include "renderer/lab/equal_work.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/verdict_text.h"

namespace rayscope {

namespace {

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

bool sameBits(const std::vector<Pixel>& a, const std::vector<Pixel>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(Pixel)) == 0;
}

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

}  // namespace

double brightestOf(const Scene& scene) {
    double most = 0;
    const auto see = [&](const glm::dvec3& light) {
        most = std::max({most, light.x, light.y, light.z});
    };
    see(scene.sky.bottom);
    see(scene.sky.top);
    for (const Sphere& sphere : scene.spheres) see(sphere.material.emission);
    return most;
}

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

double efficiencyRatio(const EqualWorkResult& result, double timeA, double timeB) {
    return result.a.mse.mean * timeA / (result.b.mse.mean * timeB);
}

EqualWork::EqualWork(Renderer& a, Renderer& b, const EqualWorkWish& wish)
    : a_(a), b_(b), wish_(wish), batches_(std::max(wish.batches, kFewestBatches)) {
    statistics_ = statisticsOf(wish.width, wish.height, std::max(wish.a.depth, wish.b.depth));
}

double EqualWork::share() const {
    if (done_) return 1;
    const double part = run_ ? run_->share() : 0;
    const double reference = 1. * wish_.referenceSamples / wish_.samples;
    const double all = 2. * batches_ + reference;
    double finished = task_.batch;
    if (task_.who == kReference || task_.who == kTwin)
        finished += 2. * batches_;
    else
        finished += task_.batch + (task_.who == kB);
    return std::min(1., (finished + (task_.depths ? 1 : part)) / all);
}

Settings EqualWork::settings() const {
    const Settings* const all[] = {&wish_.a, &wish_.b, &wish_.a, &wish_.reference};
    Settings s = *all[task_.who];
    if (task_.who == kTwin) s = otherPrecision(s);
    s.seed = (task_.who == kReference ? kReferenceSeed : kSeed) + task_.batch;
    s.variant.countDepths = task_.depths;
    return s;
}

std::string EqualWork::allocate() {
    auto allocated = memory_[kA].allocate(a_, wish_.a.backend, wish_.width, wish_.height);
    if (allocated) allocated = memory_[kB].allocate(b_, wish_.b.backend, wish_.width, wish_.height);
    return allocated.reason();
}

bool EqualWork::step(double budgetMs) {
    const Zone zone("compare work");
    const Clock::time_point start = Clock::now();
    if (!memory_[kA].allocated()) problem_ = allocate();
    done_ |= !problem_.empty();
    while (!done_) {
        if (!run_) {
            run_ = std::make_unique<FilmRun>(renderer(), memory().session(), settings(),
                                             wish_.camera, wish_.samples);
        }
        const bool ended = run_->step(budgetMs - millisecondsSince(start));
        problem_ = run_->problem();
        if (ended && problem_.empty()) take();
        done_ |= !problem_.empty();
        if (millisecondsSince(start) >= budgetMs) break;
    }
    return done_;
}

void EqualWork::take() {
    if (task_.who == kReference)
        reference_.add(memory().image());
    else if (task_.who == kTwin)
        twinShare_ =
            pixelDifference(sides_[kA].images.front(), memory().image(), rounding().radiance).share;
    else if (task_.depths)
        sides_[task_.who].rays.back().depth = run_->stats().rays.depth;
    else
        takeFilm();
    run_.reset();
    next();
}

void EqualWork::takeFilm() {
    Side& side = sides_[task_.who];
    side.images.push_back(memory().image());
    side.rays.push_back(run_->stats().rays);
    const Pixel* pixels = memory().fetch();
    std::vector<Pixel> film(pixels, pixels + size_t{1} * wish_.width * wish_.height);
    side.emptyPixels = 0;
    side.samples.push_back(0);
    for (const Pixel& p : film) {
        side.samples.back() += p.samples;
        side.emptyPixels += !(p.samples > 0);
    }
    if (task_.who == kA)
        filmOfA_ = std::move(film);
    else
        identical_ &= sameBits(filmOfA_, film);
}

Rounding EqualWork::rounding() const {
    const auto wide = [](const Settings& s) { return s.variant.precision == Precision::float64; };
    return wide(wish_.a) && wide(wish_.b) ? kDouble : kSingle;
}

/// A film of A, one of B, and so on; where the kernel that is to be timed does not count depths,
/// each a second time by one that does. Then the twin, then the reference.
void EqualWork::next() {
    const bool side = task_.who == kA || task_.who == kB;
    const Settings& settings = task_.who == kB ? wish_.b : wish_.a;
    if (side && !task_.depths && settings.backend == Backend::cuda) {
        task_.depths = true;
    } else if (task_.who == kA) {
        task_ = {kB, false, task_.batch};
    } else if (task_.who == kB) {
        endOfBatch();
        task_ = {kA, false, task_.batch + 1};
        if (task_.batch == batches_) task_ = {wantsTwin() ? kTwin : kReference, false, 0};
    } else {
        task_ = {kReference, false, task_.who == kTwin ? 0 : task_.batch + 1};
    }
    if (task_.who == kReference && task_.batch * wish_.samples >= wish_.referenceSamples)
        conclude();
}

bool EqualWork::wantsTwin() const {
    return !identical_ && !largestOf(differences_) &&
           a_.unsupported(otherPrecision(wish_.a)).empty();
}

void EqualWork::endOfBatch() {
    for (Side& side : sides_) {
        side.values.push_back(
            valuesOf(statistics_, side.images.back(), side.rays.back(), side.samples.back()));
    }
    identical_ &= sameCounts(sides_[kA].rays.back(), sides_[kB].rays.back());
    const int finished = task_.batch + 1;
    if (identical_ && finished == kIdenticalBatches) batches_ = finished;
    if (finished < batches_) return;
    differences_ = differencesOf(statistics_, sides_[kA].values, sides_[kB].values,
                                 {rounding(), wish_.samples, wish_.brightest});
    if (wantsMore()) batches_ *= 2;
}

/// Whether the noise would hide a brightness that differs, and more batches may help.
bool EqualWork::wantsMore() const {
    if (identical_ || 2 * batches_ > kMostTimes * std::max(wish_.batches, kFewestBatches))
        return false;
    return !largestOf(differences_) && noticeableOf(differences_) > wish_.resolution;
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
bool EqualWork::sameRays(const EqualWorkResult& result) const {
    Rays a, b;
    for (const Rays& r : sides_[kA].rays) a += r;
    for (const Rays& r : sides_[kB].rays) b += r;
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
           result.pixels.share <= std::min(most, kFewPixels + kMoreRounding * twinShare_);
}

/// Whether B traces fewer rays per sample by more than chance and a thousandth.
bool EqualWork::lessWork() const {
    const auto raysPerSample = [](const Side& side, size_t batch) {
        return static_cast<double>(side.rays[batch].total()) / side.samples[batch];
    };
    std::vector<double> fewer;
    for (size_t i = 0; i < sides_[kA].rays.size(); ++i)
        fewer.push_back(1 - raysPerSample(sides_[kB], i) / raysPerSample(sides_[kA], i));
    const Estimate share = estimateOf(fewer);
    const double limit = studentLimit(kFalseAlarms, static_cast<int>(fewer.size()) - 1);
    return share.mean > limit * share.error + 1e-3;
}

void EqualWork::judge(EqualWorkResult& result) const {
    result.largest = largestOf(differences_);
    result.noticeable = noticeableOf(differences_);
    if (identical_)
        result.verdict = Verdict::identical;
    else if (result.largest || result.a.emptyPixels != result.b.emptyPixels)
        result.verdict = Verdict::different;
    else
        result.verdict = sameRays(result) ? Verdict::sameRays : Verdict::sameExpectation;
}

void EqualWork::conclude() {
    EqualWorkResult result;
    result.width = wish_.width;
    result.height = wish_.height;
    result.batches = batches_;
    result.samples = wish_.samples;
    result.referenceSamples = reference_.batches() * wish_.samples;
    result.a = workOf(sides_[kA]);
    result.b = workOf(sides_[kB]);
    result.pixels =
        pixelDifference(sides_[kA].images.front(), sides_[kB].images.front(), rounding().radiance);
    result.lessWork = lessWork();
    judge(result);
    result.sentence = sentenceOf(result);
    result_ = std::move(result);
    done_ = true;
}

}  // namespace rayscope
