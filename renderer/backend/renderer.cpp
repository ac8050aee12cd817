#include "renderer/backend/renderer.h"

#include <algorithm>

namespace rayscope {

Rays& Rays::operator+=(const Rays& other) {
    camera += other.camera;
    bounce += other.bounce;
    shadow += other.shadow;
    for (int d = 0; d < kMaxDepth; ++d) depth[d] += other.depth[d];
    return *this;
}

FrameStats& FrameStats::operator+=(const FrameStats& other) {
    rays += other.rays;
    kernelMs += other.kernelMs;
    timedRays += other.timedRays;
    timedMs += other.timedMs;
    launches += other.launches;
    return *this;
}

template <class Real>
LaunchParams<Real> launchParams(const Settings& settings, const Scene& scene, const Camera& camera,
                                const Film& film) {
    LaunchParams<Real> p{};
    p.film = film.pixels;
    p.width = film.width;
    p.height = film.height;
    p.pixelWidth = Real(1) / film.width;
    p.pixelHeight = Real(1) / film.height;
    p.x1 = film.width;
    p.y1 = film.height;
    p.firstSample = film.samples + film.skipped;
    p.samples = film.passSamples;
    p.maxDepth = settings.depth;
    p.seed = settings.seed;
    p.camera = cameraParams<Real>(camera, film.width, film.height);
    p.camera.tent = scene.filter == Filter::tent;
    p.params = sceneParams<Real>(scene, settings.variant.lightSampling);
    p.params.walked = settings.variant.accel == Accel::bvh;
    p.budgets = settings.variant.regeneration == Regeneration::budget;
    p.rowStreams = settings.variant.random == Random::perRow;
    return p;
}

template LaunchParams<float> launchParams(const Settings&, const Scene&, const Camera&,
                                          const Film&);
template LaunchParams<double> launchParams(const Settings&, const Scene&, const Camera&,
                                           const Film&);

void beginPass(int samples, Film& film) {
    if (film.passSamples > 0) return;
    const int left = film.target > 0 ? film.target - film.samples : samples;
    film.passSamples = std::min(samples, left);
    film.cursor = 0;
}

int howManyFit(int wanted, double msOfOne, double ms) {
    if (wanted * msOfOne <= ms) return wanted;
    return std::max(1, static_cast<int>(ms / msOfOne));
}

bool passesMayBeCut(const Variant& v) {
    const bool budget = v.engine == Engine::regeneration && v.regeneration == Regeneration::budget;
    return v.random == Random::perPath && !budget;
}

void endPass(Film& film) {
    film.samples += film.passSamples;
    film.passSamples = 0;
    film.cursor = 0;
}

void Renderer::giveHierarchy(const Bvh&) {}

CounterReaderOr Renderer::counterReader(const std::vector<std::string>&) {
    return "the hardware counters shown here are a GPU's: use backend=cuda";
}

}  // namespace rayscope
