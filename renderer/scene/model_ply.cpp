// The Stanford polygon format: a header that lists elements and their properties, then the values
// as text or in either order of bytes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <optional>

#include "renderer/base/text.h"
#include "renderer/scene/model_formats.h"
#include "renderer/scene/polygons.h"
#include "renderer/scene/text_lines.h"

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

/// The bytes of a file, from its header to its last value.
class PlyReader {
public:
    /// `converted`: the bytes are text, whatever the header says.
    PlyReader(std::string_view bytes, bool converted) : bytes_(bytes), converted_(converted) {}

    Model read() {
        header();
        const std::size_t values = at_;
        std::vector<std::size_t> begins;  // of each element, to come back to
        bool met = false;
        for (const PlyElement& element : elements_) {
            begins.push_back(at_);
            const bool faces = isOfFaces(element);
            if (element.name == "vertex") {
                vertices(element);
                met = true;
            } else if (faces && met) {
                this->faces(element);
            } else {
                skip(element);
                if (!faces && element.count > 0) remarkOnElement(element);
            }
        }
        end(values);
        facesBeforeVertices(begins);
        if (model_.mesh.faces.empty()) noFaces();
        finish();
        return std::move(model_);
    }

private:
    static constexpr std::size_t kMostElements = 64, kMostHeaderLines = 65536;

    static std::string shownText(std::string_view text) {
        return printable(shortened(std::string(text.substr(0, 60)), 40));
    }

    // --- the header

    /// Lines end as the first one does: LF, CR, CRLF or LFCR. A line feed that begins the values
    /// is none of an end.
    std::string_view line() {
        if (++lines_ > kMostHeaderLines) throw PlyProblem{"its header is too long"};
        const std::size_t end = bytes_.find(ends_, at_);
        if (end == bytes_.npos) throw PlyProblem{"its header has no end"};
        std::string_view text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        if (ends_ == '\n' && lfcr_ && at_ < bytes_.size() && bytes_[at_] == '\r') ++at_;
        while (!text.empty() && (isBlank(text.back()) || text.back() == '\r'))
            text.remove_suffix(1);
        return text;
    }

    void header() {
        const std::size_t first = bytes_.find_first_of("\r\n");
        if (first == bytes_.npos || trimmed(bytes_.substr(0, first)) != "ply")
            throw PlyProblem{"it does not begin as a PLY file"};
        const char second = first + 1 < bytes_.size() ? bytes_[first + 1] : '\0';
        ends_ = bytes_[first] == '\r' && second != '\n' ? '\r' : '\n';
        lfcr_ = bytes_[first] == '\n' && second == '\r';
        line();
        for (std::string_view text = line(); trimmed(text) != "end_header"; text = line()) {
            Words words(text);
            const std::string_view key = words.word();
            if (key == "format") {
                format(words.word());
            } else if (key == "element") {
                element(words);
            } else if (key == "property") {
                property(words);
            } else if (key == "comment") {
                if (words.word() == "TextureFile")
                    model_.remarks.add("textures of PLY files (comment TextureFile) are not read");
            } else if (key != "obj_info" && !key.empty()) {
                throw PlyProblem{
                    fmt::format("its header has an unknown word '{}'", shownText(key))};
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
            throw PlyProblem{fmt::format("its format '{}' is not known", shownText(name))};
        if (converted_ && format_ != PlyFormat::text)
            throw PlyProblem{"its header is UTF-16, but its values are not text"};
    }

    void element(Words words) {
        PlyElement made{std::string(words.word()), 0, {}};
        const std::string_view count = words.word();
        const auto [end, error] =
            std::from_chars(count.data(), count.data() + count.size(), made.count);
        if (error != std::errc() || end != count.data() + count.size())
            throw PlyProblem{"an element has no count"};
        if (elements_.size() == kMostElements) throw PlyProblem{"it has too many elements"};
        elements_.push_back(std::move(made));
    }

    void property(Words words) {
        if (elements_.empty()) throw PlyProblem{"a property comes before all elements"};
        if (elements_.back().properties.size() == kMostProperties)
            throw PlyProblem{"an element has too many properties"};
        PlyProperty made;
        std::string_view type = words.word();
        if (type == "list") {
            made.list = true;
            made.countType = typeNamed(words.word());
            type = words.word();
        }
        made.type = typeNamed(type);
        made.name = words.word();
        elements_.back().properties.push_back(std::move(made));
    }

    // --- values

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

    static bool endsLine(char c) { return c == '\n' || c == '\r'; }

    void passSpace() {
        while (at_ < bytes_.size() &&
               (isBlank(bytes_[at_]) || endsLine(bytes_[at_]) || bytes_[at_] == '\x1a'))
            ++at_;
    }

    double textNumber() {
        passSpace();
        if (at_ == bytes_.size()) throw PlyProblem{atLine("it ends before its last value")};
        const std::size_t begin = at_;
        while (at_ < bytes_.size() && !isBlank(bytes_[at_]) && !endsLine(bytes_[at_])) ++at_;
        const std::string_view word = bytes_.substr(begin, at_ - begin);
        const std::optional<double> value = numberIn(word);
        if (!value) throw PlyProblem{atLine(fmt::format("'{}' is no number", shownText(word)))};
        return *value;
    }

    /// Each element of a text has a line. In some files one has several, or a line has several.
    void endElement(const PlyElement& element) {
        if (format_ != PlyFormat::text || odd_ > 0) return;
        std::size_t at = at_;
        while (at < bytes_.size() && isBlank(bytes_[at])) ++at;
        if (at >= bytes_.size() || endsLine(bytes_[at])) return;
        odd_ = at;
        oddElement_ = element.name;
    }

    /// A sentence, and where the values first do not match the header, which may be the reason.
    std::string atLine(const std::string& sentence) const {
        if (odd_ == 0) return sentence;
        Lines lines(bytes_.substr(0, odd_));
        for (std::string_view line; lines.next(line);) {
        }
        return fmt::format("{}; line {} has more values than its header says of an element '{}'",
                           sentence, lines.number(), shownText(oddElement_));
    }

    /// What follows the last value.
    void end(std::size_t values) {
        if (at_ == values && elements_.empty()) throw PlyProblem{"its header has no elements"};
        if (format_ == PlyFormat::text) {
            passSpace();
            if (at_ < bytes_.size() && odd_ > 0)
                throw PlyProblem{atLine("it has more values than its header says")};
        }
        if (at_ < bytes_.size())
            model_.remarks.add(
                "bytes behind its last value are not read", "",
                static_cast<int>(std::min<std::size_t>(bytes_.size() - at_, 1u << 30)));
    }

    std::size_t countOf(const PlyProperty& property) {
        const double count = number(property.countType);
        if (!(count >= 0) || count != std::floor(count))
            throw PlyProblem{atLine("a list has no count")};
        // a value takes at least a byte
        if (count > static_cast<double>(bytes_.size() - at_))
            throw PlyProblem{atLine("a list is longer than the file")};
        return static_cast<std::size_t>(count);
    }

    void pass(const PlyProperty& property) {
        const std::size_t count = property.list ? countOf(property) : 1;
        if (format_ == PlyFormat::text) {
            for (std::size_t i = 0; i < count; ++i) number(property.type);
            return;
        }
        const std::size_t size = count * kBytes[static_cast<std::size_t>(property.type)];
        if (bytes_.size() - at_ < size) throw PlyProblem{"it ends before its last value"};
        at_ += size;
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
            endElement(element);
        }
    }

    // --- vertices

    /// The properties of vertices that are read. Colours have other names in older files.
    static int slotOf(const PlyProperty& p) {
        constexpr std::array<std::string_view, 15> names{"x",
                                                         "y",
                                                         "z",
                                                         "nx",
                                                         "ny",
                                                         "nz",
                                                         "red",
                                                         "green",
                                                         "blue",
                                                         "diffuse_red",
                                                         "diffuse_green",
                                                         "diffuse_blue",
                                                         "r",
                                                         "g",
                                                         "b"};
        const auto* const name = std::find(names.begin(), names.end(), p.name);
        if (name == names.end() || p.list) return -1;
        const int slot = static_cast<int>(name - names.begin());
        return slot < 6 ? slot : 6 + slot % 3;
    }

    void vertices(const PlyElement& element) {
        checkCount(element);
        std::vector<int> slots;  // of each property; -1: it is not read
        int found = 0;
        bool bytes = true;
        for (const PlyProperty& p : element.properties) {
            slots.push_back(slotOf(p));
            if (slots.back() >= 0) found |= 1 << slots.back();
            if (slots.back() >= 6)
                bytes = bytes && p.type != PlyType::float32 && p.type != PlyType::float64;
            if (slots.back() < 3 && slots.back() >= 0)
                exact_ = exact_ || p.type != PlyType::float32 || format_ == PlyFormat::text;
            if (slots.back() < 0) remarkOnProperty("vertices", p);
        }
        if ((found & 7) != 7) throw PlyProblem{"its vertices have no x, y and z"};
        normals_ = (found & 56) == 56;
        coloured_ = (found & 448) == 448;
        if (vertices_ > 0) throw PlyProblem{"it has vertices twice"};
        for (std::size_t k = 0; k < slots.size(); ++k) {
            const bool unread = slots[k] >= 6 ? !coloured_ : slots[k] >= 3 && !normals_;
            if (unread) remarkOnProperty("vertices", element.properties[k]);
        }
        // sixteen-bit colours are shares of 65535
        const double unit = bytes ? largestOf(element, slots) : 1;
        for (std::size_t i = 0; i < element.count; ++i) {
            std::array<double, 9> v{};
            for (std::size_t k = 0; k < slots.size(); ++k) {
                if (slots[k] < 0)
                    pass(element.properties[k]);
                else
                    v[static_cast<std::size_t>(slots[k])] = number(element.properties[k].type);
            }
            add({v[0], v[1], v[2]}, {v[3], v[4], v[5]});
            if (coloured_) colours_.emplace_back(v[6] / unit, v[7] / unit, v[8] / unit);
            endElement(element);
        }
        vertices_ = element.count;
    }

    /// What a whole number of a colour is a share of.
    static double largestOf(const PlyElement& element, const std::vector<int>& slots) {
        for (std::size_t k = 0; k < slots.size(); ++k) {
            const PlyType type = element.properties[k].type;
            if (slots[k] >= 6 && (type == PlyType::uint16 || type == PlyType::int16)) return 65535;
        }
        return 255;
    }

    void add(const glm::dvec3& point, const glm::dvec3& normal) {
        allUsable_ = allUsable_ && isFileCoordinate(point);
        if (exact_)
            points_.push_back(point);
        else
            model_.mesh.corners.emplace_back(point);
        if (!normals_) return;
        const double length = glm::length(normal);
        model_.mesh.normals.emplace_back(length > 0 && length < 1e30 ? normal / length
                                                                     : glm::dvec3(0));
    }

    glm::dvec3 pointAt(int i) const {
        return exact_ ? points_[i] : glm::dvec3(model_.mesh.corners[i]);
    }

    // --- faces

    static bool isOfFaces(const PlyElement& element) {
        return element.name == "face" || element.name == "tristrips";
    }

    /// The list of a face's vertices, by one of its names, or as the only list of whole numbers.
    static const PlyProperty* cornersOf(const PlyElement& element) {
        const PlyProperty* only = nullptr;
        for (const PlyProperty& p : element.properties) {
            if (p.list && (p.name == "vertex_indices" || p.name == "vertex_index")) return &p;
            if (!p.list || p.type == PlyType::float32 || p.type == PlyType::float64) continue;
            if (only != nullptr) return nullptr;
            only = &p;
        }
        return only;
    }

    void faces(const PlyElement& element) {
        checkCount(element);
        const PlyProperty* const corners = cornersOf(element);
        for (const PlyProperty& p : element.properties) {
            if (&p != corners && element.count > 0) remarkOnProperty("faces", p);
        }
        const bool strips = element.name == "tristrips";
        for (std::size_t i = 0; i < element.count; ++i) {
            for (const PlyProperty& p : element.properties) {
                if (&p != corners) {
                    pass(p);
                    continue;
                }
                indices(p);
                strips ? strip() : polygon();
            }
            endElement(element);
        }
    }

    void facesBeforeVertices(const std::vector<std::size_t>& begins) {
        const std::size_t end = at_;
        for (std::size_t i = 0; i < elements_.size() && elements_[i].name != "vertex"; ++i) {
            if (!isOfFaces(elements_[i]) || vertices_ == 0) continue;
            at_ = begins[i];
            faces(elements_[i]);
        }
        at_ = end;
    }

    /// The usual numbers of vertices, of which a file has millions.
    bool quickIndices(const PlyProperty& property, std::size_t count) {
        const bool native =
            (format_ == PlyFormat::little) == (std::endian::native == std::endian::little);
        if (format_ == PlyFormat::text || !native || property.type != PlyType::int32) return false;
        if ((bytes_.size() - at_) / 4 < count) throw PlyProblem{"it ends before its last value"};
        indices_.resize(count);
        if (count > 0) std::memcpy(indices_.data(), bytes_.data() + at_, count * 4);
        at_ += count * 4;
        const auto isThere = [end = static_cast<std::int64_t>(vertices_)](int i) {
            return i >= -1 && i < end;
        };
        if (!std::all_of(indices_.begin(), indices_.end(), isThere))
            throw PlyProblem{"a face has a vertex that is not there"};
        return true;
    }

    void indices(const PlyProperty& property) {
        const std::size_t count = countOf(property);
        if (quickIndices(property, count)) return;
        indices_.clear();
        const auto vertices = static_cast<double>(vertices_);
        for (std::size_t i = 0; i < count; ++i) {
            const double index = number(property.type);
            // -1 ends a strip; files of unsigned numbers have the largest one
            const bool restart =
                index == -1 || (property.type == PlyType::uint32 && index == 4294967295.);
            if (!restart && !(index >= 0 && index < vertices && index == std::floor(index)))
                throw PlyProblem{atLine("a face has a vertex that is not there")};
            indices_.push_back(restart ? -1 : static_cast<int>(index));
        }
    }

    void check(int vertex) const {
        if (!allUsable_ && !isFileCoordinate(pointAt(vertex)))
            throw PlyProblem{"a vertex of a face is no number or too far away"};
    }

    void polygon() {
        if (std::find(indices_.begin(), indices_.end(), -1) != indices_.end())
            throw PlyProblem{atLine("a face has a vertex that is not there")};
        if (indices_.size() < 3) {
            ++thin_;
            return;
        }
        for (const int i : indices_) check(i);
        if (indices_.size() == 3) return addFace(0, 1, 2);
        outline_.clear();
        for (const int i : indices_) outline_.push_back(pointAt(i));
        for (const auto& [a, b, c] : triangulation_.of(outline_)) addFace(a, b, c);
    }

    /// Every other triangle of a strip has the other sense of rotation.
    void strip() {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < indices_.size(); ++i) {
            if (indices_[i] < 0) {
                begin = i + 1;
                continue;
            }
            check(indices_[i]);
            if (i < begin + 2) continue;
            const int k = static_cast<int>(i);
            (i - begin) % 2 == 0 ? addFace(k - 2, k - 1, k) : addFace(k - 1, k - 2, k);
        }
    }

    void addFace(int a, int b, int c) {
        if (model_.mesh.faces.size() == static_cast<std::size_t>(kMaxTriangles))
            throw PlyProblem{kTooManyTriangles};
        model_.mesh.faces.push_back({{indices_[a], indices_[b], indices_[c]}, 0});
    }

    // --- what is left

    void remarkOnElement(const PlyElement& element) {
        model_.remarks.add(fmt::format("elements '{}' are not read", shownText(element.name)), "",
                           static_cast<int>(std::min<std::size_t>(element.count, 1u << 30)));
    }
    void remarkOnProperty(std::string_view of, const PlyProperty& p) {
        model_.remarks.add(
            fmt::format("the property '{}' of {} is not read", shownText(p.name), of));
    }

    void noFaces() {
        if (vertices_ > 0 && thin_ == 0)
            throw PlyProblem{"it is a cloud of points: it has vertices, but no faces"};
    }

    void finish() {
        if (exact_) {
            setCorners(model_, points_);
        } else {
            for (glm::vec3& c : model_.mesh.corners) {
                if (!isFileCoordinate(c)) c = glm::vec3(0);  // no face has it
            }
        }
        if (thin_ > 0)
            model_.remarks.add("faces of fewer than three corners are left out", "", thin_);
        if (triangulation_.doubtful() > 0)
            model_.remarks.add("self-intersecting polygons: their triangles are a guess", "",
                               triangulation_.doubtful());
        FileSurface surface;
        if (coloured_) surface.base = glm::dvec3(1);
        if (coloured_) setColours(model_, std::move(colours_));
        model_.mesh.materials.push_back(materialOf(surface));
    }

    static constexpr std::size_t kMostProperties = 1024;

    std::string_view bytes_;
    bool converted_;
    std::size_t at_ = 0, lines_ = 0;
    char ends_ = '\n';
    bool lfcr_ = false;
    PlyFormat format_ = PlyFormat::text;
    std::vector<PlyElement> elements_;
    std::size_t odd_ = 0;  ///< where an element of a text first did not end with its line
    std::string oddElement_;
    bool exact_ = false;     ///< points_ are used, not the mesh's corners
    bool allUsable_ = true;  ///< no vertex is no number, or too far away
    bool normals_ = false, coloured_ = false;
    std::size_t vertices_ = 0;
    std::vector<glm::dvec3> points_, outline_;
    std::vector<glm::vec3> colours_;
    std::vector<int> indices_;  ///< of a face
    Triangulation triangulation_;
    int thin_ = 0;
    Model model_;
};

}  // namespace

Result<Model> plyModel(std::string_view bytes) {
    try {
        std::string converted;
        const std::string_view text = plainText(bytes, converted);
        return PlyReader(text, !converted.empty()).read();
    } catch (const PlyProblem& problem) {
        return Failure{problem.reason};
    }
}

}  // namespace rayscope
