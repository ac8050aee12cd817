#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/scene/gltf_textures.h"
#include "renderer/scene/remarks.h"

namespace rayscope {

/// A material of a glTF file.
struct GltfMaterial {
    FileSurface surface;
    /// References to textures, {"index": 1, ...}; null: there is none.
    const nlohmann::json* albedo = nullptr;
    const nlohmann::json* metal = nullptr;
    const nlohmann::json* emission = nullptr;
    /// The alpha of the base colour's texture below which nothing is seen. Nothing is half
    /// transparent: it is there, or it is not.
    double holesBelow = 0;
    bool unlit = false;  ///< shows its base colour whatever the light: it shines by itself

    /// Without a texture its alpha is the same all over.
    bool isUnseen() const;
    /// The texture by which corners are placed in all of the material's textures.
    const nlohmann::json& placing() const;
};

/// `m`: of the list of materials, or null: glTF's default. A texture that lies differently from
/// the base colour's is not read: what would be metal is matt, what would shine does not.
GltfMaterial gltfMaterial(const nlohmann::json& m);

/// Remarks on what of a material is not shown, or otherwise. `where`: "materials[3]".
void remarkMaterial(const nlohmann::json& m, const std::string& where, Remarks& remarks);

}  // namespace rayscope
