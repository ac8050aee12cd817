#include "renderer/cpu/embree_scene.h"

#ifdef RAYSCOPE_EMBREE
#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "renderer/base/elapsed.h"
#include "renderer/base/stop.h"
#include "renderer/core/intersect.h"
#include "renderer/scene/bvh.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace {

/// Embree's number of the geometry that has the spheres; the others have triangles, or are
/// instances of scenes that have them.
constexpr unsigned kSphereGeometry = 0;

/// By Embree's number of a geometry of the scene, the number of its first triangle.
using FirstTriangles = std::vector<int>;

ShapeId triangleOf(const FirstTriangles& first, unsigned instance, unsigned geometry,
                   unsigned primitive) {
    const unsigned number = instance != RTC_INVALID_GEOMETRY_ID ? instance : geometry;
    return kTriangleShape + first[number] + static_cast<int>(primitive);
}

/// What callbacks need of a ray beside what Embree has.
struct RayContext {
    RTCIntersectContext embree;
    ShapeId from, except;
    const FirstTriangles* first;
    const Ray<float>* ray;
    PeerHoles holes;
};

RayContext contextOf(const Ray<float>& ray, ShapeId except, const FirstTriangles& first,
                     const PeerHoles& holes) {
    RayContext context{{}, ray.from, except, &first, &ray, holes};
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

ShapeId triangleMet(const RTCFilterFunctionNArguments* a) {
    return triangleOf(*ours(a->context).first, RTCHitN_instID(a->hit, a->N, 0, 0),
                      RTCHitN_geomID(a->hit, a->N, 0), RTCHitN_primID(a->hit, a->N, 0));
}

bool isHole(const RTCFilterFunctionNArguments* a, ShapeId id) {
    const RayContext& context = ours(a->context);
    return context.holes.isHole != nullptr &&
           context.holes.isHole(context.holes.scene, id, *context.ray,
                                RTCRayN_tfar(a->ray, a->N, 0));
}

/// A shadow ray passes the triangle that it leaves, the lamp that it goes to, and holes.
void passTriangles(const RTCFilterFunctionNArguments* a) {
    const RayContext& context = ours(a->context);
    const ShapeId id = triangleMet(a);
    if (id == context.from || id == context.except || isHole(a, id)) a->valid[0] = 0;
}

void passHoles(const RTCFilterFunctionNArguments* a) {
    if (isHole(a, triangleMet(a))) a->valid[0] = 0;
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
    explicit Spheres(const Scene& scene) : boxes_(boxesOfSpheres(scene)) {
        Scene spheres = scene;
        spheres.meshes.clear();
        walls_ = traitsOf(spheres).features & kWalls;
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

    bool walls_ = false;
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
    r->hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
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
    explicit EmbreeScene(const Scene& scene) : holes_((traitsOf(scene).features & kHoles) != 0) {
        const Clock::time_point start = Clock::now();
        begin(scene_);
        if (!scene.spheres.empty()) addSpheres(scene);
        addPieces(hasPlaces(scene) ? withLampsFlattened(scene) : scene);
        const auto goOn = [](void*, double) { return !toStop(); };
        rtcSetSceneProgressMonitorFunction(scene_, goOn, nullptr);
        rtcCommitScene(scene_);
        if (toStop()) {
            rtcReleaseScene(scene_);
            rtcReleaseDevice(device_);
            throw Stopped();
        }
        rtcSetSceneProgressMonitorFunction(scene_, nullptr, nullptr);
        if (const RTCError error = rtcGetDeviceError(device_); error != RTC_ERROR_NONE)
            throw std::runtime_error(
                fmt::format("Embree did not build the scene: error {}", static_cast<int>(error)));
        buildMs_ = millisecondsSince(start);
        search_ = {&closest, &occluded, this};
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
    static void begin(RTCScene scene) {
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
    }

    static void attach(RTCScene scene, RTCGeometry geometry, unsigned number) {
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(scene, geometry, number);
        rtcReleaseGeometry(geometry);
    }

    /// Triangles, or an instance of a scene that has them; `first`: number of the first.
    void attachTriangles(RTCGeometry geometry, int first) {
        attach(scene_, geometry, static_cast<unsigned>(firstTriangles_.size()));
        firstTriangles_.push_back(first);
    }

    RTCBuffer cornersOf(const Mesh& mesh) {
        const std::size_t bytes = mesh.corners.size() * sizeof(glm::vec3);
        RTCBuffer buffer = rtcNewBuffer(device_, bytes + 16);  // of which Embree reads 16 at a time
        if (buffer == nullptr) throw std::bad_alloc();
        std::memcpy(rtcGetBufferData(buffer), mesh.corners.data(), bytes);
        return buffer;
    }

    RTCGeometry trianglesOf(const Mesh& mesh, RTCBuffer corners, int first, int count) {
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        rtcSetGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, corners, 0,
                             sizeof(glm::vec3), mesh.corners.size());
        auto* number = static_cast<unsigned*>(
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                    3 * sizeof(unsigned), static_cast<std::size_t>(count)));
        if (number == nullptr) throw std::bad_alloc();
        for (int face = first; face < first + count; ++face) {
            for (const int c : mesh.faces[static_cast<std::size_t>(face)].corners)
                *number++ = static_cast<unsigned>(c);
        }
        rtcSetGeometryOccludedFilterFunction(geometry, passTriangles);
        if (holes_) rtcSetGeometryIntersectFilterFunction(geometry, passHoles);
        return geometry;
    }

    /// Pieces that stand in places are scenes of their own, of which there are instances.
    void addPieces(const Scene& scene) {
        const SceneMesh* mesh = nullptr;
        RTCBuffer corners = nullptr;
        for (const PlacedPiece& piece : placedPieces(scene)) {
            if (piece.faces == 0) continue;
            if (piece.mesh != mesh) {
                if (corners != nullptr) rtcReleaseBuffer(corners);
                mesh = piece.mesh;
                corners = cornersOf(*mesh->mesh);
            }
            RTCGeometry geometry =
                trianglesOf(*mesh->mesh, corners, piece.firstFace - piece.firstOfMesh, piece.faces);
            if (piece.asItIs) {
                attachTriangles(geometry, piece.first);
                continue;
            }
            RTCScene own = rtcNewScene(device_);
            begin(own);
            attach(own, geometry, 0);
            rtcCommitScene(own);
            int first = piece.first;
            for (const Placement& place : piece.places) {
                RTCGeometry instance = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_INSTANCE);
                rtcSetGeometryInstancedScene(instance, own);
                rtcSetGeometryTransform(instance, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, &place);
                attachTriangles(instance, first);
                first += piece.faces;
            }
            rtcReleaseScene(own);
        }
        if (corners != nullptr) rtcReleaseBuffer(corners);
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
        attach(scene_, geometry, kSphereGeometry);
    }

    /// A ray that leaves a triangle and meets it again goes on behind it: cheaper than to ask for
    /// every hit whether it counts.
    static Hit<float> closest(const void* peer, const Ray<float>& ray, float tMin, float tMax,
                              PeerHoles holes) {
        const auto& own = *static_cast<const EmbreeScene*>(peer);
        RayContext context = contextOf(ray, kNoShape, own.firstTriangles_, holes);
        RTCRayHit r;
        r.ray = embreeRay(ray, tMin, tMax);
        while (true) {
            r.hit.geomID = r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(own.scene_, &context.embree, &r);
            const unsigned geometry = r.hit.geomID, instance = r.hit.instID[0];
            if (geometry == RTC_INVALID_GEOMETRY_ID) return {tMax, kNoShape};
            const bool inPlace = instance != RTC_INVALID_GEOMETRY_ID;
            if (!inPlace && geometry == kSphereGeometry)
                return {r.ray.tfar, static_cast<ShapeId>(r.hit.primID)};
            const ShapeId id = triangleOf(own.firstTriangles_, instance, geometry, r.hit.primID);
            if (id != ray.from) return {r.ray.tfar, id};
            r.ray.tnear = std::nextafter(r.ray.tfar, std::numeric_limits<float>::infinity());
            r.ray.tfar = tMax;
        }
    }

    static bool occluded(const void* peer, const Ray<float>& ray, float tMin, float distance,
                         ShapeId except, PeerHoles holes) {
        const auto& own = *static_cast<const EmbreeScene*>(peer);
        RayContext context = contextOf(ray, except, own.firstTriangles_, holes);
        RTCRay r = embreeRay(ray, tMin, distance);
        rtcOccluded1(own.scene_, &context.embree, &r);
        return r.tfar < 0;
    }

    const bool holes_;  ///< before the geometries, which are made for them
    RTCDevice device_ = rtcNewDevice(nullptr);
    RTCScene scene_ = rtcNewScene(device_);
    std::unique_ptr<Spheres> spheres_;
    FirstTriangles firstTriangles_{0};  ///< not of kSphereGeometry
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
