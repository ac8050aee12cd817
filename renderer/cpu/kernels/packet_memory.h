#pragma once

#include "renderer/core/scene_view.h"

// What packets read and write, as host and kernels know it.

namespace rayscope {

/// Of a ray that hits a sphere beyond tMin (CenterSphere, shapes.h), less what rounding may add.
struct SphereBounds {
    float square;  ///< b b - c + power is not less,
    float b;       ///< nor is b
};

/// Spheres of a block of the scan: a bit of a word each.
inline constexpr int kScanned = 64;

/// Rounding of b b - c + power and of the discriminant that decides: so many times the squares of
/// the ray's origin and the sphere's centre.
inline constexpr float kSquareSlack = 32 * 0x1p-24f;

/// What shading reads of a sphere of each lane, four numbers at a time. Numbers not named are
/// unused.
struct alignas(16) PacketRecord {
    float sphere[4];    ///< centre or, of walls, anchor; 1 / radius
    float albedo[4];    ///< and roughness
    float surface[4];   ///< index of refraction, MaterialKind
    float emission[4];  ///< read where PacketScene::emits
    float normal[4];    ///< of walls, at the anchor
};

/// What packets read beside the packed scene.
struct PacketScene {
    int count = 0, padded = 0;
    const void* structure = nullptr;        ///< packetTree(), or a GridHeader and what follows it
    const SphereBounds* bounds = nullptr;   ///< by sphere
    const PacketRecord* records = nullptr;  ///< by sphere
    /// Of a block from sphere `begin` on, from [begin] on: one past the last sphere of each row. A
    /// row's spheres are consecutive and have the same y and z. Scan::rows.
    const int* rowEnds = nullptr;
    bool emits = false;  ///< some material does
};

/// Paths of which a thread keeps the radiance until it can be summed in the samples' order: enough
/// that lanes without work at their end do not count.
inline constexpr int kPacketPaths = 4096;

/// How often a thread's packets have searched the scene, with some of their lanes.
struct alignas(128) PacketSteps {
    unsigned long long closest = 0, shadow = 0;
};

/// What a thread of Engine::packets works with.
struct PacketMemory {
    PacketScene scene;
    /// Of kPacketPaths paths: what they bring themselves, and what sampled lights bring.
    Pixel *radiance, *lights;
    PacketSteps* steps;
};

}  // namespace rayscope
