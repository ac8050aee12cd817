#include "renderer/scene/shared_mesh.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "renderer/scene/mesh.h"

namespace rayscope {

struct SharedMesh::Kept {
    MeshOutline outline;
    std::function<Mesh()> make;  ///< empty where it is there
    std::once_flag once;
    std::shared_ptr<const Mesh> mesh;
};

SharedMesh::SharedMesh(std::shared_ptr<const Mesh> mesh) : kept_(std::make_shared<Kept>()) {
    MeshOutline& outline = kept_->outline;
    outline = {mesh->faces.size(), mesh->corners.size(), mesh->materials, hasTextures(*mesh),
               !mesh->colours.empty()};
    for (const Textures& textures : mesh->textures) {
        if (textures.metal.picture) outline.hasMetalTexture = true;
        if (textures.emission.picture) outline.hasEmissionTexture = true;
        if (textures.holesBelow > 0) outline.hasHoles = true;
        for (const Texture& texture : {textures.albedo, textures.metal, textures.emission})
            if (texture.picture) outline.texels += texture.picture->texels.size();
    }
    for (const MeshPiece& piece : mesh->pieces) {
        const std::size_t places = std::max<std::size_t>(1, piece.places.size());
        outline.places += places;
        outline.placed += places * static_cast<std::size_t>(piece.faces);
    }
    kept_->mesh = std::move(mesh);
}

SharedMesh::SharedMesh(MeshOutline outline, std::function<Mesh()> make)
    : kept_(std::make_shared<Kept>()) {
    kept_->outline = std::move(outline);
    kept_->make = std::move(make);
}

const Mesh* SharedMesh::get() const {
    std::call_once(kept_->once, [&] {
        if (!kept_->mesh) kept_->mesh = std::make_shared<const Mesh>(kept_->make());
    });
    return kept_->mesh.get();
}

const MeshOutline& SharedMesh::outline() const {
    return kept_->outline;
}

SharedMesh SharedMesh::Weak::lock() const {
    SharedMesh mesh;
    mesh.kept_ = kept_.lock();
    return mesh;
}

}  // namespace rayscope
