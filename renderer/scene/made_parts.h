#pragma once

#include <glm/vec3.hpp>
#include <random>

#include "renderer/scene/mesh.h"

// What meshes that are made by a name share.

namespace rayscope {

/// Uniform in [0, 1). The standard fixes the output of this generator, but not of distributions.
class Dice {
public:
    explicit Dice(unsigned seed = 7) : bits_(seed) {}
    double operator()() { return static_cast<double>(bits_() >> 8) / (1 << 24); }
    double between(double low, double high) { return low + (high - low) * (*this)(); }

private:
    std::mt19937 bits_;
};

Material matt(double r, double g, double b);
Material metal(double r, double g, double b, double roughness);

inline constexpr double kLand = 10;  ///< side of the square of a terrain
/// Of a terrain above its lake.
double heightAt(double x, double z);
/// Of at most so many triangles, without pieces.
MeshOutline terrainOutline(int triangles);
Mesh terrain(int triangles);

/// Whether the pieces of a mesh stand in places, or there are copies of their triangles.
enum class Copies { none, all };

/// N trees on a terrain, and houses of N triangles, of a few kinds each.
inline constexpr int kMaxTrees = 250'000;
MeshOutline forestOutline(int trees, Copies copies);
Mesh forest(int trees);
inline constexpr int kFewestOfBlocks = 10'000;
MeshOutline blocksOutline(int triangles, Copies copies);
Mesh blocks(int triangles);
/// Houses along a side of the blocks, about.
double housesAcross(int triangles);

}  // namespace rayscope
