#include "renderer/backend/session.h"

#include <algorithm>

#include "renderer/scene/bake.h"

namespace rayscope {

Rays& Rays::operator+=(const Rays& other) {
    camera += other.camera;
    bounce += other.bounce;
    shadow += other.shadow;
    for (int d = 0; d < kMaxDepth; ++d) depth[d] += other.depth[d];
    return *this;
}

double leastFill(double a, double b) {
    return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

FrameStats& FrameStats::operator+=(const FrameStats& other) {
    rays += other.rays;
    kernelMs += other.kernelMs;
    timedRays += other.timedRays;
    timedMs += other.timedMs;
    processorMs += other.processorMs;
    waitedMs += other.waitedMs;
    launches += other.launches;
    fill = leastFill(fill, other.fill);
    if (other.buildMs >= 0) buildMs = other.buildMs;
    if (other.hierarchyBytes > 0) hierarchyBytes = other.hierarchyBytes;
    return *this;
}

double GroupWork::raysPerSecondAlone() const {
    double sum = 0;
    for (const DeviceWork& device : devices)
        if (device.kernelMs > 0) sum += 1e3 * static_cast<double>(device.rays) / device.kernelMs;
    return sum;
}

double GroupWork::raysPerSecond() const {
    double rays = 0;
    for (const DeviceWork& device : devices) rays += static_cast<double>(device.rays);
    return wallMs > 0 ? 1e3 * rays / wallMs : 0;
}

double GroupWork::efficiency() const {
    const double alone = raysPerSecondAlone();
    return alone > 0 ? raysPerSecond() / alone : 0;
}

GroupWork& GroupWork::operator+=(const GroupWork& other) {
    wallMs += other.wallMs;
    if (devices.empty()) {
        devices = other.devices;
        return *this;
    }
    for (std::size_t i = 0; i < std::min(devices.size(), other.devices.size()); ++i) {
        devices[i].name = other.devices[i].name;
        devices[i].samples += other.devices[i].samples;
        devices[i].rays += other.devices[i].rays;
        devices[i].kernelMs += other.devices[i].kernelMs;
        devices[i].problem = other.devices[i].problem;
    }
    return *this;
}

template <class Real>
LaunchParams<Real> launchParams(const Settings& settings, const Scene& scene, const Camera& camera,
                                const Film& film, const FilmPass& pass) {
    LaunchParams<Real> p{};
    p.film = film.pixels;
    p.width = film.width;
    p.height = film.height;
    p.x1 = film.width;
    p.y1 = film.height;
    p.firstSample = film.samples + pass.skipped;
    p.samples = pass.samples;
    p.maxDepth = settings.depth;
    p.seed = settings.seed;
    p.camera = cameraParams<Real>(camera, film.width, film.height);
    p.camera.tent = scene.filter == Filter::tent;
    p.params = sceneParams<Real>(scene, settings.variant.lightSampling);
    if (settings.variant.roots == Roots::known) {
        const std::vector<int> found = spheresInDoubt(scene, camera, film.width, film.height);
        p.params.doubtfulCount = static_cast<int>(found.size());
        const size_t listed = std::min<size_t>(found.size(), kMaxDoubtful);
        std::copy_n(found.begin(), listed, p.params.doubtful);
    }
    return p;
}

template LaunchParams<float> launchParams(const Settings&, const Scene&, const Camera&, const Film&,
                                          const FilmPass&);
template LaunchParams<double> launchParams(const Settings&, const Scene&, const Camera&,
                                           const Film&, const FilmPass&);

int howManyFit(int wanted, double msOfOne, double ms) {
    if (wanted * msOfOne <= ms) return wanted;
    return std::max(1, static_cast<int>(ms / msOfOne));
}

bool passesMayBeCut(const Variant& v) {
    const bool budget = v.engine == Engine::regeneration && v.regeneration == Regeneration::budget;
    return v.random == Random::perPath && !budget;
}

void Session::clear() {
    clearPixels();
    film_.samples = 0;
    pass_ = {};
}

bool Session::abandonPass() {
    const bool some = pass_.cursor > 0;
    if (some) pass_.skipped += pass_.samples;
    pass_.samples = pass_.cursor = 0;
    return !some || film_.samples > 0;
}

void Session::beginPass(int samples) {
    if (pass_.samples > 0) return;
    pass_.samples = target_ > 0 ? std::min(samples, target_ - film_.samples) : samples;
    pass_.cursor = 0;
}

void Session::movePass(int cursor, int end) {
    pass_.cursor = cursor;
    if (cursor < end) return;
    film_.samples += pass_.samples;
    pass_.samples = pass_.cursor = 0;
}

}  // namespace rayscope
