#include "renderer/scene/gltf_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "renderer/base/text.h"
#include "renderer/scene/gltf_buffers.h"
#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Extensions that are read, or about which there are remarks where a file uses them.
constexpr std::string_view kKnown[] = {
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_materials_volume_scatter",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "MSFT_texture_dds",
};
/// What changes no picture.
constexpr std::string_view kOfNoLook[] = {"KHR_xmp_json_ld",       "KHR_xmp",
                                          "EXT_mesh_features",     "EXT_structural_metadata",
                                          "EXT_instance_features", "KHR_node_selectability",
                                          "KHR_node_hoverability"};

template <class Names>
bool isIn(const Names& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void checkVersion(const json& root) {
    const std::string version = textOf(member(member(root, "asset"), "version"));
    // glTF 1 has objects where 2 has lists
    const bool old = version.starts_with("1.") || version.starts_with("0.") || version == "1" ||
                     member(root, "meshes").is_object() || member(root, "techniques").is_object();
    if (old) throw GltfProblem{"it is glTF 1, and only glTF 2 is read"};
    if (!version.empty() && !version.starts_with("2"))
        throw GltfProblem{fmt::format("it is glTF {}, and only glTF 2 is read",
                                      printable(shortened(version, 20)))};
}

void checkExtensions(const json& root, Remarks& remarks) {
    const json& required = member(root, "extensionsRequired");
    const json& used = member(root, "extensionsUsed");
    const auto named = [](const json& name) { return printable(shortened(textOf(name), 60)); };
    for (std::size_t i = 0; required.is_array() && i < required.size(); ++i) {
        const std::string name = textOf(required[i]);
        // how surfaces look, but not what is there
        const bool material = name.starts_with("KHR_materials_");
        if (!isIn(kKnown, name) && !isIn(kOfNoLook, name) && !material)
            throw GltfProblem{fmt::format("it requires the extension '{}', which is not supported",
                                          named(required[i]))};
    }
    for (std::size_t i = 0; used.is_array() && i < used.size(); ++i) {
        const std::string name = textOf(used[i]);
        if (!isIn(kKnown, name) && !isIn(kOfNoLook, name))
            remarks.add(fmt::format("the extension '{}' is not read", named(used[i])));
    }
}

}  // namespace

void checkGltf(const json& root, Remarks& remarks) {
    checkVersion(root);
    checkExtensions(root, remarks);
    const json& animations = member(root, "animations");
    if (animations.is_array() && !animations.empty())
        remarks.add("animations are not played: the pose of the file is shown", "animations[0]",
                    static_cast<int>(animations.size()));
    if (member(member(root, "extensions"), "KHR_materials_variants").is_object())
        remarks.add("material variants are not shown: the default materials are");
}

}  // namespace rayscope
