// Meshes made by a name of which pieces stand in many places: forests and blocks of houses.

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/base/stop.h"
#include "renderer/scene/made_parts.h"

namespace rayscope {

namespace {

/// Adds triangles to a mesh, piece by piece.
class PieceMaker {
public:
    explicit PieceMaker(Mesh& mesh) : mesh_(mesh) {}

    int corner(double x, double y, double z) {
        mesh_.corners.emplace_back(x, y, z);
        return static_cast<int>(mesh_.corners.size()) - 1;
    }
    void triangle(int a, int b, int c, int material) {
        mesh_.faces.push_back({{a, b, c}, material});
    }
    void quad(int a, int b, int c, int d, int material) {
        triangle(a, b, c, material);
        triangle(a, c, d, material);
    }
    /// What has been added since the last call.
    void piece(std::vector<Placement> places) {
        const int faces = static_cast<int>(mesh_.faces.size());
        mesh_.pieces.push_back({faces - done_, std::move(places)});
        done_ = faces;
    }

private:
    Mesh& mesh_;
    int done_ = 0;
};

/// Turned about the vertical, stretched, and moved.
Placement standing(double angle, const glm::dvec3& stretch, const glm::dvec3& at) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {glm::vec3(c * stretch.x, 0, -s * stretch.x), glm::vec3(0, stretch.y, 0),
            glm::vec3(s * stretch.z, 0, c * stretch.z), glm::vec3(at)};
}

// --- Forest
// ---------------------------------------------------------------------------------------

constexpr int kGroundTriangles = 2 * 128 * 128;

/// A tree of height 1: a trunk, and a crown of layers of cones, or of dented balls.
struct Species {
    int layers;  ///< of cones; 0: it has balls
    int balls;
    double width;
    int crown;  ///< material
};
constexpr int kAround = 14, kRings = 6, kTrunk = 6;
constexpr std::array<Species, 6> kSpecies{{{5, 0, .42, 6},
                                           {4, 0, .55, 7},
                                           {0, 3, .6, 8},
                                           {0, 4, .75, 9},
                                           {0, 1, .26, 6},
                                           {0, 3, .5, 10}}};

constexpr int trianglesOf(const Species& s) {
    return 2 * kTrunk + s.layers * 2 * kAround + s.balls * 2 * kAround * (kRings - 1);
}
constexpr int cornersOf(const Species& s) {
    return 2 * kTrunk + s.layers * (kAround + 2) + s.balls * (kAround * (kRings - 1) + 2);
}

void addTrunk(PieceMaker& to, double height) {
    std::array<int, 2 * kTrunk> ring;
    for (int i = 0; i < 2 * kTrunk; ++i) {
        const double turn = 2 * M_PI * (i / 2) / kTrunk, radius = i % 2 == 0 ? .035 : .02;
        ring[i] =
            to.corner(radius * std::cos(turn), i % 2 == 0 ? -.05 : height, radius * std::sin(turn));
    }
    for (int i = 0; i < 2 * kTrunk; i += 2) {
        const int next = (i + 2) % (2 * kTrunk);
        to.quad(ring[i], ring[i + 1], ring[next + 1], ring[next], 5);
    }
}

/// With a ragged brim, and a bottom.
void addCone(PieceMaker& to, double radius, double low, double high, int material, Dice& dice) {
    const int top = to.corner(0, high, 0), bottom = to.corner(0, low + .02, 0);
    std::array<int, kAround> brim;
    for (int i = 0; i < kAround; ++i) {
        const double turn = 2 * M_PI * i / kAround, r = radius * dice.between(.75, 1.1);
        brim[i] = to.corner(r * std::cos(turn), low - dice.between(0, .03), r * std::sin(turn));
    }
    for (int i = 0; i < kAround; ++i) {
        const int next = brim[(i + 1) % kAround];
        to.triangle(brim[i], top, next, material);
        to.triangle(brim[i], next, bottom, material);
    }
}

void addBall(PieceMaker& to, const glm::dvec3& middle, const glm::dvec3& radius, int material,
             Dice& dice) {
    const int top = to.corner(middle.x, middle.y + radius.y, middle.z);
    const int bottom = to.corner(middle.x, middle.y - radius.y, middle.z);
    std::array<std::array<int, kAround>, kRings - 1> rings;
    for (int j = 0; j < kRings - 1; ++j) {
        const double down = M_PI * (j + 1) / kRings;
        for (int i = 0; i < kAround; ++i) {
            const double turn = 2 * M_PI * (i + .5 * (j % 2)) / kAround;
            const double dent = dice.between(.82, 1.08);
            rings[j][i] = to.corner(middle.x + dent * radius.x * std::sin(down) * std::cos(turn),
                                    middle.y + dent * radius.y * std::cos(down),
                                    middle.z + dent * radius.z * std::sin(down) * std::sin(turn));
        }
    }
    for (int i = 0; i < kAround; ++i) {
        const int next = (i + 1) % kAround;
        to.triangle(top, rings[0][next], rings[0][i], material);
        for (int j = 0; j + 1 < kRings - 1; ++j)
            to.quad(rings[j][i], rings[j][next], rings[j + 1][next], rings[j + 1][i], material);
        to.triangle(bottom, rings[kRings - 2][i], rings[kRings - 2][next], material);
    }
}

void addTree(PieceMaker& to, const Species& s, Dice& dice) {
    addTrunk(to, s.layers > 0 ? .8 : .5);
    for (int i = 0; i < s.layers; ++i) {
        const double low = .18 + .66 * i / s.layers;
        addCone(to, s.width / 2 * (1 - .8 * i / s.layers), low, low + .9 / s.layers + .08, s.crown,
                dice);
    }
    for (int i = 0; i < s.balls; ++i) {
        const double aside = i == 0 ? 0 : s.width / 4, turn = 2.4 * i;
        const double high = i == 0 ? .64 : dice.between(.5, .7);
        const double wide = s.width / 2 * (i == 0 ? .85 : .6);
        addBall(to, {aside * std::cos(turn), high, aside * std::sin(turn)},
                {wide, i == 0 ? .36 : .22, wide}, s.crown, dice);
    }
}

/// Where the trees of each species stand: on dry land that is not too steep.
std::array<std::vector<Placement>, kSpecies.size()> placesOfTrees(int trees) {
    std::array<std::vector<Placement>, kSpecies.size()> places;
    Dice dice(11);
    const double size = std::min(.7, 1.5 * std::sqrt(50. / trees));
    for (int i = 0; i < trees;) {
        const double x = dice.between(-.49, .49) * kLand, z = dice.between(-.49, .49) * kLand;
        if (i % 1024 == 0) stopPoint();
        const double height = heightAt(x, z), step = .02;
        const double steep =
            std::hypot(heightAt(x + step, z) - height, heightAt(x, z + step) - height) / step;
        const bool dry = height > .02;
        if (!dry || (steep > .9 && dice() < .9)) continue;
        const double wide = size * dice.between(.7, 1.1);
        places[static_cast<std::size_t>(i) % kSpecies.size()].push_back(
            standing(2 * M_PI * dice(), {wide, size * dice.between(.6, 1.2), wide},
                     {x, height - .02 * size, z}));
        ++i;
    }
    return places;
}

// --- Blocks
// ---------------------------------------------------------------------------------------

struct House {
    int floors, columns;
    int wall;  ///< material
};
constexpr std::array<House, 9> kHouses{{{2, 3, 1},
                                        {3, 3, 2},
                                        {3, 4, 4},
                                        {4, 3, 5},
                                        {4, 4, 3},
                                        {6, 4, 1},
                                        {9, 4, 3},
                                        {14, 4, 6},
                                        {20, 3, 7}}};
constexpr int kWindowTriangles = 18, kWindowCorners = 12;
constexpr double kStorey = .3;

constexpr int trianglesOf(const House& h) {
    return 4 * h.floors * h.columns * kWindowTriangles + 10;
}
constexpr int cornersOf(const House& h) {
    return 4 * h.floors * h.columns * kWindowCorners + 8;
}

/// A wall, and windows set back in it. `at(u, v, in)`: a point of it so far to the right, up, and
/// into the house.
template <class At>
void addFront(PieceMaker& to, const House& h, At at) {
    constexpr double kDeep = .03;
    const double wide = 1. / h.columns;
    for (int floor = 0; floor < h.floors; ++floor) {
        for (int column = 0; column < h.columns; ++column) {
            std::array<int, 4> cell, edge, pane;
            for (int k = 0; k < 4; ++k) {
                const double right = k == 1 || k == 2 ? 1 : 0, up = k >= 2 ? 1 : 0;
                const double u = column * wide, v = floor * kStorey;
                const double inU = wide * (.22 + .56 * right), inV = kStorey * (.25 + .55 * up);
                cell[k] = at(u + wide * right, v + kStorey * up, 0.);
                edge[k] = at(u + inU, v + inV, 0.);
                pane[k] = at(u + inU, v + inV, kDeep);
            }
            for (int k = 0; k < 4; ++k) {
                const int next = (k + 1) % 4;
                to.quad(cell[k], cell[next], edge[next], edge[k], h.wall);
                to.quad(edge[k], edge[next], pane[next], pane[k], h.wall);
            }
            to.quad(pane[0], pane[1], pane[2], pane[3], 8);
        }
    }
}

/// Between -.45 and .45, on the ground.
void addHouse(PieceMaker& to, const House& h) {
    constexpr double kHalf = .45;
    for (int side = 0; side < 4; ++side) {
        const double c = side == 0 ? 1 : side == 2 ? -1 : 0, s = side == 1 ? 1 : side == 3 ? -1 : 0;
        addFront(to, h, [&](double u, double v, double in) {
            const double along = 2 * kHalf * (u - .5), out = kHalf - in;
            return to.corner(along * c + out * s, v, out * c - along * s);
        });
    }
    const double top = h.floors * kStorey;
    std::array<int, 8> c;
    for (int k = 0; k < 8; ++k) {  // a parapet would be seen, a roof is enough
        const double x = k % 4 == 1 || k % 4 == 2 ? kHalf : -kHalf, z = k % 4 >= 2 ? -kHalf : kHalf;
        const double in = k < 4 ? 1 : .6;
        c[k] = to.corner(x * in, top + (k < 4 ? 0 : .12), z * in);
    }
    for (int k = 0; k < 4; ++k) to.quad(c[k], c[(k + 1) % 4], c[4 + (k + 1) % 4], c[4 + k], 5);
    to.quad(c[4], c[5], c[6], c[7], 5);
}

/// Which houses stand where, from the middle of the town outwards, as many as there may be.
struct Town {
    std::array<std::vector<Placement>, kHouses.size()> places;
    double half = 0;  ///< of its side
};

Town townOf(int triangles) {
    Town town;
    Dice dice(13);
    const double across = housesAcross(triangles);
    const auto along = [](int i) { return i + .8 * std::floor(i / 4.); };
    std::size_t left = static_cast<std::size_t>(triangles) - 2;
    const auto build = [&](int i, int j) {
        const double out = 2 * std::max(std::abs(i), std::abs(j)) / across;
        const double high = dice() * std::exp(-3 * out * out), any = dice();
        const std::size_t kind =
            high > .35 ? 5 + static_cast<std::size_t>(4 * any) : static_cast<std::size_t>(6 * any);
        const auto needed = static_cast<std::size_t>(trianglesOf(kHouses[kind]));
        if (needed > left) return false;
        left -= needed;
        const glm::dvec3 stretch{dice() < .5 ? -1 : 1, dice.between(.9, 1.2), 1};
        const double x = along(i), z = along(j), quarter = std::floor(4 * dice());
        town.places[kind].push_back(standing(quarter * M_PI / 2, stretch, {x, 0, z}));
        town.half = std::max({town.half, std::abs(x), std::abs(z)});
        return true;
    };
    for (int ring = 0, more = 1; more != 0; ++ring) {
        stopPoint();
        for (int j = -ring; j <= ring && more != 0; ++j) {
            const int step = ring == 0 || std::abs(j) == ring ? 1 : 2 * ring;
            for (int i = -ring; i <= ring && more != 0; i += step) more = build(i, j) ? 1 : 0;
        }
    }
    return town;
}

/// Of a mesh with pieces.
struct Counted {
    std::vector<Material> materials;
    MeshOutline shared{}, copied{};  ///< as it is, and with copies in all places

    void add(std::size_t triangles, std::size_t corners, std::size_t places) {
        shared.triangles += triangles;
        shared.corners += corners;
        shared.places += places;
        shared.placed += places * triangles;
        copied.triangles += places * triangles;
        copied.corners += places * corners;
    }
    MeshOutline outline(Copies copies) const {
        MeshOutline outline = copies == Copies::none ? shared : copied;
        outline.materials = materials;
        return outline;
    }
};

Counted countedForest(int trees) {
    const MeshOutline ground = terrainOutline(kGroundTriangles);
    Counted forest{ground.materials};
    forest.materials.insert(forest.materials.end(),
                            {matt(.2, .13, .08), matt(.05, .16, .06), matt(.1, .2, .05),
                             matt(.2, .3, .06), matt(.42, .2, .05), metal(.8, .85, .9, .15)});
    forest.add(ground.triangles, ground.corners, 1);
    for (std::size_t i = 0; i < kSpecies.size(); ++i) {
        const auto count = static_cast<std::size_t>(trees) + kSpecies.size() - 1 - i;
        forest.add(static_cast<std::size_t>(trianglesOf(kSpecies[i])),
                   static_cast<std::size_t>(cornersOf(kSpecies[i])), count / kSpecies.size());
    }
    return forest;
}

Counted countedBlocks(const Town& town) {
    Counted blocks{{matt(.17, .17, .18), matt(.62, .58, .52), matt(.7, .42, .32),
                    matt(.45, .47, .5), matt(.78, .74, .66), matt(.35, .3, .28),
                    metal(.75, .75, .75, .3), metal(.85, .75, .6, .25), metal(.5, .6, .7, .03)}};
    blocks.add(2, 4, 1);
    for (std::size_t i = 0; i < kHouses.size(); ++i) {
        if (town.places[i].empty()) continue;
        blocks.add(static_cast<std::size_t>(trianglesOf(kHouses[i])),
                   static_cast<std::size_t>(cornersOf(kHouses[i])), town.places[i].size());
    }
    return blocks;
}

}  // namespace

MeshOutline forestOutline(int trees, Copies copies) {
    return countedForest(trees).outline(copies);
}

Mesh forest(int trees) {
    Mesh mesh = terrain(kGroundTriangles);
    mesh.materials = countedForest(trees).materials;
    PieceMaker to(mesh);
    to.piece({});
    const auto places = placesOfTrees(trees);
    Dice dice(17);
    for (std::size_t i = 0; i < kSpecies.size(); ++i) {
        addTree(to, kSpecies[i], dice);
        to.piece(places[i]);
    }
    mesh.normals.resize(mesh.corners.size(), glm::vec3(0));
    return mesh;
}

double housesAcross(int triangles) {
    constexpr double kMeanTriangles = 1000;
    return std::sqrt(triangles / kMeanTriangles);
}

MeshOutline blocksOutline(int triangles, Copies copies) {
    return countedBlocks(townOf(triangles)).outline(copies);
}

Mesh blocks(int triangles) {
    const Town town = townOf(triangles);
    Mesh mesh;
    mesh.materials = countedBlocks(town).materials;
    PieceMaker to(mesh);
    const double edge = town.half + 3;
    to.quad(to.corner(-edge, 0, -edge), to.corner(-edge, 0, edge), to.corner(edge, 0, edge),
            to.corner(edge, 0, -edge), 0);
    to.piece({});
    for (std::size_t i = 0; i < kHouses.size(); ++i) {
        if (town.places[i].empty()) continue;
        addHouse(to, kHouses[i]);
        to.piece(town.places[i]);
    }
    return mesh;
}

}  // namespace rayscope
