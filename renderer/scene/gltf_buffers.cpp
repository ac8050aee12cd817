#include "renderer/scene/gltf_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

int base64Value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string base64(std::string_view text) {
    std::string bytes;
    unsigned bits = 0;
    int have = 0;
    for (const char c : text) {
        const int value = base64Value(c);
        if (value < 0) break;
        bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffff;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        bytes += static_cast<char>(bits >> have & 255);
    }
    return bytes;
}

std::size_t bytesOf(long long component) {
    if (component == kByte) return 1;
    if (component == kShort) return 2;
    if (component == kInt || component == kFloat) return 4;
    throw GltfProblem{"an accessor has a type of numbers that is not read"};
}

/// A URI's characters that are written as %20.
std::string unescaped(const std::string& uri) {
    std::string text;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        unsigned value = 0;
        const char* const digits = uri.data() + i + 1;
        const bool escaped = uri[i] == '%' && i + 2 < uri.size() &&
                             std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
        text += escaped ? static_cast<char>(value) : uri[i];
        if (escaped) i += 2;
    }
    return text;
}

}  // namespace

const json& elementOf(const json& root, const char* list, long long index) {
    const json& all = member(root, list);
    if (!all.is_array() || index < 0 || index >= static_cast<long long>(all.size()))
        throw GltfProblem{fmt::format("{}[{}] is not there", list, index)};
    return all[static_cast<std::size_t>(index)];
}

std::string_view GltfBuffers::bytesAt(const std::string& uri) {
    if (uri.starts_with("data:")) {
        const std::size_t comma = uri.find(";base64,");
        if (comma == uri.npos) throw GltfProblem{"the data of a URI are not in base64"};
        return owned_.emplace_back(base64(std::string_view(uri).substr(comma + 8)));
    }
    Result<std::string> file = companions_.read(unescaped(uri));
    if (!file) throw GltfProblem{file.reason()};
    return owned_.emplace_back(*std::move(file));
}

std::string_view GltfBuffers::buffer(long long index) {
    const json& buffer = elementOf(root_, "buffers", index);
    if (buffers_.size() <= static_cast<std::size_t>(index)) buffers_.resize(index + 1);
    std::optional<std::string_view>& bytes = buffers_[static_cast<std::size_t>(index)];
    if (bytes) return *bytes;
    const std::string uri = textOf(member(buffer, "uri"));
    if (uri.empty() && (index != 0 || binary_.empty())) throw GltfProblem{"a buffer has no bytes"};
    bytes = uri.empty() ? binary_ : bytesAt(uri);
    return *bytes;
}

std::string_view GltfBuffers::view(long long index) {
    const json& view = elementOf(root_, "bufferViews", index);
    const std::string_view bytes = buffer(countOf(member(view, "buffer")));
    const auto begin = std::max(0LL, countOf(member(view, "byteOffset")));
    const auto length = countOf(member(view, "byteLength"));
    if (length < 0 || begin + length > static_cast<long long>(bytes.size()))
        throw GltfProblem{fmt::format("bufferViews[{}] reaches beyond its buffer", index)};
    return bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length));
}

Elements GltfBuffers::elements(long long accessor, std::string_view type, std::size_t parts) {
    const json& a = elementOf(root_, "accessors", accessor);
    if (!member(a, "sparse").is_null()) throw GltfProblem{"sparse accessors are not read"};
    if (textOf(member(a, "type")) != type)
        throw GltfProblem{fmt::format("accessors[{}] is not of the type {}", accessor, type)};
    const long long component = countOf(member(a, "componentType"));
    const long long count = countOf(member(a, "count"));
    const long long viewed = countOf(member(a, "bufferView"));
    const std::string_view bytes = view(viewed);
    const json& layout = elementOf(root_, "bufferViews", viewed);
    const auto offset = std::max(0LL, countOf(member(a, "byteOffset")));
    const auto size = static_cast<long long>(parts * bytesOf(component));
    const auto stride = std::max(size, countOf(member(layout, "byteStride")));
    if (count < 1 || count > 6LL * kMaxTriangles || stride > 4096)
        throw GltfProblem{fmt::format("accessors[{}] has too few or too many elements", accessor)};
    if (offset + (count - 1) * stride + size > static_cast<long long>(bytes.size()))
        throw GltfProblem{fmt::format("accessors[{}] reaches beyond its buffer", accessor)};
    return {bytes.data() + offset, static_cast<std::size_t>(count),
            static_cast<std::size_t>(stride), static_cast<int>(component)};
}

}  // namespace rayscope
