#pragma once

#include "renderer/scene/bvh.h"
#include "renderer/scene/grid.h"

namespace rayscope {

/// What rays may walk in a scene, while spheres are edited.
struct Structures {
    EditedBvh bvh;
    EditedBvh overHalves;  ///< VertexPrecision::half
    EditedGrid grid;
    /// Of the nodes and the list that packScene() made last in a scene with triangles.
    std::size_t meshTreeBytes = 0;

    EditedBvh& treesOf(VertexPrecision corners) {
        return corners == VertexPrecision::half ? overHalves : bvh;
    }

    /// Another scene takes the place of this one.
    void change() {
        bvh.change();
        overHalves.change();
        grid.change();
        meshTreeBytes = 0;
    }
    /// Spheres have moved by themselves.
    void follow() {
        bvh.follow();
        overHalves.follow();
        grid.change();
    }
    /// As EditedBvh::move(), of any of them.
    bool move(int sphere) {
        const bool tree = bvh.move(sphere), other = overHalves.move(sphere);
        return grid.move(sphere) || tree || other;
    }
};

}  // namespace rayscope
