#include "renderer/cpu/cpu_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/host_compiler.h"
#include "renderer/cpu/apart_kernel.h"
#include "renderer/cpu/pieces.h"
#include "renderer/cpu/thread_counters.h"

namespace rayscope {

namespace {

/// A ray that tests this many spheres takes so long that fetching pixels one by one costs nothing.
constexpr size_t kManySpheres = 4096;

Rays sum(const std::vector<ThreadCounters>& counters) {
    Rays rays;
    for (const ThreadCounters& c : counters) {
        rays.camera += c.values[0];
        rays.bounce += c.values[1] - c.values[0];
        rays.shadow += c.values[2];
        for (int d = 0; d < kMaxDepth; ++d) rays.depth[d] += c.values[3 + d];
    }
    return rays;
}

}  // namespace

void CpuCore::usePool(int wanted) {
    if (pool && threads == wanted) return;
    pool.reset();  // two at once would be more threads than were asked for
    pool = std::make_unique<ThreadPool>(wanted);
    threads = wanted;
}

void CpuSession::clearPixels() {
    std::fill_n(film().pixels, static_cast<size_t>(film().width) * film().height, Pixel{});
    recent_.clear(film());
}

FrameStats CpuSession::finish() {
    if (!watched()) recent_.addAll(film());  // a watched film may be OpenGL's now
    return {};
}

void CpuSession::emptied() {
    if (film().rest != nullptr)
        std::fill_n(film().rest, static_cast<size_t>(film().width) * film().height, Pixel{});
}

void CpuCore::setScene(const SharedScene& wanted) {
    scene.set(wanted);
    takeScene();
}

void CpuCore::takeScene() {
    baked = bakedTextOf(scene.scene());
    bakedId = bakedIdOf(baked);
    rows = hasRows(scene.outline());
}

Variant CpuCore::derived(const Settings& settings) const {
    Variant v = kernelVariant(settings, scene.traits(), bakedId);
    const bool scans = v.engine == Engine::packets && v.accel == Accel::brute;
    if (scans && v.scan == Scan::rows && !rows) v.scan = Scan::listed;
    return settings.source == kBuiltIn ? prebuiltWithoutCompiler(v, baked) : v;
}

bool CpuCore::usable(const HostKernel& kernel, const Variant& wanted,
                     const Settings& settings) const {
    const Variant& v = kernel.variant();
    return kernel.runs() && kernel.request().source == settings.source &&
           covers(v.traits, kernelTraits(v.sceneMemory, wanted.traits, bakedId)) &&
           v.regeneration == wanted.regeneration && v.vertexPrecision == wanted.vertexPrecision &&
           (v.path != Path::stack || settings.depth <= v.stackLevels);
}

KernelInfo CpuSession::kernel() const {
    KernelInfo info;
    if (choice_.active) {
        const BuildRequest& request = choice_.active->request();
        info.variant = request.variant;
        info.source = request.source;
        info.sourcesVersion = request.version;
        for (const std::string& flag : hostFlags(request.variant))
            info.name += (info.name.empty() ? "" : " ") + flag;
        if (const auto version = request.program.compiler->version())
            info.name = *version + " " + info.name;
        info.compileMs = choice_.active->compiled().compileMs;
        info.cached = info.compileMs == 0;
    }
    info.ready = choice_.ready && !packing_;
    info.packing = packing_;
    info.compileLog = choice_.compileLog;
    return info;
}

/// In a window, begins with a kernel for any scene, if one has been made with the program, while
/// the scene's own is compiled.
void CpuSession::startWithAnyScene(const Variant& wanted) {
    Variant any = forAnyScene(wanted);
    for (const HostCompiler compiler : {HostCompiler::gcc, HostCompiler::clang}) {
        any.compiler = compiler;  // whichever it was made with
        const BuildRequest request = core_->requestFor(any, kBuiltIn);
        std::optional<CompiledKernel> found =
            loadCached(KernelCache::common(), request.program, sourcesOf(request));
        if (!found) continue;
        choice_.active = std::make_shared<HostKernel>(BuildResult{request, *std::move(found)});
        return;
    }
}

/// Whether there is a kernel to launch, and the scene is packed for it.
bool CpuSession::chooseKernel(double& leftMs) {
    const Clock::time_point start = Clock::now();
    const Variant wanted = core_->derived(settings_);
    const bool packed = core_->scene.ready(wanted, settings_.hierarchy, leftMs);
    packing_ = !packed;
    if (!packed) return false;
    const std::shared_ptr<HostKernel> before = choice_.active;
    leftMs -= millisecondsSince(start);
    const BuildRequest request = core_->requestFor(wanted, settings_.source);
    if (watched() && !choice_.active && settings_.source == kBuiltIn &&
        core_->kernels.loaded([&](const HostKernel& k) { return k.request() == request; }) ==
            nullptr)
        startWithAnyScene(wanted);
    const bool chosen = core_->kernels.choose(
        request,
        {.refused = rayscope::unsupported(settings_, core_->scene.outline()),
         .usable = [&](const HostKernel& k) { return core_->usable(k, wanted, settings_); }},
        choice_, leftMs);
    if (before && before != choice_.active) leave(*before);
    return chosen && core_->scene.ready(variant(), settings_.hierarchy, leftMs);
}

FrameStats CpuSession::advance(const Settings& settings, const Camera& camera, double budgetMs) {
    core_->usePool(settings.threads);
    settings_ = settings;
    const Clock::time_point start = Clock::now();
    double left = budgetMs;
    FrameStats stats;
    if (!chooseKernel(left)) return stats;
    settings_.variant = variant();
    takeSpeed(settings);
    for (int i = 0; i < settings.launches && !done(); ++i) {
        left = budgetMs - millisecondsSince(start);
        if (i > 0 && left <= 0) break;
        if (pass().samples == 0) {
            beginPass(samplesOfPass(budgetMs));
            const int after = film().samples + pass().samples;
            recent_.begin(film(), pass().samples, after == target());
        }
        stats += variant().precision == Precision::float32 ? renderPass<float>(camera, left)
                                                           : renderPass<double>(camera, left);
        if (!choice_.active) return stats;
    }
    ++choice_.active->launches;
    core_->last = choice_.active;
    return stats;
}

/// Forgets the speed if it was measured with another scene or other settings.
void CpuSession::takeSpeed(const Settings& settings) {
    Settings wanted = settings;
    wanted.samples = wanted.launches = 0;
    if (measured_ == wanted && timed_ == choice_.active.get() && scene_ == core_->scene.version())
        return;
    measured_ = wanted;
    timed_ = choice_.active.get();
    scene_ = core_->scene.version();
    msPerPixelSample_ = 0;
    patienceMs_ = kPatienceMs;
}

/// `done` of the pieces' `all` pixels, some of which lie outside of the film, took `ms`.
void CpuSession::learnSpeed(double ms, int done, int all) {
    if (done == 0) return;
    const double coreMs = ms * std::min(core_->coresAtWork(), done);
    const double inFilm = 1. * film().width * film().height / all;
    msPerPixelSample_ = coreMs / (done * inFilm) / pass().samples;
}

/// Samples per pixel of the next pass: as many as asked for. For a watched film, as many as let
/// every thread finish a piece within the budget; one while the speed is unknown.
int CpuSession::samplesOfPass(double budgetMs) const {
    if (!watched() || !passesMayBeCut(settings_.variant)) return settings_.samples;
    const double ms = kPiecePixels * msPerPixelSample_ * core_->pool->size() / core_->coresAtWork();
    return ms > 0 ? howManyFit(settings_.samples, ms, budgetMs) : 1;
}

/// How many threads work on the pass: all of them. For a watched film, and with more threads than
/// cores, only as many as finish a piece each within the budget; and only one per core until the
/// first pass is done, because the speed is that of the view before.
int CpuSession::threadsFor(double budgetMs) const {
    if (!watched()) return core_->pool->size();
    if (film().samples == 0 || msPerPixelSample_ == 0) return core_->coresAtWork();
    const double ms = kPiecePixels * msPerPixelSample_ * pass().samples / core_->coresAtWork();
    return std::max(core_->coresAtWork(), howManyFit(core_->pool->size(), ms, budgetMs));
}

/// What threads do until the pass ends or the budget is used up. For a watched film of many spheres
/// without a hierarchy they take one pixel at a time: after a piece of sky in 0.1 s, the next can
/// take seconds.
PassPlan CpuSession::planOf(double budgetMs) const {
    const Variant& v = settings_.variant;
    PassPlan plan;
    plan.order = v.order;
    plan.width = film().width;
    plan.height = film().height;
    plan.begin = pass().cursor;
    plan.end = Pieces(v.order, film().width, film().height).end();
    plan.threads = threadsFor(budgetMs);
    plan.wholePieces = !passesMayBeCut(v);
    plan.singlePixels =
        watched() && v.accel == Accel::brute && shapeCount(core_->scene.outline()) > kManySpheres;
    plan.msPerPixel = msPerPixelSample_ * pass().samples;
    plan.budgetMs = budgetMs;
    plan.start = Clock::now();
    return plan;
}

/// Renders pieces until the pass ends or the next one would exceed the budget, but at least one, so
/// that the slowest variant gets on. The cursor is a pixel's number in Pieces.
template <class Real>
FrameStats CpuSession::renderPass(const Camera& camera, double budgetMs) {
    LaunchParams<Real> launch =
        launchParams<Real>(settings_, core_->scene.scene(), camera, film(), pass());
    launch.film = recent_.target(film());
    if (choice_.active->apart() != nullptr) return renderApart(launch, budgetMs);
    const RenderRectangle<Real> render = engines_.prepare(
        *choice_.active, settings_.hierarchy, core_->scene, core_->pool->size(), launch);
    const Zone zone("launch");
    const PassPlan plan = planOf(budgetMs);
    std::atomic<int> next{plan.begin};
    std::vector<ThreadCounters> counters(core_->pool->size());
    const WorkTime time = core_->pool->run([&](int thread) {
        LaunchParams<Real> mine = launch;
        mine.counters = counters[thread].values;
        renderPieces(plan, next, mine, thread, [&](const LaunchParams<Real>& piece) {
            render(piece, thread);
            recent_.rendered(film(), piece.x0, piece.y0, piece.x1, piece.y1);
        });
    });
    return rendered(time, counters, next);
}

/// Pieces are done, up to `next`.
FrameStats CpuSession::rendered(const WorkTime& time, const std::vector<ThreadCounters>& counters,
                                int next) {
    FrameStats stats;
    stats.kernelMs = stats.timedMs = time.wallMs;
    stats.processorMs = time.processorMs / core_->coresAtWork();
    if (core_->pool->size() <= coreCount()) stats.waitedMs = time.waitedMs / core_->coresAtWork();
    stats.rays = sum(counters);
    stats.timedRays = stats.rays.total();
    stats.launches = 1;
    stats.buildMs = core_->scene.buildMs();
    stats.hierarchyBytes = core_->scene.hierarchyBytes();
    const int end = Pieces(settings_.variant.order, film().width, film().height).end();
    learnSpeed(stats.kernelMs, next - pass().cursor, end);
    movePass(next, end);
    if (pass().samples == 0) recent_.end();
    return stats;
}

void CpuSession::exchangeMemory(Session& other) {
    if (auto* const cpu = dynamic_cast<CpuSession*>(&other)) engines_.exchangeMemory(cpu->engines_);
}

CpuSession::~CpuSession() {
    if (choice_.active) leave(*choice_.active);
}

/// Another kernel renders from now on; a late pass of this one, which may never end, goes with its
/// process.
void CpuSession::leave(const HostKernel& kernel) {
    if (kernel.apart() != nullptr && kernel.apart()->busy()) kernel.apart()->rest();
}

/// How many pixels an edited kernel may come to within the budget: what is beyond need not be
/// copied to its memory and back.
int CpuSession::pixelsWithin(const PassPlan& plan) const {
    constexpr double kMargin = 1.5;
    if (!watched()) return plan.end - plan.begin;
    double count = 0;
    if (plan.msPerPixel > 0)
        count = kMargin * plan.budgetMs * core_->coresAtWork() / plan.msPerPixel;
    count += plan.threads * kPiecePixels;
    return static_cast<int>(std::min<double>(count, plan.end - plan.begin));
}

/// As renderPass(), with a kernel that is not in this process. A film that is watched waits for a
/// late pass only so long, which it then gives up; longer each time, as the next may end.
template <class Real>
FrameStats CpuSession::renderApart(const LaunchParams<Real>& launch, double budgetMs) {
    constexpr double kStallMs = 5e3, kStallUnwatchedMs = 20e3, kAny = 1e9;
    const std::shared_ptr<HostKernel> kernel = choice_.active;
    ApartKernel& apart = *kernel->apart();
    core_->keepFew(kernel);
    ApartKernel::Work<Real> work;
    work.plan = planOf(budgetMs);
    work.plan.end = work.plan.begin + pixelsWithin(work.plan);
    work.launch = launch;
    work.scene = &core_->scene;
    work.hierarchy = settings_.hierarchy;
    work.engines = &engines_;
    work.film = launch.film;
    work.threads = core_->pool->size();
    work.waitMs = watched() ? std::max(patienceMs_, budgetMs) : kAny;
    work.stallMs = watched() ? kStallMs : kStallUnwatchedMs;
    const bool late = apart.busy();
    const std::optional<ApartKernel::Done> done = apart.render(work);
    if (done) {
        Pieces(work.plan.order, work.plan.width, work.plan.height)
            .each(work.plan.begin, done->pass.next, [&](int x0, int y0, int x1, int y1) {
                recent_.rendered(film(), x0, y0, x1, y1);
            });
        return rendered(done->pass.time, done->counters, done->pass.next);
    }
    if (!apart.dead().empty()) {
        choice_.compileLog =
            fmt::format("source={}: its kernel {}",
                        sourceValues()[static_cast<size_t>(settings_.source)].id, apart.dead());
        choice_.ready = false;
        core_->kernels.giveUp(*kernel, choice_.compileLog);
        choice_.active.reset();
    } else if (!late) {
        patienceMs_ = std::min(2 * patienceMs_, kStallMs);
    }
    return {};
}

/// Processes of edited kernels that others have taken the place of end.
void CpuCore::keepFew(const std::shared_ptr<HostKernel>& kernel) {
    constexpr size_t kMost = 3;  // what is compared, and another
    std::erase_if(apart,
                  [&](const auto& other) { return other.expired() || other.lock() == kernel; });
    apart.insert(apart.begin(), kernel);
    for (; apart.size() > kMost; apart.pop_back())
        if (const auto oldest = apart.back().lock()) oldest->apart()->rest();
}

}  // namespace rayscope
