#pragma once

#include <glm/vec3.hpp>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "renderer/core/types.h"
#include "renderer/core/variant.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/hierarchy.h"
#include "renderer/scene/mesh.h"
#include "renderer/scene/simulation.h"

namespace rayscope {

struct Sphere {
    glm::dvec3 center;
    double radius = 1;
    Material material;
    bool operator==(const Sphere&) const = default;
};

/// Radiance of rays that hit nothing. gradient: (1-t) bottom + t top, t = .5 (d.y + 1);
/// power: top (1 - d.z)^4; picture: of all directions, by longitude and latitude (SkyRecord).
struct Sky {
    SkyKind kind = SkyKind::gradient;
    glm::dvec3 bottom{0, 0, 0};
    glm::dvec3 top{0, 0, 0};
    std::shared_ptr<const RadiancePicture> picture{};  ///< of SkyKind::picture, and then not null
    std::string source{};                              ///< the picture's file, an absolute path
    std::uint64_t digest = 0;                          ///< of that
    double turn = 0;      ///< by so many degrees it is turned to the right
    double strength = 1;  ///< by which its radiance is multiplied
    /// Where red + green + blue of the picture exceeds this, the excess belongs to lamps
    /// (core/picture.h). 0: it has none.
    double lampsFrom = 0;
    bool operator==(const Sky& other) const;
};

/// From radiance to the screen: value = (offset + exposure * radiance) ^ (1/gamma).
struct DisplayTransform {
    double exposure = 1;
    double offset = 0;
    double gamma = 2.2;
    bool operator==(const DisplayTransform&) const = default;
};

enum class Filter { box, tent };

/// The business card's lamp: a horizontal square seen as a point drawn for each hit.
struct CardLight {
    glm::dvec3 corner{9, 9, 16};
    double size = 1;
    bool operator==(const CardLight&) const = default;
};

struct Scene;

/// What is asked of a scene all the time and takes a look at all its shapes.
struct SceneFacts {
    Traits traits;
    int lights = 0;                  ///< spheres that shine
    std::vector<int> firstLights{};  ///< kMaxLights of them at most
};

/// Keeps the facts of a scene that does not change any more, which is a SharedScene's: a copy may
/// change, and keeps none. From any thread.
class KeptFacts {
public:
    KeptFacts() = default;
    KeptFacts(const KeptFacts&) {}
    KeptFacts& operator=(const KeptFacts&) {
        kept_.reset();
        return *this;
    }
    bool operator==(const KeptFacts&) const { return true; }

    void keep() { kept_ = std::make_unique<Kept>(); }
    void forget() { kept_.reset(); }
    SceneFacts of(const Scene& scene) const;

private:
    struct Kept {
        std::once_flag once{};
        SceneFacts facts{};
    };
    std::unique_ptr<Kept> kept_;
};

struct Scene {
    std::string name;
    std::string title;  ///< one line on where it comes from
    std::vector<Sphere> spheres;
    std::vector<SceneMesh> meshes{};
    /// If the scene moves: its bodies, which are the first spheres, as placeBodies() puts them.
    std::optional<Simulation> simulation{};
    bool floor = false;  ///< the business card's checkered plane z = 0
    CardLight cardLight;
    Sky sky;
    Camera camera;
    DisplayTransform display;
    Filter filter = Filter::box;
    double epsilon = 1e-3;  ///< hits nearer than this to a ray's origin are ignored
    int depth = 10;
    int rouletteDepth = 0;  ///< Russian roulette from this many rays on; 0: none
    int width = 1280;
    int height = 720;
    int spp = 32;  ///< what the published figure used; the default of `render`
    KeptFacts facts{};
    bool operator==(const Scene&) const = default;
};

struct Structures;

inline constexpr int kMaxSpheres = 100000;
/// Of positions and lengths: single precision resolves half a unit there.
inline constexpr double kMaxCoordinate = 1e7;
/// Where rays end (sceneParams): farther than such positions are from each other, and from a
/// camera that has all of them in view.
inline constexpr double kMaxDistance = 1e8;
/// Of spheres: 1 / radius stays finite in single precision, in the code of baked scenes too.
inline constexpr double kMinRadius = 1e-6;
inline constexpr double kMaxEmission = 1e4;

/// Of all its meshes.
int triangleCount(const Scene& scene);
/// Spheres and triangles: what hierarchies are built of, in this order.
std::size_t shapeCount(const Scene& scene);

/// Whether scenes are packed and traced as with triangles: they have some, or a picture as their
/// sky.
bool isOfTriangles(const Scene& scene);
/// Whether packing it takes longer than a frame: tens of thousands of shapes, of which some are
/// triangles, or pictures of a million texels.
bool takesLongToPack(const Scene& scene);

/// What a kernel for this scene is compiled for.
Traits traitsOf(const Scene& scene);

/// Aligns to 64 bytes, as much as the kernels' vectors need.
template <class T>
struct AlignedAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64};
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
    void deallocate(T* p, size_t) { ::operator delete(p, kAlignment); }
    bool operator==(const AlignedAllocator&) const = default;
};

using PackedScene = std::vector<unsigned char, AlignedAllocator<unsigned char>>;

/// Of the scene's spheres with those that nothing hits: a multiple of kPadding.
int paddedCount(const Scene& scene);

/// How triangles are packed.
struct TrianglePacking {
    TriangleTest test{};
    VertexLayout layout{};
    bool compressed = false;  ///< the hierarchy of Accel::bvh8, for a GPU (core/compressed.h)
    VertexPrecision precision{};
    /// A GPU writes the list and the hierarchy's nodes behind all else, where the header says.
    bool treeOnDevice = false;
    auto operator<=>(const TrianglePacking&) const = default;
};

/// As a GPU's kernel of this variant reads them.
constexpr TrianglePacking trianglePacking(const Variant& variant) {
    return {variant.triangle, variant.vertexLayout, variant.accel == Accel::bvh8,
            variant.vertexPrecision};
}

/// The spheres and materials as kernels of this precision and layout read them, and what rays walk
/// in the scene: a structure of `structures`, or a new one.
template <class Real>
PackedScene packScene(const Scene& scene, SceneLayout layout, Accel accel = Accel::brute,
                      Structures* structures = nullptr, Hierarchy hierarchy = Hierarchy::sah,
                      const TrianglePacking& triangles = {});

/// Packs one sphere again, which has changed since packScene(). The change must leave the scene's
/// traits and the packed hierarchy valid (EditedBvh::move).
template <class Real>
void packSphere(PackedScene& packed, const Scene& scene, SceneLayout layout, Traits traits,
                int sphere);

/// Upper bound on the bytes of packScene() for the variant, without building a hierarchy.
size_t packedBytes(const Scene& scene, const Variant& variant,
                   Hierarchy hierarchy = Hierarchy::sah);

/// The number of emissive spheres.
int lightCount(const Scene& scene);
/// Whether a mesh has an emissive material.
bool hasLampOfTriangles(const Scene& scene);
/// Whether light sampling finds lamps in the sky.
bool hasLampsInSky(const Scene& scene);

/// The scene's run-time parameters. Without light sampling lightCount is 0.
template <class Real>
SceneParams<Real> sceneParams(const Scene& scene, bool lightSampling);

}  // namespace rayscope
