#include "renderer/cpu/embree_scene.h"

#ifdef RAYSCOPE_EMBREE
#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "renderer/base/elapsed.h"
#include "renderer/core/intersect.h"
#include "renderer/scene/bvh.h"

namespace rayscope {

namespace {

constexpr unsigned kTriangleGeometry = 0,
                   kSphereGeometry = 1;  ///< Embree's numbers of the geometries

/// What callbacks need of a ray beside what Embree has.
struct RayContext {
    RTCIntersectContext embree;
    ShapeId from, except;
};

RayContext contextOf(ShapeId from, ShapeId except) {
    RayContext context{{}, from, except};
    rtcInitIntersectContext(&context.embree);
    return context;
}

const RayContext& ours(const RTCIntersectContext* context) {
    return *reinterpret_cast<const RayContext*>(context);
}

RTCRay embreeRay(const Ray<float>& ray, float tMin, float distance) {
    const auto& [o, d, from] = ray;
    return {o.x, o.y, o.z, tMin, d.x, d.y, d.z, 0, distance, ~0u, 0, 0};
}

/// A shadow ray passes the triangle that it leaves, and the lamp that it goes to.
void passTriangles(const RTCFilterFunctionNArguments* a) {
    const ShapeId id = kTriangleShape + static_cast<int>(RTCHitN_primID(a->hit, a->N, 0));
    const RayContext& context = ours(a->context);
    if (id == context.from || id == context.except) a->valid[0] = 0;
}

constexpr Variant sphereVariant(bool walls) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.traits.features = walls ? kAllFeatures : kAllFeatures & ~kWalls;
    return v;
}

/// The spheres as our kernels have them, which Embree asks for hits with their boxes.
class Spheres {
public:
    explicit Spheres(const Scene& scene)
        : walls_(traitsOf(scene).features & kWalls), boxes_(boxesOf(scene)) {
        Scene spheres = scene;
        spheres.meshes.clear();
        packed_ = packScene<float>(spheres, SceneLayout::aos);
        params_ = sceneParams<float>(spheres, false);
    }

    /// Distance to a sphere; a miss is not > tMin.
    float distance(int i, const RTCRay& r, ShapeId from) const {
        const Ray<float> ray{{r.org_x, r.org_y, r.org_z}, {r.dir_x, r.dir_y, r.dir_z}, from};
        return walls_ ? distanceBy<sphereVariant(true)>(i, ray, r.tnear)
                      : distanceBy<sphereVariant(false)>(i, ray, r.tnear);
    }
    /// Wider by what rounding adds to a sphere's radius (slackAt(), core/bvh.h).
    RTCBounds bounds(int i) const {
        const Box& box = boxes_[i];
        double reach = 0;
        for (int a = 0; a < 3; ++a)
            reach = std::max({reach, std::abs(box.low[a]), std::abs(box.high[a])});
        const double slack = reach * 0x1p-16;
        const auto low = [&](int a) { return static_cast<float>(box.low[a] - slack); };
        const auto high = [&](int a) { return static_cast<float>(box.high[a] + slack); };
        return {low(0), low(1), low(2), 0, high(0), high(1), high(2), 0};
    }

private:
    template <Variant V>
    float distanceBy(int i, const Ray<float>& ray, float tMin) const {
        const SceneView<float, V> view{packed_.data(), params_};
        const Crossing<float> x = crossingOf<V>(view.geometryOf(i), i, ray);
        if (!(x.discriminant >= 0)) return -1;
        return nearestRoot<SceneView<float, V>::kCurved>(x, tMin);
    }

    bool walls_;
    std::vector<Box> boxes_;
    PackedScene packed_;
    SceneParams<float> params_;
};

/// The nearest root beyond tnear, as closestSphereBy() keeps it.
void meetSphere(const RTCIntersectFunctionNArguments* a) {
    if (a->valid[0] == 0) return;
    auto* const r = reinterpret_cast<RTCRayHit*>(a->rayhit);
    const auto& spheres = *static_cast<const Spheres*>(a->geometryUserPtr);
    const int i = static_cast<int>(a->primID);
    const float t = spheres.distance(i, r->ray, ours(a->context).from);
    if (!(t > r->ray.tnear && t < r->ray.tfar)) return;
    r->ray.tfar = t;
    r->hit.geomID = a->geomID;
    r->hit.primID = a->primID;
}

void meetSphereInTheWay(const RTCOccludedFunctionNArguments* a) {
    if (a->valid[0] == 0) return;
    auto* const r = reinterpret_cast<RTCRay*>(a->ray);
    const auto& spheres = *static_cast<const Spheres*>(a->geometryUserPtr);
    const int i = static_cast<int>(a->primID);
    const RayContext& context = ours(a->context);
    const float t = spheres.distance(i, *r, context.from);
    if (t > r->tnear && t < r->tfar && i != context.except)
        r->tfar = -std::numeric_limits<float>::infinity();
}

class EmbreeScene : public PeerScene {
public:
    explicit EmbreeScene(const Scene& scene) {
        const Clock::time_point start = Clock::now();
        rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_HIGH);
        addTriangles(scene);
        if (!scene.spheres.empty()) addSpheres(scene);
        rtcCommitScene(scene_);
        if (const RTCError error = rtcGetDeviceError(device_); error != RTC_ERROR_NONE)
            throw std::runtime_error(
                fmt::format("Embree did not build the scene: error {}", static_cast<int>(error)));
        buildMs_ = millisecondsSince(start);
        search_ = {&closest, &occluded, scene_};
    }
    EmbreeScene(const EmbreeScene&) = delete;
    EmbreeScene& operator=(const EmbreeScene&) = delete;
    ~EmbreeScene() override {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }

    const PeerSearch& search() const override { return search_; }
    double buildMs() const override { return buildMs_; }

private:
    void attach(RTCGeometry geometry, unsigned number) {
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(scene_, geometry, number);
        rtcReleaseGeometry(geometry);
    }

    /// All meshes as one, so that a triangle's number is ours.
    void addTriangles(const Scene& scene) {
        std::size_t corners = 0;
        for (const SceneMesh& m : scene.meshes) corners += m.mesh->corners.size();
        const auto faces = static_cast<std::size_t>(triangleCount(scene));
        if (faces == 0) return;
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        auto* point = static_cast<float*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), corners));
        auto* number = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), faces));
        if (point == nullptr || number == nullptr) throw std::bad_alloc();
        unsigned first = 0;
        for (const SceneMesh& m : scene.meshes) {
            for (const glm::vec3& c : m.mesh->corners) {
                for (int a = 0; a < 3; ++a) *point++ = c[a];
            }
            for (const Triangle& face : m.mesh->faces) {
                for (const int c : face.corners) *number++ = first + static_cast<unsigned>(c);
            }
            first += static_cast<unsigned>(m.mesh->corners.size());
        }
        rtcSetGeometryOccludedFilterFunction(geometry, passTriangles);
        attach(geometry, kTriangleGeometry);
    }

    void addSpheres(const Scene& scene) {
        spheres_ = std::make_unique<Spheres>(scene);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(scene.spheres.size()));
        rtcSetGeometryUserData(geometry, spheres_.get());
        rtcSetGeometryBoundsFunction(
            geometry,
            [](const RTCBoundsFunctionArguments* a) {
                const auto& spheres = *static_cast<const Spheres*>(a->geometryUserPtr);
                *a->bounds_o = spheres.bounds(static_cast<int>(a->primID));
            },
            nullptr);
        rtcSetGeometryIntersectFunction(geometry, meetSphere);
        rtcSetGeometryOccludedFunction(geometry, meetSphereInTheWay);
        attach(geometry, kSphereGeometry);
    }

    /// A ray that leaves a triangle and meets it again goes on behind it: cheaper than to ask for
    /// every hit whether it counts.
    static Hit<float> closest(const void* scene, const Ray<float>& ray, float tMin, float tMax) {
        RayContext context = contextOf(ray.from, kNoShape);
        RTCRayHit r;
        r.ray = embreeRay(ray, tMin, tMax);
        while (true) {
            r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(static_cast<RTCScene>(const_cast<void*>(scene)), &context.embree, &r);
            if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {tMax, kNoShape};
            const int number = static_cast<int>(r.hit.primID);
            const ShapeId id = r.hit.geomID == kTriangleGeometry ? kTriangleShape + number : number;
            if (id != ray.from || r.hit.geomID == kSphereGeometry) return {r.ray.tfar, id};
            r.ray.tnear = std::nextafter(r.ray.tfar, tMax);
            r.ray.tfar = tMax;
        }
    }

    static bool occluded(const void* scene, const Ray<float>& ray, float tMin, float distance,
                         ShapeId except) {
        RayContext context = contextOf(ray.from, except);
        RTCRay r = embreeRay(ray, tMin, distance);
        rtcOccluded1(static_cast<RTCScene>(const_cast<void*>(scene)), &context.embree, &r);
        return r.tfar < 0;
    }

    RTCDevice device_ = rtcNewDevice(nullptr);
    RTCScene scene_ = rtcNewScene(device_);
    std::unique_ptr<Spheres> spheres_;
    PeerSearch search_{};
    double buildMs_ = 0;
};

}  // namespace

bool hasEmbree() {
    return true;
}

std::unique_ptr<PeerScene> embreeScene(const Scene& scene) {
    return std::make_unique<EmbreeScene>(scene);
}

}  // namespace rayscope

#else

namespace rayscope {

bool hasEmbree() {
    return false;
}

std::unique_ptr<PeerScene> embreeScene(const Scene&) {
    return nullptr;
}

}  // namespace rayscope
#endif
