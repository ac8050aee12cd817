#include "ui/tracer.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "renderer/base/free_memory.h"
#include "renderer/base/timeline.h"
#include "ui/gl_zones.h"

namespace rayscope {

namespace {

/// A film is shown from its first full pass on, or after this long with the gaps filled from
/// before.
constexpr double kPatienceSeconds = .5;

/// While the camera moves, a pass that takes longer than this gives way to the newest camera.
constexpr double kMovingPatienceSeconds = .25;

/// At rest a coarse picture under way is finished first: better than a fine one with a black part.
constexpr double kRestPatienceSeconds = 1;

/// Where a first pass of all samples would take longer, one sample comes first.
constexpr double kFirstPassMs = 250;
/// Where a pass of all samples would take longer, it has fewer: rates are of whole passes, and
/// nobody waits a minute for the next.
constexpr double kSlowPassMs = 1000;

/// How much of the newest measurement enters the throughput.
constexpr double kLearnShare = .3;

/// 8 MB, read and compared in some 7 ms on one core of an EPYC.
constexpr double kSampledPixels = 1 << 19;

Size clampedToGl(Size size) {
    static const int limit = [] {
        GLint value = 0;
        glGetIntegerv(GL_MAX_TEXTURE_SIZE, &value);
        return std::max(value, 1);
    }();
    return {std::min(size.width, limit), std::min(size.height, limit)};
}

constexpr double kDivisors[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16};

/// A film that any machine traces in a moment.
constexpr double kFirstPixels = 100000;

/// The largest divisor tried where memory for the film is short.
constexpr double kSmallestFilm = 8;

/// A finer film must fit with this much room, or the next slow frame would coarsen it again.
constexpr double kRoom = .75;

}  // namespace

double Throughput::sampleMs(Size film) const {
    const double pixels = static_cast<double>(film.width) * film.height;
    return raysPerMs > 0 ? pixels * raysPerSample / raysPerMs : 0;
}

double movingDivisor(Size full, const Throughput& known, double budgetMs, double now) {
    const double ms = known.sampleMs(full);
    if (ms <= 0) {
        const double pixels = static_cast<double>(full.width) * full.height;
        return kDivisors[pixels > kFirstPixels ? 4 : 0];
    }
    for (double divisor : kDivisors) {
        const double share = divisor < now ? kRoom : 1;
        if (ms / (divisor * divisor) <= share * budgetMs) return divisor;
    }
    return kDivisors[std::size(kDivisors) - 1];
}

FilmMemory largestFilm(Size full, const std::function<std::string(Size)>& allocate) {
    FilmMemory memory;
    for (double divisor = 1; divisor <= kSmallestFilm; divisor *= 2) {
        memory.divisor = divisor;
        const std::string problem = allocate(divided(full, divisor));
        memory.allocated = problem.empty();
        if (memory.allocated) break;
        memory.problem = problem;
    }
    return memory;
}

Size divided(Size full, double divisor) {
    return {std::max(1, static_cast<int>(std::lround(full.width / divisor))),
            std::max(1, static_cast<int>(std::lround(full.height / divisor)))};
}

FrameStats Tracer::step(Backends& backends, const Wish& wish, std::string* message) {
    if (!prepare(backends, wish, message)) return {};
    const double divisor = divisorFor(wish);
    if (wantsNewFilm(wish, divisor)) beginFilm(wish, divisor);
    // A cursor counts in the order of the settings, and a pass has as many samples as fitted what
    // was before.
    if (!(settings_ == *wish.settings)) abandonPass();
    if (stale_) beginFilm(wish, divisor);
    return advance(wish);
}

double Tracer::divisorFor(const Wish& wish) const {
    double divisor = smaller_;
    const double pixels = static_cast<double>(full_.width) * full_.height;
    if (wish.mostPixels > 0) divisor = std::max(divisor, std::sqrt(pixels / wish.mostPixels));
    if (!wish.moving && !fresh_) return divisor;
    return std::max(divisor, movingDivisor(full_, throughput_, wish.budgetMs, divisor_));
}

bool Tracer::shows(const Camera& camera, double divisor) const {
    return films_ > 0 && camera == camera_ && divided(full_, divisor) == display_.size();
}

bool Tracer::mayEnd(const Wish& wish) const {
    const double patience = wish.moving ? kMovingPatienceSeconds : kRestPatienceSeconds;
    return film_.samples > 0 || wish.now - began_ > patience;
}

FrameStats Tracer::advance(const Wish& wish) {
    settings_ = *wish.settings;
    launched_ = launchSettings(wish);
    launch(wish.budgetMs);
    if (wantsUpload(wish)) {
        unmap();
        const Zone zone("upload");
        const GlZone gl("film to texture");
        display_.upload();
        uploaded_ = wish.now;
        uploadedFull_ = film_.samples > 0;
        fresh_ = fresh_ && !uploadedFull_;
    }
    return std::exchange(stats_, {});
}

void Tracer::keepBusy(double ms) {
    if (cleared_ && !stale_ && worksOn()) launch(ms);
}

void Tracer::launch(double ms) {
    if (!mapped_) {
        const Zone zone("map");
        film_.pixels = display_.map();
        mapped_ = true;
    }
    if (!cleared_) session_->clear();
    cleared_ = true;
    const bool begun = film_.samples > 0 || session_->pass().cursor > 0;
    const FrameStats stats = session_->advance(launched_, camera_, ms);
    learnThroughput(stats);
    stats_ += stats;
    // an edited kernel may compute another picture
    const unsigned sources = session_->kernel().sourcesVersion;
    if (std::exchange(sources_, sources) != sources && begun) stale_ = true;
}

void Tracer::unmap() {
    if (!std::exchange(mapped_, false)) return;
    const Zone zone("unmap");
    display_.unmap();
}

bool Tracer::prepare(Backends& backends, const Wish& wish, std::string* message) {
    Settings& settings = *wish.settings;
    const Size wanted = clampedToGl(wish.framebuffer);
    const bool fits = display_.capacity().width > 0 && full_ == wanted &&
                      display_.path() == settings.display && memoryFor_ == settings.backend;
    if (fits) return true;
    if (display_.capacity().width > 0) {
        unmap();
        finish();
        if (full_ == wanted && !stale_ && cleared_) carried_ = display_.fetch();
    }
    if (memoryFor_ != settings.backend) close();
    if (full_ != wanted) freeMemory(carried_);
    full_ = wanted;
    if (memoryFor_ != settings.backend) throughput_ = {};
    memoryFor_ = settings.backend;
    backends.get(memoryFor_).useThread();
    if (!session_) open(backends.get(memoryFor_));
    std::string problem;
    if (settings.display == Display::interop) {
        problem = display_.allocate(Display::interop, wanted);
        if (problem.empty()) return carryOn(1);
        backends.setNoInterop(problem);
        settings.display = Display::copy;
        *message = fmt::format("Display path copy: {}", problem);
    }
    const FilmMemory memory =
        largestFilm(wanted, [&](Size size) { return display_.allocate(settings.display, size); });
    if (!memory.problem.empty()) {
        *message =
            memory.allocated ? fmt::format("Smaller film: {}", memory.problem) : memory.problem;
    }
    if (!memory.allocated && settings.backend == Backend::cuda) {
        throw std::runtime_error(memory.problem);
    }
    return memory.allocated && carryOn(memory.divisor);
}

void Tracer::open(Renderer& renderer) {
    session_ = renderer.open(film_);
    session_->setWatched(true);
    session_->skip(skipped_);
}

void Tracer::close() {
    if (!session_) return;
    abandonPass();
    skipped_ = session_->pass().skipped;
    session_.reset();
}

/// The film goes on in its new memory where that is large enough.
bool Tracer::carryOn(double smaller) {
    const Size room = display_.capacity();
    const bool fits = film_.width <= room.width && film_.height <= room.height;
    smaller_ = smaller;
    if (carried_.empty() || !fits) {
        stale_ = true;
    } else {
        display_.put(carried_);
        abandonPass();
    }
    freeMemory(carried_);
    return true;
}

/// Ends a pass that cannot go on where it stopped. Pixels that it had not reached keep the fewer
/// samples they have, by which they are divided; no sample is traced twice.
void Tracer::abandonPass() {
    // One that is not cleared yet has none. Parts of another could stay empty.
    if (cleared_ && !session_->abandonPass()) stale_ = true;
}

bool Tracer::wantsNewFilm(const Wish& wish, double divisor) const {
    if (stale_ || resetsFilm(settings_, *wish.settings)) return true;
    const bool changed = wish.camera != camera_ || divisor != divisor_;
    return changed && mayEnd(wish);
}

void Tracer::beginFilm(const Wish& wish, double divisor) {
    unmap();
    const Size size = divided(full_, divisor);
    display_.beginFilm(size);
    film_ = {};
    film_.width = size.width;
    film_.height = size.height;
    camera_ = wish.camera;
    divisor_ = divisor;
    began_ = wish.now;
    ++films_;
    stale_ = cleared_ = uploadedFull_ = false;
}

Settings Tracer::launchSettings(const Wish& wish) const {
    Settings settings = *wish.settings;
    const bool fills = settings.pace == Pace::fill;
    if (fills) settings.launches = kAsManyAsFit;
    const double ms = throughput_.sampleMs({film_.width, film_.height});
    const bool slowStart = film_.samples == 0 && ms * settings.samples > kFirstPassMs;
    if (wish.moving || slowStart || fresh_) {
        // The film ends with the frame: whole passes.
        const double room = wish.budgetMs - session_->leftMs();
        const double most = fills && wish.moving && ms > 0 ? std::max(room / ms, 1.) : 1;
        const int fit = static_cast<int>(std::min(most, 1. * kAsManyAsFit));
        settings.launches = (fit - 1) / settings.samples + 1;
        settings.samples = fit / settings.launches;
    } else if (ms * settings.samples > kSlowPassMs) {
        settings.samples = std::max(static_cast<int>(kSlowPassMs / ms), 1);
        settings.launches = 1;
    }
    return settings;
}

bool Tracer::wantsUpload(const Wish& wish) const {
    const bool full = film_.samples > 0;
    if (full && !uploadedFull_) return true;
    // Nobody sees a film with gaps before the patience is over.
    if (!full && (fresh_ || wish.now - began_ < kPatienceSeconds)) return false;
    return wish.now - uploaded_ >= wish.uploadSeconds;
}

void Tracer::learnThroughput(const FrameStats& stats) {
    const auto learn = [](double& known, double measured) {
        known = known > 0 ? known + kLearnShare * (measured - known) : measured;
    };
    // one of several devices traces a sample as fast as if it were alone
    if (stats.timedMs > 0) {
        learn(throughput_.raysPerMs,
              session_->ownShare() * static_cast<double>(stats.timedRays) / stats.timedMs);
    }
    if (stats.rays.camera > 0) {
        learn(throughput_.raysPerSample,
              static_cast<double>(stats.rays.total()) / static_cast<double>(stats.rays.camera));
    }
}

std::vector<Pixel> Tracer::samplePixels() {
    unmap();
    const double pixels = static_cast<double>(film_.width) * film_.height;
    return display_.fetch(static_cast<int>(std::ceil(pixels / kSampledPixels)));
}

void Tracer::forget() {
    // What has been seen is not lost.
    carried_ = uploadedFull_ && !stale_ ? display_.read() : std::vector<Pixel>();
    close();
    display_.release();
    mapped_ = false;
    throughput_ = {};
}

FilmView Tracer::view(double now) const {
    const bool full = uploadedFull_;
    const bool ready = full || (cleared_ && !fresh_ && now - began_ > kPatienceSeconds);
    return {display_.texture(), display_.size(), films_, display_.uploads(), ready, full};
}

}  // namespace rayscope
