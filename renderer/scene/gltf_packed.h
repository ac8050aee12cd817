#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// Meshes that are packed, by the libraries that pack them. Failures are GltfProblems.

namespace rayscope {

/// The bytes of a view with EXT_meshopt_compression. `extension`: its JSON.
std::string meshoptUnpacked(const nlohmann::json& extension, std::string_view packed,
                            long long view);

/// A primitive with KHR_draco_mesh_compression.
struct DracoMesh {
    struct Attribute {
        std::size_t parts = 0;
        std::string floats;  ///< `parts` each, one behind the other
        /// Divides whole numbers that are shares of the largest.
        double largest = 1;
    };
    std::string indices;  ///< 32-bit, three a triangle
    std::map<std::string, Attribute> attributes;
};

/// `attributes`: Draco's numbers by glTF's names, {"POSITION": 0}.
DracoMesh dracoUnpacked(std::string_view packed, const nlohmann::json& attributes);

}  // namespace rayscope
