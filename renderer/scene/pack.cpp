#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "renderer/core/scene_view.h"
#include "renderer/scene/bvh.h"
#include "renderer/scene/host_vector.h"
#include "renderer/scene/scene.h"

namespace rayscope {

namespace {

/// From this radius on, o - c loses in single precision what the scene is made of (kWalls).
constexpr double kWallRadius = 1e4;
/// From this radius on, a hit is known to 1e-5 of the scene's size only, and rays that leave along
/// a tangent would meet their own sphere again (kLarge).
constexpr double kLargeRadius = 500;

bool emits(const Material& m) {
    return largest(m.emission) > 0;
}

/// A point in the middle of the scene: the mean of the spheres of ordinary size.
Vec3<double> middle(const Scene& scene) {
    Vec3<double> sum{0, 0, 0};
    int count = 0;
    for (const Sphere& s : scene.spheres) {
        if (s.radius >= kWallRadius / 100) continue;
        sum = sum + s.center;
        ++count;
    }
    return count > 0 ? sum * (1.0 / count) : scene.camera.from;
}

template <class Real>
CurvedSphere<Real> curved(const Sphere& s, Vec3<double> towards) {
    const Vec3<double> d = towards - s.center;
    const double length = std::sqrt(dot(d, d));
    const Vec3<double> normal = length > 0 ? d * (1 / length) : Vec3<double>{0, 1, 0};
    return {narrow<Real>(s.center + normal * s.radius), static_cast<Real>(1 / s.radius),
            narrow<Real>(normal), 0};
}

template <class Real>
MaterialRecord<Real> record(const Sphere& s) {
    const Material& m = s.material;
    return {narrow<Real>(m.albedo),     static_cast<Real>(m.roughness),  narrow<Real>(m.emission),
            static_cast<Real>(m.index), static_cast<Real>(1 / s.radius), m.kind};
}

int paddedCount(const Scene& scene) {
    return (static_cast<int>(scene.spheres.size()) + kPadding - 1) / kPadding * kPadding;
}

template <class T>
void append(std::vector<unsigned char>& bytes, const std::vector<T>& values) {
    const auto* first = reinterpret_cast<const unsigned char*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof(T));
}

/// Field `f` of every element, read as the Reals that the struct begins with.
template <class Real, class T>
void appendField(std::vector<unsigned char>& bytes, const std::vector<T>& values, int f) {
    std::vector<Real> field;
    for (const T& v : values) {
        Real value;
        std::memcpy(&value, reinterpret_cast<const char*>(&v) + f * sizeof(Real), sizeof(Real));
        field.push_back(value);
    }
    append(bytes, field);
}

template <class Real, class Geometry>
std::vector<unsigned char> pack(const std::vector<Geometry>& geometry, int fields,
                                const std::vector<MaterialRecord<Real>>& materials,
                                SceneLayout layout) {
    std::vector<unsigned char> bytes;
    if (layout == SceneLayout::aos) {
        append(bytes, geometry);
        append(bytes, materials);
        return bytes;
    }
    for (int f = 0; f < fields; ++f) appendField<Real>(bytes, geometry, f);
    for (int f = 0; f < kKind; ++f) appendField<Real>(bytes, materials, f);
    std::vector<Real> kinds;
    for (const auto& m : materials) kinds.push_back(static_cast<Real>(static_cast<int>(m.kind)));
    append(bytes, kinds);
    return bytes;
}

/// The list is padded as SoA arrays are: the nodes then stand on a multiple of 64 bytes.
void appendBvh(std::vector<unsigned char>& bytes, const Scene& scene, const Bvh& bvh) {
    std::vector<int> list = bvh.list;
    list.resize(paddedCount(scene));
    append(bytes, std::vector<BvhHeader>{bvh.header});
    append(bytes, list);
    append(bytes, bvh.nodes);
}

template <class Real>
std::vector<unsigned char> packSpheres(const Scene& scene, SceneLayout layout) {
    const int count = paddedCount(scene);
    std::vector<MaterialRecord<Real>> materials;
    for (const Sphere& s : scene.spheres) materials.push_back(record<Real>(s));
    materials.resize(count);
    if (traitsOf(scene).features & kWalls) {
        const Vec3<double> towards = middle(scene);
        std::vector<CurvedSphere<Real>> geometry;
        for (const Sphere& s : scene.spheres) geometry.push_back(curved<Real>(s, towards));
        geometry.resize(count, CurvedSphere<Real>{});  // all zero: the discriminant is 0, no hit
        return pack<Real>(geometry, geometryFields(true), materials, layout);
    }
    std::vector<CenterSphere<Real>> geometry;
    for (const Sphere& s : scene.spheres) {
        const double power = dot(s.center, s.center) - s.radius * s.radius;
        geometry.push_back({narrow<Real>(s.center), static_cast<Real>(power)});
    }
    // half the largest number as power: a negative discriminant from anywhere
    const Real never = std::numeric_limits<Real>::max() / 2;
    geometry.resize(count, CenterSphere<Real>{{0, 0, 0}, never});
    return pack<Real>(geometry, geometryFields(false), materials, layout);
}

}  // namespace

Traits traitsOf(const Scene& scene) {
    static constexpr unsigned kBits[] = {kLambert, kMetal, kDielectric, kGlass, kGlossy};
    Traits t{0, static_cast<int>(scene.spheres.size())};
    for (const Sphere& s : scene.spheres) {
        t.features |= kBits[static_cast<int>(s.material.kind)];
        if (s.radius >= kLargeRadius) t.features |= kLarge;
        if (s.radius >= kWallRadius) t.features |= kWalls;
        if (!(largest(s.material.albedo) > 0)) t.features |= kBlack;
    }
    if (scene.floor) t.features |= kFloor;
    if (scene.rouletteDepth > 0) t.features |= kRoulette;
    if (scene.sky.kind == SkyKind::power)
        t.features |= kPowerSky;
    else if (largest(scene.sky.bottom) > 0 || largest(scene.sky.top) > 0)
        t.features |= kGradientSky;
    return t;
}

template <class Real>
std::vector<unsigned char> packScene(const Scene& scene, SceneLayout layout, Accel accel,
                                     EditedBvh* bvh) {
    std::vector<unsigned char> bytes = packSpheres<Real>(scene, layout);
    EditedBvh own;
    if (accel == Accel::bvh) appendBvh(bytes, scene, (bvh != nullptr ? *bvh : own).of(scene));
    return bytes;
}

size_t packedBytes(const Scene& scene, const Variant& variant) {
    const bool walls = traitsOf(scene).features & kWalls;
    const size_t count = paddedCount(scene);
    const size_t bytes = count * (variant.precision == Precision::float64
                                      ? sphereBytes<double>(variant.sceneLayout, walls)
                                      : sphereBytes<float>(variant.sceneLayout, walls));
    if (variant.accel == Accel::brute) return bytes;
    const int nodes = mostBvhNodes(static_cast<int>(scene.spheres.size()));
    return bytes + sizeof(BvhHeader) + count * sizeof(int) + nodes * sizeof(BvhNode);
}

template <class Real>
SceneParams<Real> sceneParams(const Scene& scene, bool lightSampling) {
    SceneParams<Real> p{};
    p.sphereCount = static_cast<int>(scene.spheres.size());
    p.paddedCount = paddedCount(scene);
    p.tMin = static_cast<Real>(scene.epsilon);
    p.tMax = static_cast<Real>(1e7);  // ToyPathTracer's; larger than any scene here
    p.floor = scene.floor;
    p.sky = scene.sky.kind;
    p.skyBottom = narrow<Real>(scene.sky.bottom);
    p.skyRise = narrow<Real>(scene.sky.top - scene.sky.bottom);
    p.skyTop = narrow<Real>(scene.sky.top);
    p.cardLightCorner = narrow<Real>(scene.cardLight.corner);
    p.cardLightSize = static_cast<Real>(scene.cardLight.size);
    p.rouletteDepth = scene.rouletteDepth;
    for (int i = 0; lightSampling && i < p.sphereCount; ++i) {
        const Sphere& s = scene.spheres[i];
        if (!emits(s.material) || p.lightCount == kMaxLights) continue;
        p.lights[p.lightCount++] = {narrow<Real>(s.center), static_cast<Real>(s.radius),
                                    narrow<Real>(s.material.emission), i};
    }
    return p;
}

int lightCount(const Scene& scene) {
    return static_cast<int>(std::count_if(scene.spheres.begin(), scene.spheres.end(),
                                          [](const Sphere& s) { return emits(s.material); }));
}

template std::vector<unsigned char> packScene<float>(const Scene&, SceneLayout, Accel, EditedBvh*);
template std::vector<unsigned char> packScene<double>(const Scene&, SceneLayout, Accel, EditedBvh*);
template SceneParams<float> sceneParams(const Scene&, bool);
template SceneParams<double> sceneParams(const Scene&, bool);

}  // namespace rayscope
