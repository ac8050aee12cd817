#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/scene/model_formats.h"

// Wavefront's libraries of materials (MTL).

namespace rayscope {

inline constexpr std::size_t kMostMaterials = 65536;

/// A picture that a material names, and how it lies on the surface: at s u + o.
struct ObjMap {
    std::string name{};
    std::string from{};  ///< the folder of the library, relative to the model's
    Wrap wrap = Wrap::repeat;
    glm::dvec2 scale{1, 1}, offset{0, 0};
    bool byAlpha = false;  ///< its alpha counts (-imfchan m)

    bool liesAs(const ObjMap& other) const {
        return scale == other.scale && offset == other.offset;
    }
};

/// What a library says of a material. Its lines come in any order.
struct ObjMaterial {
    glm::dvec3 base{.8, .8, .8};
    std::optional<glm::dvec3> emission{}, filter{};  ///< Ke, Tf
    std::optional<double> dissolve{}, transparency{}, index{}, metallic{}, roughness{};
    int illumination = -1;
    bool highlight = false;             ///< Ks is not 0
    ObjMap albedo{}, light{}, alpha{};  ///< map_Kd, map_Ke, map_d
};

using ObjMaterials = std::map<std::string, ObjMaterial>;

/// The materials of a library. `name`: the library's, printable; `from`: its folder. What is not
/// read is remarked on; a value that is no number, too.
ObjMaterials mtlMaterials(std::string_view text, const std::string& name, const std::string& from,
                          Remarks& remarks);

/// What all lines of a material together say.
FileSurface surfaceOf(const ObjMaterial& material);

}  // namespace rayscope
