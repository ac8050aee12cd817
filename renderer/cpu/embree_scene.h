#pragma once

#include <memory>
#include <string>

#include "renderer/core/mesh.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// A scene's triangles and spheres in Embree's own hierarchy (Accel::embree).
class PeerScene {
public:
    virtual ~PeerScene() = default;
    /// For MeshHeader::peer; lives as long as this.
    virtual const PeerSearch& search() const = 0;
    /// How long Embree's hierarchy took to build.
    virtual double buildMs() const = 0;
};

/// Whether the program was built with Embree.
bool hasEmbree();

/// Where hasEmbree(). Hits are those of our searches, but for rays that pass an edge within
/// rounding, and distances in the last place.
std::unique_ptr<PeerScene> embreeScene(const Scene& scene);

}  // namespace rayscope
