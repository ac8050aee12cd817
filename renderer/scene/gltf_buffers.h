#pragma once

#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/model_formats.h"

// What the JSON of a glTF file says lies where in buffers, in the file itself or in others.

namespace rayscope {

/// What ends the reading; gltfModel() returns it.
struct GltfProblem {
    std::string reason;
};

/// Element `index` of a list of the file.
const nlohmann::json& elementOf(const nlohmann::json& root, const char* list, long long index);

/// glTF's numbers of types.
inline constexpr int kByte = 5121, kShort = 5123, kInt = 5125, kFloat = 5126;

/// The elements of an accessor, where they lie.
struct Elements {
    const char* first = nullptr;
    std::size_t count = 0, stride = 0;
    int component = 0;  ///< glTF's number of the type

    template <class T>
    T at(std::size_t i, std::size_t part = 0) const {
        T value;
        std::memcpy(&value, first + i * stride + part * sizeof(T), sizeof value);
        return value;
    }
};

/// The buffers of a file, its own or others' that it names.
class GltfBuffers {
public:
    /// `binary`: what a .glb file has behind its JSON.
    GltfBuffers(const nlohmann::json& root, std::string_view binary, Companions& companions)
        : root_(root), binary_(binary), companions_(companions) {}

    /// `parts`: numbers of an element, named by glTF as "VEC3".
    Elements elements(long long accessor, std::string_view type, std::size_t parts);
    /// Those of a view.
    std::string_view view(long long index);
    /// What a file beside the model or a data URI holds.
    std::string_view bytesAt(const std::string& uri);

private:
    std::string_view buffer(long long index);

    const nlohmann::json& root_;
    std::string_view binary_;
    Companions& companions_;
    std::deque<std::string> owned_;  ///< bytes that are not the file's own
    std::vector<std::optional<std::string_view>> buffers_;
};

}  // namespace rayscope
