// Embree 3 beside our own searches: how many rays of our paths a core finds the nearest hit of in a
// second, primary rays and the first diffuse bounces. All find hits in the same rays by turns, so
// that whatever else the machine does meets all alike; time is the thread's processor time.
//
//     ninja -C build peer_embree && build/tests/peer_embree [SECONDS A ROW]

#include <embree3/rtcore.h>
#include <fmt/format.h>
#include <time.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "renderer/backend/renderer.h"
#include "renderer/base/subnormals.h"
#include "renderer/core/path.h"
#include "renderer/cpu/packet_search.h"
#include "renderer/cpu/packet_tree.h"
#include "renderer/lab/statistics.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

constexpr int kFilmWidth = 640, kFilmHeight = 360;
constexpr int kPacket = 16;
static_assert(kPacket % kWidth == 0);

constexpr Variant hostVariant(Engine engine, Accel accel) {
    Variant v;
    v.engine = engine;
    v.sceneLayout = SceneLayout::soa;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.accel = accel;
    v.traits.features = kCpuFeatures[1];
    return v;
}
constexpr Variant kOne = hostVariant(Engine::megakernel, Accel::bvh),
                  kTree = hostVariant(Engine::packets, Accel::bvh),
                  kGrid = hostVariant(Engine::packets, Accel::grid);

/// Rays in packets of kPacket, as many as are whole.
struct Rays {
    std::vector<Ray<float>> rays;
    RTCIntersectContextFlags order;
    size_t size() const { return rays.size() / kPacket * kPacket; }
};

/// The packed scene, and what the kernels get.
struct Packed {
    Packed(const Scene& scene, Accel accel)
        : bytes(packScene<float>(scene, SceneLayout::soa, accel)) {
        Settings settings = defaultSettings(Backend::cpu, scene);
        settings.variant = kOne;
        settings.variant.accel = accel;
        const Film film{kFilmWidth, kFilmHeight, nullptr};
        launch = launchParams<float>(settings, scene, scene.camera, film, {1});
        launch.scene = bytes.data();
        if ((traitsOf(scene).features & ~kCpuFeatures[1]) != 0)
            throw std::runtime_error("the scene has materials that this program does not know");
        if (accel == Accel::bvh) tree = packetTree(structure(), launch.params.paddedCount);
    }
    const void* structure() const {
        const int spheres = launch.params.paddedCount;
        return launch.scene + spheres * sphereBytes<float>(SceneLayout::soa, false);
    }
    PackedScene bytes, tree;
    LaunchParams<float> launch;
};

/// The camera rays of all pixels and, of those that meet a diffuse surface, the next ones.
void record(const Packed& packed, Rays& primary, Rays& bounces) {
    const LaunchParams<float>& launch = packed.launch;
    const SceneView<float, kOne> view{launch.scene, launch.params};
    constexpr int kTile = 16;
    for (int i = 0; i < kFilmWidth * kFilmHeight; ++i) {  // in tiles, as the engines take pixels
        const int tile = i / (kTile * kTile), in = i % (kTile * kTile);
        const int x = tile % (kFilmWidth / kTile) * kTile + in % kTile;
        const int y = tile / (kFilmWidth / kTile) * kTile + in / kTile;
        if (y >= kFilmHeight) continue;
        Rng rng = makeRng(y * kFilmWidth + x, 0, launch.seed);
        const Ray<float> ray = cameraRay<kOne>(launch, x, y, 0, rng);
        primary.rays.push_back(ray);
        const Hit<float> hit = closestHit(view, ray);
        if (hit.shape < 0) continue;
        if (surfaceAt(view, ray, hit).material.kind != MaterialKind::lambert) continue;
        CountsOf<kOne> counts;
        const Vertex<float> v = vertexAt(view, ray, hit, PathState<Rng>{&rng, 0, false}, 2, counts);
        if (v.alive) bounces.rays.push_back(v.next);
    }
}

/// Hits, and the sum of their distances: what the searches must agree in.
struct Found {
    long long hits = 0;
    double distances = 0;
    void add(float distance) {
        ++hits;
        distances += distance;
    }
};

Found byOne(const Packed& packed, const Rays& rays) {
    const SceneView<float, kOne> view{packed.launch.scene, packed.launch.params};
    Found found;
    for (size_t i = 0; i < rays.size(); ++i) {
        const Hit<float> hit = closestHit(view, rays.rays[i]);
        if (hit.shape >= 0) found.add(hit.distance);
    }
    return found;
}

/// Component by component, for a packet to load.
struct Lanes {
    explicit Lanes(const Rays& rays) {
        for (size_t i = 0; i < rays.size(); ++i) {
            const Ray<float>& r = rays.rays[i];
            const float of[6] = {r.origin.x,    r.origin.y,    r.origin.z,
                                 r.direction.x, r.direction.y, r.direction.z};
            for (int k = 0; k < 6; ++k) component[k].push_back(of[k]);
            from.push_back(r.from);
        }
    }
    std::vector<float> component[6];
    std::vector<int> from;
};

template <Variant V>
Found byPackets(const Packed& packed, const Lanes& rays) {
    const SceneParams<float>& p = packed.launch.params;
    SceneParams<Floats> params{};
    params.sphereCount = p.sphereCount;
    params.tMin = p.tMin;
    params.tMax = p.tMax;
    params.accel = V.accel;
    const void* const structure = packed.tree.empty() ? packed.structure() : packed.tree.data();
    const PacketScene scene{
        .count = p.sphereCount, .padded = p.paddedCount, .structure = structure};
    const PacketView<V> view{{packed.launch.scene, params}, scene};
    Found found;
    for (size_t i = 0; i < rays.from.size(); i += kWidth) {
        const auto at = [&](int k) { return load(&rays.component[k][i]); };
        alignas(64) int from[kWidth];
        std::copy_n(&rays.from[i], kWidth, from);
        const Ray<Floats> ray{{at(0), at(1), at(2)},
                              {at(3), at(4), at(5)},
                              asWords(load(reinterpret_cast<float*>(from)))};
        const Hit<Floats> hit = closestHit(view, ray, Mask(true));
        alignas(64) float distance[kWidth];
        store(distance, hit.distance);
        for (unsigned left = (hit.shape >= 0).bits(); left != 0; left &= left - 1)
            found.add(distance[__builtin_ctz(left)]);
    }
    return found;
}

/// The spheres as Embree's points.
class Embree {
public:
    explicit Embree(const Scene& scene) {
        rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_HIGH);
        RTCGeometry points = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_SPHERE_POINT);
        auto* at = static_cast<float*>(rtcSetNewGeometryBuffer(points, RTC_BUFFER_TYPE_VERTEX, 0,
                                                               RTC_FORMAT_FLOAT4, 4 * sizeof(float),
                                                               scene.spheres.size()));
        for (const Sphere& s : scene.spheres) {
            for (const double value : {s.center.x, s.center.y, s.center.z, s.radius})
                *at++ = static_cast<float>(value);
        }
        rtcCommitGeometry(points);
        rtcAttachGeometry(scene_, points);
        rtcReleaseGeometry(points);
        rtcCommitScene(scene_);
        if (rtcGetDeviceError(device_) != RTC_ERROR_NONE)
            throw std::runtime_error("Embree did not build the scene");
    }
    Embree(const Embree&) = delete;
    ~Embree() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }

    Found byOne(const Rays& rays, float tMin) const {
        RTCIntersectContext context = contextOf(rays);
        Found found;
        for (size_t i = 0; i < rays.size(); ++i) {
            const auto& [o, d, from] = rays.rays[i];
            RTCRayHit r;
            r.ray = {o.x, o.y, o.z, tMin, d.x, d.y, d.z, 0, kFar, ~0u, 0, 0};
            r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(scene_, &context, &r);
            if (r.hit.geomID != RTC_INVALID_GEOMETRY_ID) found.add(r.ray.tfar);
        }
        return found;
    }

    Found byPackets(const Lanes& rays, const Rays& of, float tMin) const {
        alignas(64) int valid[kPacket];
        std::fill_n(valid, kPacket, -1);
        RTCIntersectContext context = contextOf(of);
        Found found;
        for (size_t i = 0; i < rays.from.size(); i += kPacket) {
            RTCRayHit16 r;
            float* const to[6] = {r.ray.org_x, r.ray.org_y, r.ray.org_z,
                                  r.ray.dir_x, r.ray.dir_y, r.ray.dir_z};
            for (int k = 0; k < 6; ++k) std::copy_n(&rays.component[k][i], kPacket, to[k]);
            std::fill_n(r.ray.tnear, kPacket, tMin);
            std::fill_n(r.ray.tfar, kPacket, kFar);
            std::fill_n(r.ray.time, kPacket, 0.f);
            std::fill_n(r.ray.mask, kPacket, ~0u);
            std::fill_n(r.ray.flags, kPacket, 0u);
            std::fill_n(r.hit.geomID, kPacket, RTC_INVALID_GEOMETRY_ID);
            rtcIntersect16(valid, scene_, &context, &r);
            for (int lane = 0; lane < kPacket; ++lane) {
                if (r.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID) found.add(r.ray.tfar[lane]);
            }
        }
        return found;
    }

private:
    static constexpr float kFar = 1e30f;
    static RTCIntersectContext contextOf(const Rays& rays) {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = rays.order;
        return context;
    }
    RTCDevice device_ = rtcNewDevice("threads=1");
    RTCScene scene_ = rtcNewScene(device_);
};

double processorSeconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Contestant {
    const char* name;
    std::function<Found()> find;
    std::vector<double> seconds = {};
};

/// Lets all find the hits by turns, for so many seconds; the first says what is right. Rounding
/// sends some rays that leave the ground past it, or back into it.
void race(std::vector<Contestant>& all, double seconds) {
    const Found right = all.front().find();
    for (double spent = 0; spent < seconds || all.front().seconds.size() < kFewestPairs;) {
        for (Contestant& c : all) {
            const double begin = processorSeconds();
            const Found found = c.find();
            c.seconds.push_back(processorSeconds() - begin);
            spent += c.seconds.back();
            const auto hits = static_cast<double>(right.hits);
            if (std::abs(static_cast<double>(found.hits - right.hits)) > .03 * hits ||
                std::abs(found.distances / right.distances - 1) > .03) {
                throw std::runtime_error(
                    fmt::format("{} finds {} hits, their distances sum up to {}, instead of {}, {}",
                                c.name, found.hits, found.distances, right.hits, right.distances));
            }
        }
    }
}

void print(const char* scene, const char* which, const Rays& rays,
           const std::vector<Contestant>& all) {
    fmt::print("{}, {} {} rays\n", scene, rays.size(), which);
    for (const Contestant& c : all) {
        std::vector<double> rates;
        for (const double s : c.seconds)
            rates.push_back(1e-6 * static_cast<double>(rays.size()) / s);
        const Estimate rate = estimateOf(rates);
        const Interval ratio = pairedRatio(all.front().seconds, c.seconds, .95);
        fmt::print("  {:<22} {:7.2f} \u00b1 {:4.2f} M rays/s  {:6.3f}x [{:.3f}, {:.3f}]\n", c.name,
                   rate.mean, 1.96 * rate.error, 1 / ratio.value, 1 / ratio.upper, 1 / ratio.lower);
    }
}

void measure(const char* name, double seconds) {
    const auto found = findScene(name);
    if (!found) throw std::runtime_error(found.reason());
    const Scene& scene = *found;
    const Packed packed(scene, Accel::bvh), cells(scene, Accel::grid);
    const Embree embree(scene);
    const float tMin = packed.launch.params.tMin;
    Rays primary{{}, RTC_INTERSECT_CONTEXT_FLAG_COHERENT},
        bounces{{}, RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT};
    record(packed, primary, bounces);
    for (const auto& [which, rays] : {std::pair("primary", &primary), {"bounce", &bounces}}) {
        const Lanes lanes(*rays);
        std::vector<Contestant> all{
            {"BVH, ray by ray", [&] { return byOne(packed, *rays); }},
            {"BVH, packets", [&] { return byPackets<kTree>(packed, lanes); }},
            {"grid, packets", [&] { return byPackets<kGrid>(cells, lanes); }},
            {"Embree, ray by ray", [&] { return embree.byOne(*rays, tMin); }},
            {"Embree, 16 rays", [&] { return embree.byPackets(lanes, *rays, tMin); }}};
        race(all, seconds);
        print(name, which, *rays, all);
    }
}

}  // namespace
}  // namespace rayscope

int main(int count, char** words) {
    rayscope::flushSubnormals();  // as all who trace on a CPU do
    const double seconds = count > 1 ? std::atof(words[1]) : 10;
    fmt::print("Embree {}, packets of {} lanes; a core, beside the first\n", RTC_VERSION_STRING,
               rayscope::kWidth);
    try {
        for (const char* scene : {"weekend", "field-1000", "field-10000", "field-100000"})
            rayscope::measure(scene, seconds);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
