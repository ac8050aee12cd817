// Wavefront's OBJ: lines of a keyword and values. Curves, lines, points and smoothing groups are
// not read; mtl.h reads its libraries of materials. docs/models.md lists the keywords.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>

#include "renderer/base/text.h"
#include "renderer/scene/model_formats.h"
#include "renderer/scene/mtl.h"
#include "renderer/scene/obj_materials.h"
#include "renderer/scene/polygons.h"
#include "renderer/scene/text_lines.h"

namespace rayscope {

namespace {

/// What ends the reading; objModel() returns it.
struct ObjProblem {
    std::string reason;
};

std::string shown(std::string_view word) {
    return printable(shortened(std::string(word.substr(0, 60)), 40));
}

/// What a keyword asks for that is not shown; empty: nothing that could be seen.
std::string unreadObjKeyword(std::string_view key) {
    constexpr std::array<std::string_view, 22> ofCurves{
        "vp",   "cstype", "deg", "bmat", "step",  "curv",  "curv2", "surf", "parm", "trim", "hole",
        "scrv", "sp",     "end", "con",  "ctech", "stech", "bzp",   "bsp",  "cdc",  "cdp",  "res"};
    constexpr std::array<std::string_view, 9> unseen{
        "g", "o", "mg", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};
    if (std::find(unseen.begin(), unseen.end(), key) != unseen.end()) return {};
    if (key == "l") return "lines (l) are not shown";
    if (key == "p") return "points (p) are not shown";
    if (key == "call" || key == "csh") return "commands and other files (call, csh) are not read";
    if (key == "usemap" || key == "maplib") return "usemap and maplib are not read";
    if (std::find(ofCurves.begin(), ofCurves.end(), key) != ofCurves.end())
        return "free-form curves and surfaces are not shown";
    return fmt::format("the keyword '{}' is not known", shown(key));
}

/// A line of numbers without the comment behind it. 1.#IND is a number that is none.
std::string_view uncommented(std::string_view line) {
    std::size_t comment = line.find('#');
    while (comment != line.npos && comment > 0 && line[comment - 1] == '.')
        comment = line.find('#', comment + 1);
    return line.substr(0, comment);
}

/// Lines of a kind, of which a file may have millions.
struct Counted {
    int count = 0, first = 0;
    void add(int line) {
        if (count++ == 0) first = line;
    }
};

class ObjReader {
public:
    explicit ObjReader(Companions& companions)
        : materials_(companions, model_.mesh, model_.remarks) {}

    Model read(std::string_view text) && {
        materials_.readLibraries(text);
        Lines lines(text, Lines::Continue::afterBackslash);
        for (std::string_view line; lines.next(line);) {
            line_ = lines.number();
            this->line(line);
        }
        if (text.find('\0') != text.npos && points_.empty())
            throw ObjProblem{"it is not text, and so not Wavefront's OBJ"};
        addLater();
        finish();
        return std::move(model_);
    }

private:
    /// Of the corners at a position, the newest; so many normals there are no real file's.
    static constexpr int kTried = 64;
    static constexpr std::size_t kMostUnread = 256;

    /// The numbers of a corner's position, texture coordinate and normal; -1: it has none.
    struct Corner {
        int position, uv, normal;
    };
    /// A polygon whose positions come after it.
    struct Later {
        int line, material, count;
    };

    void full(std::size_t count) const {
        if (count >= static_cast<std::size_t>(kMaxTriangles)) fail(kTooManyTriangles);
    }
    [[noreturn]] void fail(std::string_view reason) const {
        throw ObjProblem{fmt::format("line {}: {}", line_, reason)};
    }

    void line(std::string_view line) {
        Words words(line);
        const std::string_view key = words.word();
        if (key.empty()) return;
        const auto numbers = [&] { return Words(uncommented(words.rest())); };
        if (key == "v") {
            position(numbers());
        } else if (key == "vn") {
            normal(numbers());
        } else if (key == "vt") {
            textureCoordinate(numbers());
        } else if (key == "f" || key == "fo") {
            face(numbers());
        } else if (key == "usemtl") {
            use(words.rest());
        } else if (key == "s") {
            const std::string_view group = words.word();
            smooths_ = group != "off" && group != "0" && !group.empty();
        } else if (key.starts_with("#MRGB")) {
            painted_.add(line_);
        } else if (key != "mtllib" && !key.starts_with('#')) {
            unread(key);
        }
    }

    void unread(std::string_view key) {
        auto known = unread_.find(key);
        if (known == unread_.end()) {
            const bool full = unread_.size() >= kMostUnread;
            known = unread_.try_emplace(full ? "..." : std::string(key.substr(0, 60))).first;
        }
        known->second.add(line_);
    }

    void remarkOn(const Counted& lines, std::string_view what) {
        if (lines.count > 0 && !what.empty())
            model_.remarks.add(what, fmt::format("line {}", lines.first), lines.count);
    }
    void remarkOnLines() {
        for (const auto& [key, lines] : unread_) remarkOn(lines, unreadObjKeyword(key));
        remarkOn(painted_, "ZBrush's vertex colours (#MRGB) are not read");
        remarkOn(thin_, "faces of fewer than three corners are left out");
        remarkOn(unsmoothed_, "smoothing groups (s) are not read: faces without normals are flat");
        remarkOn(doubtful_, "self-intersecting polygons: their triangles are a guess");
    }

    double number(std::string_view word) const {
        const std::optional<double> value = numberIn(word);
        if (!value) fail(fmt::format("'{}' is no number", shown(word)));
        return *value;
    }
    glm::dvec3 vector(Words& words) const {
        const double x = number(words.word()), y = number(words.word()), z = number(words.word());
        return {x, y, z};
    }

    /// "x y z", "x y z w", whose weight is for curves, or "x y z r g b".
    void position(Words words) {
        full(points_.size());
        points_.push_back(vector(words));
        firstCorner_.push_back(-1);
        std::array<double, 3> more{};
        for (double& value : more) {
            const std::string_view word = words.word();
            if (word.empty()) return;
            value = number(word);
        }
        colours_.resize(points_.size() - 1, glm::vec3(1));
        colours_.emplace_back(more[0], more[1], more[2]);
    }

    void normal(Words words) {
        const glm::dvec3 n = vector(words);
        const double length = glm::length(n);
        full(normals_.size());
        normals_.emplace_back(length > 0 && length < 1e30 ? n / length : glm::dvec3(0));
    }

    /// v goes up, unlike in our textures, and may be missing.
    void textureCoordinate(Words words) {
        const double u = number(words.word());
        const std::string_view second = words.word();
        full(uvs_.size());
        uvs_.emplace_back(u, second.empty() ? 0 : number(second));
    }

    /// A number from 1 on, or a negative one from the end; the result counts from 0. A number
    /// before the first is -1.
    int indexOf(std::string_view text, std::size_t count) const {
        long long index = 0;
        const char* begin = text.data();
        if (text.starts_with('+')) ++begin;
        const auto [end, error] = std::from_chars(begin, text.data() + text.size(), index);
        if (error != std::errc() || end != text.data() + text.size())
            fail(fmt::format("'{}' is no number of a vertex", shown(text)));
        if (index < 0) index += static_cast<long long>(count) + 1;
        if (index > kMaxTriangles) return kMaxTriangles;  // which no file has
        return static_cast<int>(std::max(index, 0LL) - 1);
    }

    /// From "position", "position/texture", "position//normal" or all three. What is in a texture
    /// is not read where there is none.
    Corner cornerOf(std::string_view word) {
        std::array<std::string_view, 3> parts;
        for (std::string_view& part : parts) {
            part = word.substr(0, word.find('/'));
            word.remove_prefix(std::min(part.size() + 1, word.size()));
        }
        Corner corner{indexOf(parts[0], points_.size()), -1, -1};
        if (corner.position < 0 || corner.position >= kMaxTriangles)
            fail(fmt::format("vertex {} is not there", shown(parts[0])));
        if (!parts[1].empty() && textured_) {
            corner.uv = indexOf(parts[1], uvs_.size());
            if (corner.uv < 0) ++missingUvs_;
        }
        if (!parts[2].empty()) {
            corner.normal = indexOf(parts[2], normals_.size());
            if (corner.normal < 0) ++missingNormals_;
        }
        return corner;
    }

    void use(std::string_view name) {
        material_ = materials_.use(name, line_);
        textured_ = materials_.isTextured(material_);
    }

    void face(Words words) {
        if (material_ < 0) use("");
        polygon_.clear();
        bool known = true;
        for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
            polygon_.push_back(cornerOf(word));
            known = known && polygon_.back().position < static_cast<int>(points_.size());
        }
        if (polygon_.size() < 3) return thin_.add(line_);
        if (smooths_ && polygon_[0].normal < 0) unsmoothed_.add(line_);
        if (known) return addPolygon(polygon_, material_);
        later_.push_back({line_, material_, static_cast<int>(polygon_.size())});
        cornersLater_.insert(cornersLater_.end(), polygon_.begin(), polygon_.end());
    }

    void addLater() {
        auto first = cornersLater_.begin();
        for (const Later& face : later_) {
            line_ = face.line;
            polygon_.assign(first, first + face.count);
            first += face.count;
            for (const Corner& c : polygon_) {
                if (c.position >= static_cast<int>(points_.size()))
                    fail(fmt::format("vertex {} is not there", c.position + 1));
            }
            addPolygon(polygon_, face.material);
        }
    }

    void addPolygon(const std::vector<Corner>& polygon, int material) {
        numbers_.clear();
        for (const Corner& c : polygon) {
            if (!isFileCoordinate(points_[c.position]))
                fail("a vertex is no number or too far away");
            numbers_.push_back(corner(c, material));
        }
        if (polygon.size() == 3) return addFace(0, 1, 2, material);
        outline_.clear();
        for (const Corner& c : polygon) outline_.push_back(points_[c.position]);
        const int doubtful = triangulation_.doubtful();
        for (const auto& [a, b, c] : triangulation_.of(outline_)) addFace(a, b, c, material);
        if (triangulation_.doubtful() > doubtful) doubtful_.add(line_);
    }

    void addFace(int a, int b, int c, int material) {
        full(model_.mesh.faces.size());
        model_.mesh.faces.push_back({{numbers_[a], numbers_[b], numbers_[c]}, material});
    }

    /// Each position, place in the texture and normal that come together are a corner.
    int corner(const Corner& wanted, int material) {
        int tried = 0;
        const Others others{wanted.uv, wanted.normal,
                            wanted.uv < 0 ? 0 : materials_.placing(material)};
        for (int c = firstCorner_[wanted.position]; c >= 0 && tried < kTried; c = nextCorner_[c]) {
            if (others_[c] == others) return c;
            ++tried;
        }
        full(positionOf_.size());
        const int made = static_cast<int>(positionOf_.size());
        positionOf_.push_back(wanted.position);
        others_.push_back(others);
        nextCorner_.push_back(firstCorner_[wanted.position]);
        firstCorner_[wanted.position] = made;
        return made;
    }

    template <class T>
    static void release(std::vector<T>& list) {
        std::vector<T>().swap(list);
    }

    /// Makes the mesh of the numbers, as all lines are known now.
    void finish() {
        remarkOnLines();
        release(firstCorner_);
        release(nextCorner_);
        std::vector<glm::dvec3> corners;
        corners.reserve(positionOf_.size());
        for (const int p : positionOf_) corners.push_back(points_[p]);
        release(points_);
        setCorners(model_, corners);
        release(corners);
        setNormals();
        setUvs();
        if (colours_.empty()) return;
        std::vector<glm::vec3> colours;
        for (const int p : positionOf_)
            colours.push_back(p < static_cast<int>(colours_.size()) ? colours_[p] : glm::vec3(1));
        materials_.whitenUnknown();
        setColours(model_, std::move(colours));
    }

    void setNormals() {
        const int count = static_cast<int>(normals_.size());
        if (count > 0) model_.mesh.normals.assign(others_.size(), glm::vec3(0));
        for (std::size_t c = 0; c < others_.size(); ++c) {
            const int n = others_[c].normal;
            if (n >= count)
                ++missingNormals_;
            else if (n >= 0)
                model_.mesh.normals[c] = normals_[n];
        }
        release(normals_);
        if (missingNormals_ > 0)
            model_.remarks.add("normals are missing that faces name: these are flat", "",
                               missingNormals_);
    }

    void setUvs() {
        if (!hasTextures(model_.mesh)) return;
        int bad = 0;
        model_.mesh.uvs.assign(others_.size(), glm::vec2(0));
        for (std::size_t c = 0; c < others_.size(); ++c) {
            if (others_[c].uv < 0) continue;
            if (others_[c].uv >= static_cast<int>(uvs_.size())) {
                ++missingUvs_;
                continue;
            }
            const glm::dvec2 uv = materials_.placed(others_[c].placing, uvs_[others_[c].uv]);
            if (isUv(uv))
                model_.mesh.uvs[c] = {uv.x, 1 - uv.y};
            else
                ++bad;
        }
        if (bad > 0) model_.remarks.add(kNoUv, "", bad);
        if (missingUvs_ > 0)
            model_.remarks.add("texture coordinates are missing that faces name", "", missingUvs_);
    }

    struct Others {
        int uv, normal, placing;
        bool operator==(const Others&) const = default;
    };

    Model model_;
    ObjMaterialsUsed materials_;
    Triangulation triangulation_;
    int line_ = 0;
    std::vector<glm::dvec3> points_;
    std::vector<glm::vec3> normals_, colours_;
    std::vector<glm::vec2> uvs_;
    std::vector<int> firstCorner_, nextCorner_;  ///< lists of corners, by position
    std::vector<int> positionOf_;                ///< that of a corner
    std::vector<Others> others_;                 ///< a corner's texture coordinate and normal
    std::vector<Later> later_;
    std::vector<Corner> cornersLater_, polygon_;
    std::vector<int> numbers_;         ///< the corners of a polygon
    std::vector<glm::dvec3> outline_;  ///< their points
    int material_ = -1;
    bool textured_ = false;  ///< that material
    bool smooths_ = false;
    int missingNormals_ = 0, missingUvs_ = 0;
    std::map<std::string, Counted, std::less<>> unread_;  ///< by keyword
    Counted painted_, thin_, unsmoothed_, doubtful_;
};

}  // namespace

Result<Model> objModel(std::string_view bytes, Companions& companions) {
    try {
        std::string converted;
        return ObjReader(companions).read(plainText(bytes, converted));
    } catch (const ObjProblem& problem) {
        return Failure{problem.reason};
    }
}

}  // namespace rayscope
