#pragma once

#include "renderer/scene/bvh.h"
#include "renderer/scene/grid.h"

namespace rayscope {

/// What rays may walk in a scene, while spheres are edited.
struct Structures {
    EditedBvh bvh;
    EditedGrid grid;
    /// Of the nodes and the list that packScene() made last in a scene with triangles.
    std::size_t meshTreeBytes = 0;

    /// Another scene takes the place of this one.
    void change() {
        bvh.change();
        grid.change();
        meshTreeBytes = 0;
    }
    /// Spheres have moved by themselves.
    void follow() {
        bvh.follow();
        grid.change();
    }
    /// As EditedBvh::move(), of any of them.
    bool move(int sphere) {
        const bool tree = bvh.move(sphere);
        return grid.move(sphere) || tree;
    }
};

}  // namespace rayscope
