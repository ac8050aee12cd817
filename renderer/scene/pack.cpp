#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <limits>

#include "renderer/core/keys.h"
#include "renderer/core/mesh.h"
#include "renderer/core/scene_view.h"
#include "renderer/scene/bvh4.h"
#include "renderer/scene/half_corners.h"
#include "renderer/scene/pack_meshes.h"
#include "renderer/scene/places.h"
#include "renderer/scene/records.h"
#include "renderer/scene/scene.h"
#include "renderer/scene/structures.h"
#include "renderer/scene/to_kernel.h"

namespace rayscope {

namespace {

/// From this radius on, o - c in single precision loses the details of the scene (kWalls).
constexpr double kWallRadius = 1e4;

double largest(const glm::dvec3& colour) {
    return std::max({colour.x, colour.y, colour.z});
}

unsigned featuresOf(const Material& m) {
    static constexpr unsigned kBits[] = {kLambert, kMetal, kDielectric, kGlass, kGlossy};
    unsigned features = kBits[static_cast<int>(m.kind)];
    const bool black = !(largest(m.albedo) > 0);
    if (black) features |= kBlack;
    if (m.kind == MaterialKind::metal && m.roughness > 0) features |= kRough;
    if (emits(m) && !black) features |= kGlows;
    return features;
}

/// A point in the middle of the scene: the mean centre of the spheres of ordinary size.
glm::dvec3 middle(const Scene& scene) {
    glm::dvec3 sum{0, 0, 0};
    int count = 0;
    for (const Sphere& s : scene.spheres) {
        if (s.radius >= kWallRadius / 100) continue;
        sum += s.center;
        ++count;
    }
    return count > 0 ? sum * (1.0 / count) : scene.camera.from;
}

template <class Real>
CurvedSphere<Real> curved(const Sphere& s, const glm::dvec3& towards) {
    const glm::dvec3 d = towards - s.center;
    const glm::dvec3 normal = glm::length(d) > 0 ? glm::normalize(d) : glm::dvec3{0, 1, 0};
    return {toKernel<Real>(s.center + normal * s.radius), static_cast<Real>(1 / s.radius),
            toKernel<Real>(normal), 0};
}

/// The power of a sphere that no ray hits, half the largest number: the discriminant is negative
/// from anywhere. A curved sphere of zeros is never hit either: its discriminant is 0.
template <class Real>
constexpr Real kNever = std::numeric_limits<Real>::max() / 2;

template <class Real>
CenterSphere<Real> centered(const Sphere& s) {
    const double power = glm::dot(s.center, s.center) - s.radius * s.radius;
    return {toKernel<Real>(s.center), static_cast<Real>(power)};
}

/// Writes spheres where SceneView reads them.
template <class Real>
class SphereWriter {
public:
    SphereWriter(PackedScene& packed, const Scene& scene, SceneLayout layout, bool walls)
        : bytes_(packed.data()),
          padded_(paddedCount(scene)),
          layout_(layout),
          walls_(walls),
          towards_(walls ? middle(scene) : glm::dvec3{}) {}

    void write(int i, const Sphere& s) const {
        walls_ ? place(i, curved<Real>(s, towards_), materialRecord<Real>(s.material, 1 / s.radius))
               : place(i, centered<Real>(s), materialRecord<Real>(s.material, 1 / s.radius));
    }
    void writePadding(int i) const {
        walls_ ? place(i, CurvedSphere<Real>{}, {})
               : place(i, CenterSphere<Real>{{0, 0, 0}, kNever<Real>}, {});
    }

private:
    template <class Geometry>
    void place(int i, const Geometry& geometry, const MaterialRecord<Real>& material) const {
        if (layout_ == SceneLayout::aos) {
            auto* const geometries = reinterpret_cast<Geometry*>(bytes_);
            geometries[i] = geometry;
            copyRecord(reinterpret_cast<MaterialRecord<Real>*>(geometries + padded_)[i], material,
                       material.kind);
            return;
        }
        Real* field = reinterpret_cast<Real*>(bytes_) + i;
        const auto spread = [&](const auto& record, int fields) {
            Real values[sizeof record / sizeof(Real)];  // the first `fields` are real numbers
            std::memcpy(values, &record, sizeof record);
            for (int f = 0; f < fields; ++f, field += padded_) *field = values[f];
        };
        spread(geometry, geometryFields(walls_));
        spread(material, kKind);
        *field = static_cast<Real>(static_cast<int>(material.kind));
    }

    unsigned char* bytes_;
    int padded_;
    SceneLayout layout_;
    bool walls_;
    glm::dvec3 towards_;
};

/// Appends values to a scene.
class Appender {
public:
    explicit Appender(PackedScene& packed) : packed_(packed) {}

    template <class T>
    void append(const T* first, size_t count) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(first);
        packed_.insert(packed_.end(), bytes, bytes + count * sizeof(T));
    }
    template <class T>
    void append(const std::vector<T>& values) {
        append(values.data(), values.size());
    }

private:
    PackedScene& packed_;
};

void appendBvh(PackedScene& packed, const Bvh& bvh, size_t padded) {
    Appender to(packed);
    to.append(&bvh.header, 1);
    std::vector<int> list = bvh.list;
    list.resize(padded);  // as SoA arrays are, so that the nodes are aligned to 64 bytes
    to.append(list);
    to.append(bvh.nodes);
}

/// The spheres of a list, padded. The first `outside` are read elsewhere, because they may be
/// edited.
template <class Geometry, class Make>
std::vector<Geometry> listedSpheres(const std::vector<int>& list, int outside, Make make) {
    std::vector<Geometry> spheres(paddedList(static_cast<int>(list.size())));
    std::transform(list.begin() + outside, list.end(), spheres.begin() + outside, make);
    return spheres;
}

/// A header, and behind it what SphereList describes.
template <class Real, class Header, class Element>
void appendListing(PackedScene& packed, const Scene& scene, bool walls, const Header& header,
                   const std::vector<Element>& elements, const std::vector<int>& list) {
    Appender to(packed);
    to.append(&header, 1);
    const auto at = [&](int i) -> const Sphere& { return scene.spheres[i]; };
    if (walls) {
        const glm::dvec3 towards = middle(scene);
        to.append(listedSpheres<CurvedSphere<Real>>(
            list, header.outside, [&](int i) { return curved<Real>(at(i), towards); }));
    } else {
        to.append(listedSpheres<CenterSphere<Real>>(list, header.outside,
                                                    [&](int i) { return centered<Real>(at(i)); }));
    }
    to.append(elements);
    to.append(list);
}

/// Upper bound on the bytes of appendListing().
size_t listingBytes(size_t listed, bool walls, Precision precision, size_t elementBytes) {
    const int reals = walls ? 8 : 4;
    const size_t real = precision == Precision::float64 ? sizeof(double) : sizeof(float);
    return 64 + (listed + kListPadding) * reals * real + elementBytes + listed * sizeof(int);
}

}  // namespace

int triangleCount(const Scene& scene) {
    std::size_t count = 0;
    for (const SceneMesh& mesh : scene.meshes) count += placedTriangles(mesh);
    return static_cast<int>(count);
}

std::size_t shapeCount(const Scene& scene) {
    return scene.spheres.size() + static_cast<std::size_t>(triangleCount(scene));
}

bool isOfTriangles(const Scene& scene) {
    return !scene.meshes.empty() || scene.sky.kind == SkyKind::picture;
}

bool takesLongToPack(const Scene& scene) {
    constexpr std::size_t kManyShapes = 20'000, kManyTexels = std::size_t{1} << 20;
    if (!isOfTriangles(scene)) return false;
    std::size_t texels = scene.sky.picture ? scene.sky.picture->rgb.size() / 3 : 0;
    for (const SceneMesh& mesh : scene.meshes) texels += mesh.mesh.outline().texels;
    return shapeCount(scene) > kManyShapes || texels > kManyTexels;
}

int paddedCount(const Scene& scene) {
    return (static_cast<int>(scene.spheres.size()) + kPadding - 1) / kPadding * kPadding;
}

namespace {

SceneFacts findFacts(const Scene& scene) {
    SceneFacts facts;
    Traits& t = facts.traits;
    t = {0, static_cast<int>(scene.spheres.size())};
    for (int i = 0; i < t.sphereCount; ++i) {
        const Sphere& s = scene.spheres[i];
        t.features |= featuresOf(s.material);
        if (s.radius >= kLargeRadius) t.features |= kLarge;
        if (s.radius >= kWallRadius) t.features |= kWalls;
        if (!emits(s.material)) continue;
        if (facts.lights++ < kMaxLights) facts.firstLights.push_back(i);
    }
    if (isOfTriangles(scene)) t.features |= kTriangles;
    for (const SceneMesh& mesh : scene.meshes) {
        for (const Material& m : mesh.mesh.outline().materials)
            t.features |= featuresOf(mesh.material.value_or(m));
        if (mesh.material) continue;
        const MeshOutline& outline = mesh.mesh.outline();
        // a texture may be black somewhere, and a corner
        if (outline.textured || outline.coloured) t.features |= kTextures | kBlack;
        if (outline.hasMetalTexture) t.features |= kSurfaceTextures | kLambert;  // matt parts
        if (outline.hasEmissionTexture) t.features |= kSurfaceTextures;
        if (outline.hasHoles) t.features |= kHoles;
    }
    // any sphere can be stored as a wall, and so there are half as many kernels
    if (hasPlaces(scene)) t.features |= kPlaces | kWalls;
    if (scene.floor) t.features |= kFloor;
    if (scene.rouletteDepth > 0) t.features |= kRoulette;
    if (scene.filter == Filter::tent) t.features |= kTent;
    if (scene.camera.lens == Lens::square) t.features |= kSquareLens;
    if (scene.sky.kind == SkyKind::picture)
        t.features |= kPictureSky;
    else if (scene.sky.kind == SkyKind::power)
        t.features |= kPowerSky;
    else if (largest(scene.sky.bottom) > 0 || largest(scene.sky.top) > 0)
        t.features |= kGradientSky;
    return facts;
}

}  // namespace

SceneFacts KeptFacts::of(const Scene& scene) const {
    if (!kept_) return findFacts(scene);
    std::call_once(kept_->once, [&] { kept_->facts = findFacts(scene); });
    return kept_->facts;
}

Traits traitsOf(const Scene& scene) {
    return scene.facts.of(scene).traits;
}

template <class Real>
PackedScene packScene(const Scene& scene, SceneLayout layout, Accel accel, Structures* edited,
                      Hierarchy hierarchy, const TrianglePacking& triangles) {
    const bool walls = traitsOf(scene).features & kWalls;
    const int count = static_cast<int>(scene.spheres.size()), padded = paddedCount(scene);
    PackedScene packed(size_t{1} * padded * sphereBytes<Real>(layout, walls));
    const SphereWriter<Real> writer(packed, scene, layout, walls);
    for (int i = 0; i < count; ++i) writer.write(i, scene.spheres[i]);
    for (int i = count; i < padded; ++i) writer.writePadding(i);
    Structures own;
    Structures& structures = edited != nullptr ? *edited : own;
    if (isOfTriangles(scene)) {
        const bool half = triangles.precision == VertexPrecision::half;
        const bool tree = accel != Accel::brute && !triangles.treeOnDevice;
        const auto append = [&](const Scene& shapes, const HalfFrame& halves) {
            const Bvh* const bvh =
                tree ? &structures.treesOf(triangles.precision).of(shapes, hierarchy) : nullptr;
            structures.meshTreeBytes =
                appendMeshes<Real>(packed, shapes, bvh, lanesOf(accel), triangles, halves);
        };
        const HalfFrame halves = half ? halfFrame(scene) : HalfFrame{};
        half ? append(withHalfCorners(scene, halves), halves) : append(scene, halves);
    } else if (accel == Accel::bvh) {
        appendBvh(packed, structures.bvh.of(scene, hierarchy), padded);
    } else if (accel == Accel::bvh4) {
        const Bvh& bvh = structures.bvh.of(scene, hierarchy);
        const Bvh4 wide = collapsed(bvh);
        BvhHeader header = bvh.header;
        header.nodes = static_cast<int>(wide.nodes.size());
        header.listed = static_cast<int>(bvh.list.size());
        appendListing<Real>(packed, scene, walls, header, wide.nodes, bvh.list);
    } else if (accel == Accel::grid) {
        const Grid& grid = structures.grid.of(scene);
        appendListing<Real>(packed, scene, walls, grid.header, grid.cells, grid.list);
    }
    return packed;
}

template <class Real>
void packSphere(PackedScene& packed, const Scene& scene, SceneLayout layout, Traits traits,
                int sphere) {
    SphereWriter<Real>(packed, scene, layout, traits.features & kWalls)
        .write(sphere, scene.spheres[sphere]);
}

size_t packedBytes(const Scene& scene, const Variant& variant, Hierarchy hierarchy) {
    const bool walls = traitsOf(scene).features & kWalls;
    const size_t count = paddedCount(scene);
    const size_t bytes = count * (variant.precision == Precision::float64
                                      ? sphereBytes<double>(variant.sceneLayout, walls)
                                      : sphereBytes<float>(variant.sceneLayout, walls));
    if (isOfTriangles(scene)) return bytes + meshBytes(scene, variant, hierarchy);
    const size_t spheres = scene.spheres.size();
    const size_t nodes = mostBvhNodes(static_cast<int>(spheres));
    switch (variant.accel) {
        case Accel::brute:
            return bytes;
        case Accel::bvh:
            return bytes + sizeof(BvhHeader) + count * sizeof(int) + nodes * sizeof(BvhNode);
        case Accel::bvh4:
            return bytes +
                   listingBytes(spheres, walls, variant.precision, nodes * sizeof(Bvh4Node));
        case Accel::grid:
        case Accel::bvh8:
        case Accel::embree:
            break;
    }
    return bytes + listingBytes(mostGridEntries(spheres), walls, variant.precision,
                                mostGridCells(spheres) * sizeof(GridCell));
}

template <class Real>
SceneParams<Real> sceneParams(const Scene& scene, bool lightSampling) {
    SceneParams<Real> p{};
    p.sphereCount = static_cast<int>(scene.spheres.size());
    p.paddedCount = paddedCount(scene);
    p.tMin = static_cast<Real>(scene.epsilon);
    p.tMax = static_cast<Real>(kMaxDistance);
    p.floor = scene.floor;
    p.sky = scene.sky.kind;
    p.skyMiddle = toKernel<Real>((scene.sky.top + scene.sky.bottom) / 2.);
    p.skyHalf = toKernel<Real>((scene.sky.top - scene.sky.bottom) / 2.);
    p.skyTop = toKernel<Real>(scene.sky.top);
    p.cardLightCorner = toKernel<Real>(scene.cardLight.corner);
    p.cardLightSize = static_cast<Real>(scene.cardLight.size);
    p.rouletteDepth = scene.rouletteDepth;
    p.keyMask = ~0u << keyBits(p.sphereCount);
    for (const int i : lightSampling ? scene.facts.of(scene).firstLights : std::vector<int>()) {
        const Sphere& s = scene.spheres[i];
        p.lights[p.lightCount++] = {toKernel<Real>(s.center), static_cast<Real>(s.radius),
                                    toKernel<Real>(s.material.emission), i};
    }
    if (lightSampling && p.lightCount < kMaxLights && hasLampOfTriangles(scene))
        p.lights[p.lightCount++].id = kMeshLamps;
    if (lightSampling && p.lightCount < kMaxLights && hasLampsInSky(scene))
        p.lights[p.lightCount++].id = kSkyLamps;
    return p;
}

int lightCount(const Scene& scene) {
    return scene.facts.of(scene).lights;
}

bool emits(const Material& m) {
    return largest(m.emission) > 0;
}

bool shines(const SceneMesh& mesh) {
    const std::vector<Material>& all = mesh.mesh.outline().materials;
    return mesh.material ? emits(*mesh.material) : std::any_of(all.begin(), all.end(), emits);
}

bool hasLampsInSky(const Scene& scene) {
    return scene.sky.kind == SkyKind::picture && scene.sky.lampsFrom > 0;
}

bool hasLampOfTriangles(const Scene& scene) {
    return std::any_of(scene.meshes.begin(), scene.meshes.end(), shines);
}

template PackedScene packScene<float>(const Scene&, SceneLayout, Accel, Structures*, Hierarchy,
                                      const TrianglePacking&);
template PackedScene packScene<double>(const Scene&, SceneLayout, Accel, Structures*, Hierarchy,
                                       const TrianglePacking&);
template void packSphere<float>(PackedScene&, const Scene&, SceneLayout, Traits, int);
template void packSphere<double>(PackedScene&, const Scene&, SceneLayout, Traits, int);
template SceneParams<float> sceneParams(const Scene&, bool);
template SceneParams<double> sceneParams(const Scene&, bool);

}  // namespace rayscope
