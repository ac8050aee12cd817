#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "renderer/scene/material.h"

namespace rayscope {

struct Mesh;

/// What is known of a mesh before its triangles are.
struct MeshOutline {
    std::size_t triangles = 0, corners = 0;
    std::vector<Material> materials;
    bool textured = false;  ///< some material has a texture
    bool coloured = false;  ///< corners have colours
    /// A texture says where some metal is matt, or how bright some lamp is.
    bool hasMetalTexture = false, hasEmissionTexture = false;
    bool hasHoles = false;   ///< some texture has
    std::size_t texels = 0;  ///< of its textures; a picture counts for each of them
    /// Of its pieces, and the triangles in all of them; 0: it has no pieces.
    std::size_t places = 0, placed = 0;
};

/// A mesh that scenes share. Where a few words describe millions of triangles, these are made when
/// somebody first asks for them, so that lists of scenes and settings cost nothing.
class SharedMesh {
    struct Kept;

public:
    SharedMesh() = default;
    SharedMesh(std::shared_ptr<const Mesh> mesh);
    /// `make` is called once at most, on the first thread that asks; its mesh fits the outline.
    SharedMesh(MeshOutline outline, std::function<Mesh()> make);

    const Mesh& operator*() const { return *get(); }
    const Mesh* operator->() const { return get(); }
    const Mesh* get() const;
    const MeshOutline& outline() const;

    /// Whether it is one and the same mesh.
    bool operator==(const SharedMesh&) const = default;

    /// Of what others may hold.
    class Weak {
    public:
        Weak() = default;
        Weak(const SharedMesh& mesh) : kept_(mesh.kept_) {}
        /// An empty one where nobody holds it any more.
        SharedMesh lock() const;

    private:
        std::weak_ptr<Kept> kept_;
    };

    explicit operator bool() const { return kept_ != nullptr; }

private:
    std::shared_ptr<Kept> kept_;
};

}  // namespace rayscope
