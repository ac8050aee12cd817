#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <glm/vec3.hpp>
#include <map>
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
enum class Component {
    signedByte = 5120,
    byte = 5121,
    signedShort = 5122,
    unsignedShort = 5123,
    word = 5125,
    real = 5126,
};

/// Most elements that have no bytes in the file, of what takes memory for each.
inline constexpr std::size_t kMostAbsent = std::size_t{1} << 20;

/// The elements of an accessor, where they lie. All of its numbers are inside of their buffers.
class Elements {
public:
    std::size_t count = 0;
    std::size_t parts = 0;  ///< numbers of an element

    /// Number `part` of element `i`. A normalised whole number is a share of the largest.
    double number(std::size_t i, std::size_t part = 0) const;
    /// The first three.
    glm::dvec3 vector(std::size_t i) const {
        if (component_ != Component::real || !replaced_.empty())
            return {number(i, 0), number(i, 1), number(i, 2)};
        std::array<float, 3> v{};
        std::memcpy(v.data(), first_ + i * stride_, sizeof v);
        return {v[0], v[1], v[2]};
    }
    /// A whole number; failing if the accessor has none.
    std::uint32_t whole(std::size_t i, std::size_t part = 0) const {
        if (!replaced_.empty()) return anyWhole(i, part);
        // what nearly all files have, for millions of indices
        const char* const element = first_ + i * stride_;
        if (component_ == Component::word) return partOf<std::uint32_t>(element, part);
        if (component_ == Component::unsignedShort) return partOf<std::uint16_t>(element, part);
        return anyWhole(i, part);
    }
    /// They have no bytes in the file: all are zero but those that are replaced.
    bool isAbsent() const { return stride_ == 0; }
    bool isWhole() const { return component_ != Component::real; }

    /// Floats, `parts` each, one behind the other.
    static Elements ofFloats(std::string_view bytes, std::size_t parts);
    /// 32-bit whole numbers.
    static Elements ofWords(std::string_view bytes);

private:
    friend class GltfBuffers;

    /// Those of a sparse accessor in place of others. Their numbers ascend.
    struct Replaced {
        const char* numbers = nullptr;
        const char* values = nullptr;
        std::size_t count = 0;
        Component component = Component::word;  ///< of the numbers
        bool empty() const { return count == 0; }
    };

    template <class T>
    static T partOf(const char* element, std::size_t part) {
        T value;
        std::memcpy(&value, element + part * sizeof value, sizeof value);
        return value;
    }
    std::uint32_t anyWhole(std::size_t i, std::size_t part) const;
    const char* at(std::size_t i, std::size_t part) const;

    const char* first_ = nullptr;
    std::size_t stride_ = 0;
    Component component_ = Component::real;
    bool normalised_ = false;
    Replaced replaced_;
};

/// The buffers of a file, its own or others' that it names.
class GltfBuffers {
public:
    /// `binary`: what a .glb file has behind its JSON.
    GltfBuffers(const nlohmann::json& root, std::string_view binary, Companions& companions)
        : root_(root), binary_(binary), companions_(companions) {}

    /// `types`: glTF's names of the types that it may have, "VEC3".
    Elements elements(long long accessor, std::initializer_list<std::string_view> types);
    /// The bytes of a view, unpacked where meshoptimizer has packed them.
    std::string_view view(long long index);
    /// What a file beside the model or a data URI holds. Kept.
    std::string_view bytesAt(const std::string& uri);
    /// Keeps bytes as long as this is there.
    std::string_view keep(std::string bytes) { return owned_.emplace_back(std::move(bytes)); }

private:
    std::string_view buffer(long long index);
    std::string_view slice(const nlohmann::json& place, long long view);
    Elements::Replaced replaced(const nlohmann::json& sparse, std::size_t size, std::size_t count);

    const nlohmann::json& root_;
    std::string_view binary_;
    Companions& companions_;
    std::deque<std::string> owned_;  ///< bytes that are not the file's own
    std::vector<std::optional<std::string_view>> buffers_;
    std::map<long long, std::string_view> unpacked_;  ///< by their views
};

}  // namespace rayscope
