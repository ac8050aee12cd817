#include "renderer/scene/gltf_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "renderer/base/text.h"
#include "renderer/scene/gltf_packed.h"
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
    bytes.reserve(text.size() / 4 * 3);
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

Component componentOf(const json& number) {
    switch (countOf(number)) {
        case 5120:
        case 5121:
        case 5122:
        case 5123:
        case 5125:
        case 5126:
            return static_cast<Component>(countOf(number));
        default:
            throw GltfProblem{"an accessor has a type of numbers that is not read"};
    }
}

std::size_t bytesOf(Component component) {
    switch (component) {
        case Component::signedByte:
        case Component::byte:
            return 1;
        case Component::signedShort:
        case Component::unsignedShort:
            return 2;
        default:
            return 4;
    }
}

std::size_t partsOf(std::string_view type) {
    if (type == "SCALAR") return 1;
    if (type == "MAT4") return 16;
    return static_cast<std::size_t>(type.back() - '0');
}

template <class T>
T loaded(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::uint32_t wholeAt(const char* bytes, Component component) {
    switch (component) {
        case Component::byte:
            return loaded<std::uint8_t>(bytes);
        case Component::unsignedShort:
            return loaded<std::uint16_t>(bytes);
        case Component::word:
            return loaded<std::uint32_t>(bytes);
        default:
            throw GltfProblem{"an index or a joint is of a type of numbers that is not read"};
    }
}

/// A whole number as it is, or as a share of the largest.
template <class T>
double shared(const char* bytes, bool normalised) {
    const double value = loaded<T>(bytes);
    if (!normalised) return value;
    return std::max(value / static_cast<double>(std::numeric_limits<T>::max()), -1.);
}

/// The largest element, of zeros, for accessors without bytes.
constexpr std::array<char, 64> kZeros{};

}  // namespace

const json& elementOf(const json& root, const char* list, long long index) {
    const json& all = member(root, list);
    if (!all.is_array() || index < 0 || index >= static_cast<long long>(all.size()))
        throw GltfProblem{fmt::format("{}[{}] is not there", list, index)};
    return all[static_cast<std::size_t>(index)];
}

const char* Elements::at(std::size_t i, std::size_t part) const {
    const std::size_t size = bytesOf(component_);
    if (!replaced_.empty()) {
        const std::size_t step = bytesOf(replaced_.component);
        std::size_t low = 0, high = replaced_.count;
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            const std::size_t number =
                wholeAt(replaced_.numbers + middle * step, replaced_.component);
            if (number == i) return replaced_.values + (middle * parts + part) * size;
            number < i ? low = middle + 1 : high = middle;
        }
    }
    return first_ + i * stride_ + part * size;
}

double Elements::number(std::size_t i, std::size_t part) const {
    const char* const bytes = at(i, part);
    switch (component_) {
        case Component::signedByte:
            return shared<std::int8_t>(bytes, normalised_);
        case Component::byte:
            return shared<std::uint8_t>(bytes, normalised_);
        case Component::signedShort:
            return shared<std::int16_t>(bytes, normalised_);
        case Component::unsignedShort:
            return shared<std::uint16_t>(bytes, normalised_);
        case Component::word:
            return shared<std::uint32_t>(bytes, normalised_);
        case Component::real:
            break;
    }
    return loaded<float>(bytes);
}

std::uint32_t Elements::anyWhole(std::size_t i, std::size_t part) const {
    return wholeAt(at(i, part), component_);
}

Elements Elements::ofFloats(std::string_view bytes, std::size_t parts) {
    Elements e;
    e.parts = parts;
    e.first_ = bytes.data();
    e.stride_ = parts * sizeof(float);
    e.count = bytes.size() / e.stride_;
    return e;
}

Elements Elements::ofWords(std::string_view bytes) {
    Elements e = ofFloats(bytes, 1);
    e.component_ = Component::word;
    return e;
}

std::string_view GltfBuffers::bytesAt(const std::string& uri) {
    if (uri.starts_with("data:")) {
        const std::size_t comma = uri.find(',');
        if (comma == uri.npos) throw GltfProblem{"a URI of data has none"};
        const std::string_view data = std::string_view(uri).substr(comma + 1);
        const bool packed = std::string_view(uri).substr(0, comma).ends_with(";base64");
        return keep(packed ? base64(data) : percentDecoded(data));
    }
    std::string name = percentDecoded(uri);
    std::replace(name.begin(), name.end(), '\\', '/');
    Result<std::string> file = companions_.read(name);
    if (!file) throw GltfProblem{file.reason()};
    return keep(*std::move(file));
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

/// `place`: that of the view's bytes, or of those that it is packed into.
std::string_view GltfBuffers::slice(const json& place, long long view) {
    const std::string_view bytes = buffer(countOf(member(place, "buffer")));
    const auto begin = std::max(0LL, countOf(member(place, "byteOffset")));
    const auto length = countOf(member(place, "byteLength"));
    if (length < 0 || begin + length > static_cast<long long>(bytes.size()))
        throw GltfProblem{fmt::format("bufferViews[{}] reaches beyond its buffer", view)};
    return bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length));
}

std::string_view GltfBuffers::view(long long index) {
    const json& view = elementOf(root_, "bufferViews", index);
    const json* packed = &none();
    for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
        if (packed->is_null()) packed = &member(member(view, "extensions"), name);
    }
    if (packed->is_null()) return slice(view, index);
    const auto [known, fresh] = unpacked_.try_emplace(index);
    if (fresh) known->second = keep(meshoptUnpacked(*packed, slice(*packed, index), index));
    return known->second;
}

Elements::Replaced GltfBuffers::replaced(const json& sparse, std::size_t size, std::size_t count) {
    Elements::Replaced r;
    if (sparse.is_null()) return r;
    const json& indices = member(sparse, "indices");
    const json& values = member(sparse, "values");
    r.component = componentOf(member(indices, "componentType"));
    r.count = static_cast<std::size_t>(std::max(0LL, countOf(member(sparse, "count"))));
    if (r.count > count) throw GltfProblem{"a sparse accessor replaces more than it has"};
    if (r.count == 0) return r;
    const auto part = [&](const json& place, std::size_t bytes) {
        const std::string_view all = view(countOf(member(place, "bufferView")));
        const auto offset =
            static_cast<std::size_t>(std::max(0LL, countOf(member(place, "byteOffset"))));
        if (offset > all.size() || bytes * r.count > all.size() - offset)
            throw GltfProblem{"a sparse accessor reaches beyond its buffer"};
        return all.data() + offset;
    };
    r.numbers = part(indices, bytesOf(r.component));
    r.values = part(values, size);
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < r.count; ++i) {
        const std::uint32_t number = wholeAt(r.numbers + i * bytesOf(r.component), r.component);
        if (number >= count || (i > 0 && number <= before))
            throw GltfProblem{"the indices of a sparse accessor do not ascend within it"};
        before = number;
    }
    return r;
}

Elements GltfBuffers::elements(long long accessor, std::initializer_list<std::string_view> types) {
    const json& a = elementOf(root_, "accessors", accessor);
    const std::string type = textOf(member(a, "type"));
    if (std::find(types.begin(), types.end(), type) == types.end())
        throw GltfProblem{
            fmt::format("accessors[{}] is not of the type {}", accessor, fmt::join(types, " or "))};
    Elements e;
    e.component_ = componentOf(member(a, "componentType"));
    e.normalised_ = member(a, "normalized") == true;
    e.parts = partsOf(type);
    const long long count = countOf(member(a, "count"));
    const auto size = static_cast<long long>(e.parts * bytesOf(e.component_));
    if (count < 1 || count > 6LL * kMaxTriangles)
        throw GltfProblem{fmt::format("accessors[{}] has too few or too many elements", accessor)};
    e.count = static_cast<std::size_t>(count);
    const json& viewed = member(a, "bufferView");
    if (viewed.is_null()) {
        e.first_ = kZeros.data();
    } else {
        const std::string_view bytes = view(countOf(viewed));
        const json& layout = elementOf(root_, "bufferViews", countOf(viewed));
        const auto offset = std::max(0LL, countOf(member(a, "byteOffset")));
        const auto stride = std::max(size, countOf(member(layout, "byteStride")));
        if (stride > 4096)
            throw GltfProblem{fmt::format("accessors[{}] has a stride above 4096", accessor)};
        if (offset + (count - 1) * stride + size > static_cast<long long>(bytes.size()))
            throw GltfProblem{fmt::format("accessors[{}] reaches beyond its buffer", accessor)};
        e.first_ = bytes.data() + offset;
        e.stride_ = static_cast<std::size_t>(stride);
    }
    e.replaced_ = replaced(member(a, "sparse"), static_cast<std::size_t>(size), e.count);
    return e;
}

}  // namespace rayscope
