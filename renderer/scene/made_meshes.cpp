#include "renderer/scene/made_meshes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "renderer/base/memory_budget.h"
#include "renderer/base/stop.h"
#include "renderer/scene/made_parts.h"
#include "renderer/scene/numbered.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace {

constexpr int kFewest = 100;

/// How the mesh of a family of names is made.
struct Maker {
    MeshOutline (*outline)(int);
    Mesh (*make)(int);
    Camera (*camera)(int);
};

/// A number in [0, 1) for each point of a lattice.
double latticeValue(int x, int y, int octave) {
    std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9E3779B1u ^
                      static_cast<std::uint32_t>(y) * 0x85EBCA77u ^
                      static_cast<std::uint32_t>(octave) * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return (h ^ h >> 15) * 0x1p-32;
}

/// Lattice values with smooth transitions.
double noiseAt(double x, double y, int octave) {
    const double fx = std::floor(x), fy = std::floor(y);
    const auto smooth = [](double t) { return t * t * t * (t * (6 * t - 15) + 10); };
    const double u = smooth(x - fx), v = smooth(y - fy);
    const int i = static_cast<int>(fx), j = static_cast<int>(fy);
    const double low = std::lerp(latticeValue(i, j, octave), latticeValue(i + 1, j, octave), u);
    const double high =
        std::lerp(latticeValue(i, j + 1, octave), latticeValue(i + 1, j + 1, octave), u);
    return std::lerp(low, high, v);
}

}  // namespace

Material matt(double r, double g, double b) {
    Material m;
    m.albedo = {r, g, b};
    return m;
}

Material metal(double r, double g, double b, double roughness) {
    Material m = matt(r, g, b);
    m.kind = MaterialKind::metal;
    m.roughness = roughness;
    return m;
}

/// Each octave has half the height of the one before, and ridges where it turns.
double heightAt(double x, double z) {
    constexpr int kOctaves = 10;
    double height = 0, share = 1.7;
    for (int octave = 0; octave < kOctaves; ++octave, share /= 2) {
        const double scale = std::ldexp(.25, octave);
        const double n = noiseAt(x * scale, z * scale, octave);
        height += share * (1 - std::abs(2 * n - 1));
    }
    const double basin = std::hypot(x - 1, z - 1.5) / 3;
    return std::max(0., height - 1.9 + std::min(basin * basin, 1.) * .8 - .5);
}

namespace {

/// Which of the terrain's materials a triangle has.
int groundOf(const Mesh& mesh, const std::array<int, 3>& corners) {
    const glm::vec3 a = mesh.corners[corners[0]], b = mesh.corners[corners[1]],
                    c = mesh.corners[corners[2]];
    const float height = (a.y + b.y + c.y) / 3;
    const float upright = glm::normalize(glm::cross(b - a, c - a)).y;
    if (a.y + b.y + c.y == 0) return 0;
    if (height < .02f) return 1;
    if (upright < .78f) return 2;
    return height > .75f ? 3 : 4;
}

/// Squares along a side of a terrain of at most so many triangles.
int squaresOf(int triangles) {
    return static_cast<int>(std::sqrt(triangles / 2.));
}

}  // namespace

MeshOutline terrainOutline(int triangles) {
    const std::size_t side = static_cast<std::size_t>(squaresOf(triangles));
    return {2 * side * side,
            (side + 1) * (side + 1),
            {metal(.55, .7, .8, .02), matt(.6, .52, .38), matt(.3, .26, .23), matt(.92, .93, .95),
             matt(.16, .27, .08)}};
}

Mesh terrain(int triangles) {
    const int side = squaresOf(triangles);
    Mesh mesh;
    mesh.materials = terrainOutline(triangles).materials;
    for (int j = 0; j <= side; ++j) {
        stopPoint();
        for (int i = 0; i <= side; ++i) {
            const double x = kLand * i / side - kLand / 2, z = kLand * j / side - kLand / 2;
            mesh.corners.emplace_back(x, heightAt(x, z), z);
        }
    }
    mesh.normals.resize(mesh.corners.size(), glm::vec3(0));
    const auto add = [&](const std::array<int, 3>& corners) {
        mesh.faces.push_back({corners, groundOf(mesh, corners)});
        const glm::vec3 a = mesh.corners[corners[0]];
        const glm::vec3 across =
            glm::cross(mesh.corners[corners[1]] - a, mesh.corners[corners[2]] - a);
        for (const int c : corners) mesh.normals[c] += across;
    };
    for (int j = 0; j < side; ++j) {
        stopPoint();
        for (int i = 0; i < side; ++i) {
            const int c = j * (side + 1) + i, below = c + side + 1;
            add({c, below, c + 1});
            add({c + 1, below, below + 1});
        }
    }
    for (glm::vec3& n : mesh.normals) n = glm::normalize(n);
    return mesh;
}

namespace {

// --- City
// -----------------------------------------------------------------------------------------

constexpr int kHouseTriangles = 10;  ///< walls and a roof

/// A box without a floor.
void addHouse(Mesh& mesh, const glm::dvec3& low, const glm::dvec3& high, int material) {
    const int first = static_cast<int>(mesh.corners.size());
    for (int k = 0; k < 8; ++k) {
        mesh.corners.emplace_back(k & 1 ? high.x : low.x, k & 4 ? high.y : low.y,
                                  k & 2 ? high.z : low.z);
    }
    constexpr std::array<std::array<int, 4>, 5> kSides{
        {{2, 3, 7, 6}, {1, 0, 4, 5}, {3, 1, 5, 7}, {0, 2, 6, 4}, {6, 7, 5, 4}}};
    for (const auto& [a, b, c, d] : kSides) {
        mesh.faces.push_back({{first + a, first + b, first + c}, material});
        mesh.faces.push_back({{first + a, first + c, first + d}, material});
    }
}

/// Houses along a side of a city of at most so many triangles.
int housesOf(int triangles) {
    return static_cast<int>(std::sqrt((triangles - 2.) / kHouseTriangles));
}

MeshOutline cityOutline(int triangles) {
    const std::size_t side = static_cast<std::size_t>(housesOf(triangles));
    return {
        2 + kHouseTriangles * side * side,
        4 + 8 * side * side,
        {matt(.17, .17, .18), matt(.62, .58, .52), matt(.7, .42, .32), matt(.45, .47, .5),
         matt(.78, .74, .66), matt(.35, .3, .28), metal(.7, .8, .9, .05), metal(.85, .75, .6, .2)}};
}

/// Blocks of four by four houses; towers stand in the middle of the town.
Mesh city(int triangles) {
    const int side = housesOf(triangles);
    Mesh mesh;
    mesh.materials = cityOutline(triangles).materials;
    constexpr double kHouse = 1, kStreet = .8;
    constexpr int kBlock = 4;
    const auto place = [&](int i) { return i * kHouse + i / kBlock * kStreet; };
    const double width = place(side), half = width / 2;
    mesh.corners = {{-half - 2, 0, -half - 2},
                    {-half - 2, 0, half + 2},
                    {half + 2, 0, half + 2},
                    {half + 2, 0, -half - 2}};
    mesh.faces = {{{0, 1, 2}, 0}, {{0, 2, 3}, 0}};
    Dice dice;
    for (int j = 0; j < side; ++j) {
        stopPoint();
        for (int i = 0; i < side; ++i) {
            const double x = place(i) - half, z = place(j) - half;
            const double middle = std::exp(-8 * (x * x + z * z) / (width * width));
            const double chance = dice();
            const double height = .5 + dice() + 9 * middle * chance * chance * chance;
            const double gap = .04 + .1 * dice();
            const int material = height > 4 ? 6 + (dice() < .3) : 1 + static_cast<int>(5 * dice());
            addHouse(mesh, {x + gap, 0, z + gap}, {x + kHouse - gap, height, z + kHouse - gap},
                     material);
        }
    }
    return mesh;
}

/// Of the town of so many triangles.
Camera overTown(int triangles) {
    const double side = std::sqrt(triangles / 10.), near = std::min(side, 60.);
    Camera camera;
    camera.from = {near * .62, 4 + near * .2, near * .75};
    camera.to = {0, 1, 0};
    camera.vfov = 40;
    camera.focus = glm::length(camera.from);
    return camera;
}

/// As much of the blocks.
Camera overBlocks(int triangles) {
    const double near = std::min(housesAcross(triangles) * 1.2, 60.);
    Camera camera = overTown(0);
    camera.from = {near * .5, 3 + near * .2, near * .62};
    camera.focus = glm::length(camera.from);
    return camera;
}

Camera overLand(int) {
    Camera camera;
    camera.from = {4.2, 1.9, 6.2};
    camera.to = {-.3, .25, 0};
    camera.vfov = 42;
    camera.focus = 7;
    return camera;
}

template <MeshOutline (*outline)(int, Copies), Copies copies>
MeshOutline outlineWith(int count) {
    return outline(count, copies);
}

/// With copies of its triangles in all places.
template <Mesh (*make)(int)>
Mesh copied(int count) {
    Scene scene;
    scene.meshes.push_back({std::make_shared<const Mesh>(make(count))});
    return *flattened(scene).meshes[0].mesh;
}

constexpr int kMaxCopiedTrees = 50'000;  ///< of 310 triangles in the mean

constexpr Numbered kMeshFamilies[] = {
    {"terrain-", kFewest, kMaxTriangles, "triangles"},
    {"city-", kFewest, kMaxTriangles, "triangles"},
    {"forest-", 10, kMaxTrees, "trees"},
    {"blocks-", kFewestOfBlocks, kMaxPlacedTriangles, "triangles"},
    {"copied-forest-", 10, kMaxCopiedTrees, "trees"},
    {"copied-blocks-", kFewestOfBlocks, kMaxTriangles, "triangles"}};
constexpr Maker kMakers[] = {{terrainOutline, terrain, overLand},
                             {cityOutline, city, overTown},
                             {outlineWith<forestOutline, Copies::none>, forest, overLand},
                             {outlineWith<blocksOutline, Copies::none>, blocks, overBlocks},
                             {outlineWith<forestOutline, Copies::all>, copied<forest>, overLand},
                             {outlineWith<blocksOutline, Copies::all>, copied<blocks>, overBlocks}};
static_assert(std::size(kMeshFamilies) == std::size(kMakers));

struct Made {
    const Maker* maker;
    int count;
};
std::optional<Made> madeBy(std::string_view name) {
    for (std::size_t i = 0; i < std::size(kMakers); ++i) {
        if (const auto count = numberIn(name, kMeshFamilies[i])) return Made{&kMakers[i], *count};
    }
    return {};
}

}  // namespace

std::span<const Numbered> numberedMeshes() {
    return kMeshFamilies;
}

/// Of a mesh with its hierarchy and what kernels read. city-16777216 took 3.7 GB.
static std::size_t bytesOf(const MeshOutline& outline) {
    constexpr std::size_t kOfTriangle = 200, kOfCorner = 40, kOfPlace = 400;
    return outline.triangles * kOfTriangle + outline.corners * kOfCorner +
           outline.places * kOfPlace;
}

/// Scenes of the same name share a mesh for as long as one of them is there. `asks`: the budget,
/// before it is made.
static Result<SharedMesh> foundOrMade(std::string_view name, bool asks) {
    static std::mutex mutex;
    static std::map<std::string, SharedMesh::Weak, std::less<>> known;
    const std::lock_guard lock(mutex);
    const auto found = known.find(name);
    SharedMesh mesh = found != known.end() ? found->second.lock() : SharedMesh();
    if (mesh) return mesh;
    const std::optional<Made> made = madeBy(name);
    if (!made) return mesh;
    const auto [maker, count] = *made;
    mesh = {maker->outline(count), [make = maker->make, n = count] { return make(n); }};
    if (asks) {
        const auto fits = MemoryBudget::common().check(bytesOf(mesh.outline()), std::string(name));
        if (!fits) return fits.failure();
    }
    known.insert_or_assign(std::string(name), mesh);
    return mesh;
}

SharedMesh madeMesh(std::string_view name) {
    return *foundOrMade(name, false);
}

Result<SharedMesh> meshWithinMemory(std::string_view name) {
    return foundOrMade(name, true);
}

std::optional<Scene> madeScene(std::string_view name) {
    const SharedMesh mesh = madeMesh(name);
    if (!mesh) return {};
    Scene scene;
    scene.name = name;
    scene.meshes.push_back({mesh, std::string(name)});
    scene.title = fmt::format("{} triangles, made by its name", triangleCount(scene));
    scene.sky = {SkyKind::gradient, {1, .95, .9}, {.3, .5, .95}};
    const Made made = *madeBy(name);
    scene.camera = made.maker->camera(made.count);
    scene.epsilon = 1e-4;
    return scene;
}

}  // namespace rayscope
