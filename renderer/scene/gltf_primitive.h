#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "renderer/scene/gltf_buffers.h"

namespace rayscope {

/// What Draco has unpacked, kept by the reader's buffers.
struct DracoPrimitive {
    std::map<std::string, Elements> attributes;
    Elements indices;
};
/// By their primitives' JSON.
using DracoPrimitives = std::map<const nlohmann::json*, DracoPrimitive>;

/// Where a primitive's corners and triangles are: in accessors, or packed by Draco.
class GltfPrimitive {
public:
    /// `known`: those that are unpacked.
    GltfPrimitive(const nlohmann::json& root, const nlohmann::json& primitive, GltfBuffers& buffers,
                  DracoPrimitives& known);

    /// One of its attributes. `types`: glTF's names of those that it may have.
    std::optional<Elements> attribute(const std::string& name,
                                      std::initializer_list<std::string_view> types) const;
    std::optional<Elements> indices() const;

private:
    const nlohmann::json& primitive_;
    GltfBuffers& buffers_;
    const DracoPrimitive* draco_ = nullptr;
};

}  // namespace rayscope
