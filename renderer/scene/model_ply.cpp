// The Stanford polygon format: a header that lists elements and their properties, then the values
// as text or in either order of bytes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <glm/geometric.hpp>

#include "renderer/base/text.h"
#include "renderer/scene/model_formats.h"

namespace rayscope {

namespace {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
enum class PlyFormat { text, little, big };

constexpr std::array<int, 8> kBytes{1, 1, 2, 2, 4, 4, 4, 8};

struct PlyProperty {
    std::string name;
    PlyType type{};
    bool list = false;
    PlyType countType{};
};

struct PlyElement {
    std::string name;
    std::size_t count = 0;
    std::vector<PlyProperty> properties;
};

/// What ends the reading; plyModel() returns it.
struct PlyProblem {
    std::string reason;
};

PlyType typeNamed(std::string_view name) {
    constexpr std::array<std::array<std::string_view, 2>, 8> names{{{"char", "int8"},
                                                                    {"uchar", "uint8"},
                                                                    {"short", "int16"},
                                                                    {"ushort", "uint16"},
                                                                    {"int", "int32"},
                                                                    {"uint", "uint32"},
                                                                    {"float", "float32"},
                                                                    {"double", "float64"}}};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == names[i][0] || name == names[i][1]) return static_cast<PlyType>(i);
    }
    throw PlyProblem{fmt::format("'{}' is no type", printable(shortened(std::string(name), 40)))};
}

class PlyReader {
public:
    explicit PlyReader(std::string_view bytes) : bytes_(bytes) {}

    Model read() {
        header();
        for (const PlyElement& element : elements_) {
            if (element.name == "vertex")
                vertices(element);
            else if (element.name == "face" || element.name == "tristrips")
                faces(element);
            else
                skip(element);
        }
        Model model;
        model.mesh = std::move(mesh_);
        model.mesh.materials.push_back(materialOf({}));
        return model;
    }

private:
    static constexpr std::size_t kMostElements = 64, kMostListed = 1 << 16;

    std::string_view line() {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == bytes_.npos) throw PlyProblem{"its header has no end"};
        std::string_view text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        if (text.ends_with('\r')) text.remove_suffix(1);
        return text;
    }

    static std::string_view word(std::string_view& rest) {
        const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
        rest.remove_prefix(begin);
        const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
        const std::string_view found = rest.substr(0, end);
        rest.remove_prefix(end);
        return found;
    }

    void header() {
        if (line() != "ply") throw PlyProblem{"it does not begin as a PLY file"};
        for (std::string_view rest = line(); rest != "end_header"; rest = line()) {
            const std::string_view key = word(rest);
            if (key == "format") {
                format(word(rest));
            } else if (key == "element") {
                element(rest);
            } else if (key == "property") {
                property(rest);
            } else if (key != "comment" && key != "obj_info" && !key.empty()) {
                throw PlyProblem{fmt::format("its header has an unknown word '{}'",
                                             printable(shortened(std::string(key), 40)))};
            }
        }
    }

    void format(std::string_view name) {
        if (name == "ascii")
            format_ = PlyFormat::text;
        else if (name == "binary_little_endian")
            format_ = PlyFormat::little;
        else if (name == "binary_big_endian")
            format_ = PlyFormat::big;
        else
            throw PlyProblem{fmt::format("its format '{}' is not known",
                                         printable(shortened(std::string(name), 40)))};
    }

    void element(std::string_view rest) {
        PlyElement made{std::string(word(rest)), 0, {}};
        const std::string_view count = word(rest);
        const auto [end, error] =
            std::from_chars(count.data(), count.data() + count.size(), made.count);
        if (error != std::errc() || end != count.data() + count.size())
            throw PlyProblem{"an element has no count"};
        if (elements_.size() == kMostElements) throw PlyProblem{"it has too many elements"};
        elements_.push_back(std::move(made));
    }

    void property(std::string_view rest) {
        if (elements_.empty()) throw PlyProblem{"a property comes before all elements"};
        if (elements_.back().properties.size() == kMostElements)
            throw PlyProblem{"an element has too many properties"};
        PlyProperty made;
        std::string_view type = word(rest);
        if (type == "list") {
            made.list = true;
            made.countType = typeNamed(word(rest));
            type = word(rest);
        }
        made.type = typeNamed(type);
        made.name = word(rest);
        elements_.back().properties.push_back(std::move(made));
    }

    double number(PlyType type) {
        if (format_ == PlyFormat::text) return textNumber();
        const std::size_t size = kBytes[static_cast<std::size_t>(type)];
        if (bytes_.size() - at_ < size) throw PlyProblem{"it ends before its last value"};
        std::array<char, 8> raw{};
        std::memcpy(raw.data(), bytes_.data() + at_, size);
        at_ += size;
        const bool swapped =
            (format_ == PlyFormat::big) == (std::endian::native == std::endian::little);
        if (swapped) std::reverse(raw.begin(), raw.begin() + static_cast<int>(size));
        switch (type) {
            case PlyType::int8:
                return as<std::int8_t>(raw);
            case PlyType::uint8:
                return as<std::uint8_t>(raw);
            case PlyType::int16:
                return as<std::int16_t>(raw);
            case PlyType::uint16:
                return as<std::uint16_t>(raw);
            case PlyType::int32:
                return as<std::int32_t>(raw);
            case PlyType::uint32:
                return as<std::uint32_t>(raw);
            case PlyType::float32:
                return as<float>(raw);
            case PlyType::float64:
                break;
        }
        return as<double>(raw);
    }

    template <class T>
    static double as(const std::array<char, 8>& raw) {
        T value;
        std::memcpy(&value, raw.data(), sizeof value);
        return static_cast<double>(value);
    }

    double textNumber() {
        at_ = std::min(bytes_.find_first_not_of(" \t\r\n", at_), bytes_.size());
        double value = 0;
        const char* const begin = bytes_.data() + at_;
        const auto [end, error] = std::from_chars(begin, bytes_.data() + bytes_.size(), value);
        if (at_ == bytes_.size()) throw PlyProblem{"it ends before its last value"};
        if (error != std::errc()) {
            throw PlyProblem{
                fmt::format("'{}' is no number",
                            printable(shortened(std::string(bytes_.substr(at_, 40)), 20)))};
        }
        at_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    std::size_t countOf(const PlyProperty& property) {
        const double count = number(property.countType);
        if (!(count >= 0 && count <= kMostListed)) throw PlyProblem{"a list is too long"};
        return static_cast<std::size_t>(count);
    }

    void pass(const PlyProperty& property) {
        const std::size_t count = property.list ? countOf(property) : 1;
        for (std::size_t i = 0; i < count; ++i) number(property.type);
    }

    /// A value takes at least a byte, so no count is larger than the file.
    void checkCount(const PlyElement& element) const {
        if (element.properties.empty() && element.count > 0)
            throw PlyProblem{"an element has no properties"};
        if (element.count > bytes_.size() - at_) throw PlyProblem{"it ends before its last value"};
        const bool used = element.name == "vertex" || element.name == "face";
        if (used && element.count > static_cast<std::size_t>(kMaxTriangles))
            throw PlyProblem{kTooManyTriangles};
    }

    void skip(const PlyElement& element) {
        checkCount(element);
        for (std::size_t i = 0; i < element.count; ++i) {
            for (const PlyProperty& p : element.properties) pass(p);
        }
    }

    void vertices(const PlyElement& element) {
        checkCount(element);
        constexpr std::array<std::string_view, 6> names{"x", "y", "z", "nx", "ny", "nz"};
        std::vector<int> places;  // of each property among the names; -1: not there
        int found = 0;
        for (const PlyProperty& p : element.properties) {
            const auto* const name = std::find(names.begin(), names.end(), p.name);
            const bool known = name != names.end() && !p.list;
            places.push_back(known ? static_cast<int>(name - names.begin()) : -1);
            if (known) found |= 1 << (name - names.begin());
        }
        if ((found & 7) != 7) throw PlyProblem{"its vertices have no x, y and z"};
        const bool normals = (found & 56) == 56;
        if (!mesh_.corners.empty()) throw PlyProblem{"it has vertices twice"};
        for (std::size_t i = 0; i < element.count; ++i) {
            std::array<double, 6> v{};
            for (std::size_t k = 0; k < places.size(); ++k) {
                if (places[k] < 0)
                    pass(element.properties[k]);
                else
                    v[static_cast<std::size_t>(places[k])] = number(element.properties[k].type);
            }
            add({v[0], v[1], v[2]}, {v[3], v[4], v[5]}, normals);
        }
    }

    void add(const glm::dvec3& corner, const glm::dvec3& normal, bool normals) {
        if (!inReach(corner)) throw PlyProblem{"a vertex is no number or too far away"};
        mesh_.corners.emplace_back(corner);
        if (!normals) return;
        const double length = glm::length(normal);
        mesh_.normals.emplace_back(length > 0 && length < 1e30 ? normal / length : glm::dvec3(0));
    }

    void faces(const PlyElement& element) {
        checkCount(element);
        for (std::size_t i = 0; i < element.count; ++i) {
            for (const PlyProperty& p : element.properties) {
                const bool corners = p.name == "vertex_indices" || p.name == "vertex_index";
                if (p.list && corners && element.name == "face")
                    polygon(p);
                else
                    pass(p);
            }
        }
    }

    void polygon(const PlyProperty& property) {
        const std::size_t count = countOf(property);
        int first = 0, last = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double index = number(property.type);
            if (!(index >= 0 && index < static_cast<double>(mesh_.corners.size())))
                throw PlyProblem{"a face has a vertex that is not there"};
            const int corner = static_cast<int>(index);
            if (i == 0) first = corner;
            if (i >= 2) {
                if (mesh_.faces.size() == static_cast<std::size_t>(kMaxTriangles))
                    throw PlyProblem{kTooManyTriangles};
                mesh_.faces.push_back({{first, last, corner}, 0});
            }
            last = corner;
        }
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    PlyFormat format_ = PlyFormat::text;
    std::vector<PlyElement> elements_;
    Mesh mesh_;
};

}  // namespace

Result<Model> plyModel(std::string_view bytes) {
    try {
        return PlyReader(bytes).read();
    } catch (const PlyProblem& problem) {
        return Failure{problem.reason};
    }
}

}  // namespace rayscope
