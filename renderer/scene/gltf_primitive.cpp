#include "renderer/scene/gltf_primitive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "renderer/scene/gltf_packed.h"
#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

const json& accessorOf(const json& root, const json& primitive, const std::string& attribute) {
    const json& number = member(member(primitive, "attributes"), attribute.c_str());
    return number.is_null() ? none() : elementOf(root, "accessors", countOf(number));
}

void divide(std::string& floats, double by) {
    for (std::size_t at = 0; at + sizeof(float) <= floats.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, floats.data() + at, sizeof value);
        value = static_cast<float>(std::max(value / by, -1.));
        std::memcpy(floats.data() + at, &value, sizeof value);
    }
}

DracoPrimitive unpacked(const json& root, const json& primitive, const json& extension,
                        GltfBuffers& buffers) {
    DracoMesh mesh = dracoUnpacked(buffers.view(countOf(member(extension, "bufferView"))),
                                   member(extension, "attributes"));
    DracoPrimitive found;
    found.indices = Elements::ofWords(buffers.keep(std::move(mesh.indices)));
    for (auto& [name, attribute] : mesh.attributes) {
        const json& accessor = accessorOf(root, primitive, name);
        if (attribute.largest != 1 && member(accessor, "normalized") == true)
            divide(attribute.floats, attribute.largest);
        found.attributes.emplace(
            name, Elements::ofFloats(buffers.keep(std::move(attribute.floats)), attribute.parts));
    }
    return found;
}

/// Numbers of an element of these types.
bool hasParts(std::initializer_list<std::string_view> types, std::size_t parts) {
    return std::any_of(types.begin(), types.end(), [&](std::string_view type) {
        return static_cast<std::size_t>(type.back() - '0') == parts;
    });
}

}  // namespace

GltfPrimitive::GltfPrimitive(const json& root, const json& primitive, GltfBuffers& buffers,
                             DracoPrimitives& known)
    : primitive_(primitive), buffers_(buffers) {
    const json& extension = member(member(primitive, "extensions"), "KHR_draco_mesh_compression");
    if (extension.is_null()) return;
    const auto found = known.find(&primitive);
    draco_ = found != known.end()
                 ? &found->second
                 : &known.emplace(&primitive, unpacked(root, primitive, extension, buffers))
                        .first->second;
}

std::optional<Elements> GltfPrimitive::attribute(
    const std::string& name, std::initializer_list<std::string_view> types) const {
    if (draco_ != nullptr) {
        const auto found = draco_->attributes.find(name);
        if (found != draco_->attributes.end()) {
            if (!hasParts(types, found->second.parts))
                throw GltfProblem{fmt::format("{} of its Draco data does not have the type {}",
                                              name, fmt::join(types, " or "))};
            return found->second;
        }
    }
    const json& accessor = member(member(primitive_, "attributes"), name.c_str());
    if (accessor.is_null()) return {};
    return buffers_.elements(countOf(accessor), types);
}

std::optional<Elements> GltfPrimitive::indices() const {
    if (draco_ != nullptr) return draco_->indices;
    const json& accessor = member(primitive_, "indices");
    if (accessor.is_null()) return {};
    return buffers_.elements(countOf(accessor), {"SCALAR"});
}

}  // namespace rayscope
