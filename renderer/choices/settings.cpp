#include "renderer/choices/settings.h"

#include <algorithm>

#include "renderer/choices/axes.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace {

/// Numbers of spheres from which a hierarchy is faster. On the CPU, vector code that tries all
/// keeps up to about 450 (measured on parts of weekend); a GPU thread tries them one by one.
constexpr size_t kBvhSpheresCpu = 450;
constexpr size_t kBvhSpheresCuda = 100;
/// Number of spheres from which a packet's scan pays (measured on field-N and grid-N).
constexpr size_t kScanSpheres = 16;

}  // namespace

Settings defaultSettings(Backend backend, const Scene& scene) {
    Settings s;
    s.backend = backend;
    s.depth = scene.depth;
    s.moves = scene.simulation.has_value();
    s.triangles = !scene.meshes.empty();
    const size_t bvhSpheres = backend == Backend::cpu ? kBvhSpheresCpu : kBvhSpheresCuda;
    if (scene.spheres.size() >= bvhSpheres || isOfTriangles(scene)) s.variant.accel = Accel::bvh;
    if (backend == Backend::cpu) {
        s.display = Display::host;
        s.variant.math = Math::precise;
        s.variant.sceneMemory = SceneMemory::global;
        s.variant.compaction = Compaction::host;
        // six arrays of a power of two each share few lines of the cache: vt9 is 1.15 times as
        // fast, cornell 1.29, weekend 1.05 (engine=wavefront on Zen 4)
        s.variant.sampleLayout = SampleLayout::aos;
        s.bodyLayout = BodyLayout::soa;  // vectors are loaded without a shuffle
        constexpr unsigned kSky = kGradientSky | kPowerSky | kPictureSky;
        if (!(traitsOf(scene).features & kSky)) s.variant.lanesTake = LanesTake::rays;
        if (scene.spheres.size() < kScanSpheres) s.variant.scan = Scan::each;
        s.samples = 4;  // amortises the fixed cost of a pixel; a pass may take several frames
        return s;
    }
    s.variant.traversal = hasPlaces(scene) ? Traversal::whileWhile : Traversal::speculative;
    s.variant.sceneLayout = SceneLayout::aos;  // one wide load per sphere: 6 % faster on an H200
    // the lanes of a warp are at different nodes, and constant memory serves one address at a time
    if (s.variant.accel == Accel::bvh) {
        s.variant.sceneMemory = SceneMemory::global;
        if (s.moves) s.hierarchy = Hierarchy::lbvh;  // what the host builds waits for positions
    }
    return s;
}

ForceVariant forceVariant(const Settings& settings) {
    constexpr int kUntiledThreads = 128;  // a block of the published kernel
    const Settings s = canonical(settings);
    const int tile = s.forces == Forces::untiled ? kUntiledThreads : s.bodyTile;
    return {s.forces, tile, s.bodyLayout, s.variant.precision, s.variant.math};
}

bool worksOnHost(const Settings& settings) {
    return settings.backend == Backend::cpu || settings.variant.engine == Engine::hybrid;
}

Settings withBackend(const Settings& settings, Backend backend, const Scene& scene) {
    if (settings.backend == backend) return settings;
    const Settings fresh = defaultSettings(backend, scene);
    Settings result = settings;
    result.backend = backend;
    result.display = fresh.display;
    result.samples = fresh.samples;
    result.bodyLayout = fresh.bodyLayout;
    result.variant.traversal = fresh.variant.traversal;
    result.variant.math = fresh.variant.math;
    result.variant.sceneMemory = fresh.variant.sceneMemory;
    result.variant.sampleLayout = fresh.variant.sampleLayout;
    if (unsupported(result, scene).empty()) return result;
    result.variant.engine = fresh.variant.engine;
    if (unsupported(result, scene).empty()) return result;
    result.variant = fresh.variant;
    return result;
}

Settings carriedOver(const Settings& settings, const Settings& old, const Settings& fresh,
                     const Scene& scene) {
    Settings result = settings;
    for (const Axis& axis : axes()) {
        if (axis.get(settings) == axis.get(old)) axis.set(result, axis.get(fresh));
    }
    result.depth = scene.depth;
    result.moves = fresh.moves;
    result.triangles = fresh.triangles;
    return result;
}

Settings forScene(const Settings& settings, const Scene& before, const Scene& after,
                  std::string* reason) {
    return possible(carriedOver(settings, defaultSettings(settings.backend, before),
                                defaultSettings(settings.backend, after), after),
                    after, reason);
}

bool resetsFilm(const Settings& before, const Settings& after) {
    const auto meant = [](const Axis& axis, const Settings& settings) {
        return axis.get(axis.matters(settings) ? settings : Settings{});
    };
    return before.seed != after.seed ||
           std::any_of(axes().begin(), axes().end(), [&](const Axis& axis) {
               return axis.effect == Effect::picture && meant(axis, before) != meant(axis, after);
           });
}

bool changesPaths(const Settings& before, const Settings& after) {
    return std::any_of(axes().begin(), axes().end(), [&](const Axis& axis) {
        return axis.effect >= Effect::paths && axis.matters(after) &&
               axis.get(before) != axis.get(after);
    });
}

bool resetsTiming(const Settings& before, const Settings& after) {
    return !(before == after);
}

}  // namespace rayscope
