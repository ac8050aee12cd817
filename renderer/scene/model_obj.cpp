// Wavefront's OBJ and MTL: lines of a keyword and values. Polygons become fans of triangles;
// curves, smoothing groups and textures but for map_Kd and map_Ke are passed over.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <glm/geometric.hpp>
#include <map>

#include "renderer/base/text.h"
#include "renderer/scene/model_formats.h"

namespace rayscope {

namespace {

/// What ends the reading; objModel() returns it.
struct ObjProblem {
    std::string reason;
};

std::string shown(std::string_view word) {
    return printable(shortened(std::string(word.substr(0, 60)), 40));
}

/// A line, word by word.
class ObjLine {
public:
    explicit ObjLine(std::string_view text) : rest_(text) {}

    std::string_view word() {
        const std::size_t begin = std::min(rest_.find_first_not_of(" \t"), rest_.size());
        const std::size_t end = std::min(rest_.find_first_of(" \t", begin), rest_.size());
        const std::string_view found = rest_.substr(begin, end - begin);
        rest_.remove_prefix(end);
        return found;
    }
    /// What is left, without spaces around it: names may have some within.
    std::string rest() const {
        const std::size_t begin = std::min(rest_.find_first_not_of(" \t"), rest_.size());
        const std::size_t end = rest_.find_last_not_of(" \t");
        return begin == rest_.size() ? "" : std::string(rest_.substr(begin, end + 1 - begin));
    }
    double number() {
        const std::string_view text = word();
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            throw ObjProblem{fmt::format("'{}' is no number", shown(text))};
        return value;
    }
    /// Whether there is one more word.
    bool more() const { return !rest().empty(); }
    glm::dvec3 vector() {
        const double x = number(), y = number(), z = number();
        return {x, y, z};
    }

private:
    std::string_view rest_;
};

/// Whether a word is what follows an option: a number, on or off.
bool isValue(std::string_view word) {
    double number = 0;
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, number);
    return word == "on" || word == "off" || (!word.empty() && read.ptr == end);
}

/// Calls visit(line) for each line, without its end and comment; problems name the line.
template <class Visit>
void eachLine(std::string_view text, Visit visit) {
    int number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find('#'));
        if (line.ends_with('\r')) line.remove_suffix(1);
        try {
            visit(ObjLine(line));
        } catch (const ObjProblem& problem) {
            throw ObjProblem{fmt::format("line {}: {}", number, problem.reason)};
        }
    }
}

constexpr std::size_t kMostMaterials = 65536;

struct ObjMap {
    std::string picture{};
    Wrap wrap = Wrap::repeat;
};

struct ObjSurface {
    FileSurface surface{};
    bool hasEmission = false;              ///< Ke
    ObjMap albedo{}, emission{}, alpha{};  ///< map_Kd, map_Ke, map_d
};

/// The values of a map: options, of which only -clamp is not passed over, and a name.
void readMap(ObjLine line, ObjMap& to) {
    std::string name = line.rest();
    while (name.starts_with('-')) {
        const std::string_view option = line.word();
        name = line.rest();
        for (ObjLine value = line; isValue(value.word()); value = line) {
            if (option == "-clamp") to.wrap = name.starts_with("on") ? Wrap::clamp : Wrap::repeat;
            line.word();
            name = line.rest();
        }
    }
    std::replace(name.begin(), name.end(), '\\', '/');
    to.picture = name;
}

/// The materials of an MTL file. Pm and Pr are from its extension for physically based rendering.
class MtlReader {
public:
    explicit MtlReader(std::map<std::string, ObjSurface>& surfaces) : surfaces_(surfaces) {}

    void read(ObjLine line) {
        const std::string_view key = line.word();
        if (key == "newmtl") {
            if (surfaces_.size() >= kMostMaterials) throw ObjProblem{"too many materials"};
            read_ = &(surfaces_[line.rest()] = {});
            surface_ = &read_->surface;
        }
        if (surface_ == nullptr) return;
        if (key == "map_Kd") readMap(line, read_->albedo);
        if (key == "map_d") readMap(line, read_->alpha);
        if (key == "map_Ke") readMap(line, read_->emission);
        if (key == "Kd") surface_->base = line.vector();
        if (key == "Ke") {
            surface_->emission = line.vector();
            read_->hasEmission = true;
        }
        if (key == "Ni") surface_->index = line.number();
        if (key == "d") surface_->transmission = 1 - line.number();
        if (key == "Tr") surface_->transmission = line.number();
        if (key == "Pm") surface_->metallic = line.number();
        if (key == "Pr") surface_->roughness = line.number();
        if (key == "illum") illuminate(line.number());
    }

private:
    /// 3 and 5: mirrors; 4, 6, 7 and 9: glass.
    void illuminate(double model) {
        if (model == 3 || model == 5) {
            surface_->metallic = 1;
            surface_->roughness = 0;
        }
        if (model == 4 || model == 6 || model == 7 || model == 9) surface_->transmission = 1;
    }

    std::map<std::string, ObjSurface>& surfaces_;
    ObjSurface* read_ = nullptr;
    FileSurface* surface_ = nullptr;  ///< of that
};

class ObjReader {
public:
    explicit ObjReader(Companions& companions) : companions_(companions) {}

    void read(ObjLine line) {
        const std::string_view key = line.word();
        if (key == "v") {
            position(line.vector());
        } else if (key == "vn") {
            const glm::dvec3 n = line.vector();
            const double length = glm::length(n);
            full(normals_.size());
            normals_.emplace_back(length > 0 && length < 1e30 ? n / length : glm::dvec3(0));
        } else if (key == "vt") {
            place(line);
        } else if (key == "f") {
            face(line);
        } else if (key == "usemtl") {
            use(line.rest());
        } else if (key == "mtllib") {
            library(line.rest());
        }
    }

    Model model() && {
        Model model;
        model.mesh = std::move(mesh_);
        return model;
    }

private:
    /// Of the corners at a position, the newest; so many normals there are no real file's.
    static constexpr int kTried = 64;

    static void full(std::size_t count) {
        if (count >= static_cast<std::size_t>(kMaxTriangles)) throw ObjProblem{kTooManyTriangles};
    }

    void position(const glm::dvec3& p) {
        if (!inReach(p)) throw ObjProblem{"a vertex is no number or too far away"};
        full(positions_.size());
        positions_.emplace_back(p);
        firstCorner_.push_back(-1);
    }

    /// v goes up, unlike in our textures, and may be missing.
    void place(ObjLine line) {
        const double u = line.number(), v = line.more() ? line.number() : 0;
        if (!isUv({u, v})) throw ObjProblem{kNoUv};
        full(uvs_.size());
        uvs_.emplace_back(u, 1 - v);
    }

    /// A number from 1 on, or a negative one from the end.
    static int indexOf(std::string_view text, std::size_t count) {
        long long index = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
        if (error != std::errc() || end != text.data() + text.size())
            throw ObjProblem{fmt::format("'{}' is no number of a vertex", shown(text))};
        const long long size = static_cast<long long>(count);
        if (index < 0) index += size + 1;
        if (index < 1 || index > size)
            throw ObjProblem{fmt::format("vertex {} is not there", shown(text))};
        return static_cast<int>(index - 1);
    }

    /// From "position", "position/texture", "position//normal" or all three. What is in a texture
    /// is not read where there is none.
    int cornerOf(std::string_view word) {
        std::array<std::string_view, 3> parts;
        for (std::string_view& part : parts) {
            part = word.substr(0, word.find('/'));
            word.remove_prefix(std::min(part.size() + 1, word.size()));
        }
        const int position = indexOf(parts[0], positions_.size());
        const bool textured = hasPicture(mesh_.textures[material_]) && !parts[1].empty();
        const int uv = textured ? indexOf(parts[1], uvs_.size()) : -1;
        return corner(position, uv, parts[2].empty() ? -1 : indexOf(parts[2], normals_.size()));
    }

    /// Each position, place in the texture and normal that come together are a corner.
    int corner(int position, int uv, int normal) {
        int tried = 0;
        const std::pair others(uv, normal);
        for (int c = firstCorner_[position]; c >= 0 && tried < kTried; c = nextCorner_[c]) {
            if (othersOf_[c] == others) return c;
            ++tried;
        }
        full(mesh_.corners.size());
        const int made = static_cast<int>(mesh_.corners.size());
        mesh_.corners.push_back(positions_[position]);
        mesh_.uvs.push_back(uv < 0 ? glm::vec2(0) : uvs_[uv]);
        mesh_.normals.push_back(normal < 0 ? glm::vec3(0) : normals_[normal]);
        othersOf_.push_back(others);
        nextCorner_.push_back(firstCorner_[position]);
        firstCorner_[position] = made;
        return made;
    }

    void face(ObjLine line) {
        if (material_ < 0) use("");
        int first = -1, last = -1, count = 0;
        for (std::string_view word = line.word(); !word.empty(); word = line.word(), ++count) {
            const int corner = cornerOf(word);
            if (count == 0) first = corner;
            if (count >= 2) {
                full(mesh_.faces.size());
                mesh_.faces.push_back({{first, last, corner}, material_});
            }
            last = corner;
        }
    }

    void use(const std::string& name) {
        const auto [known, fresh] =
            materials_.emplace(name, static_cast<int>(mesh_.materials.size()));
        material_ = known->second;
        if (!fresh) return;
        if (materials_.size() > kMostMaterials) throw ObjProblem{"too many materials"};
        const ObjSurface found = surfaces_.contains(name) ? surfaces_.at(name) : ObjSurface{};
        Textures textures;
        textures.albedo = texture(found.albedo);
        if (const auto alpha = picture(found.alpha.picture))
            cutHolesBy(alpha, found.alpha.wrap, textures);
        FileSurface surface = found.surface;
        if (!found.hasEmission || surface.emission != glm::dvec3(0))
            textures.emission = texture(found.emission);
        if (textures.emission.picture) {
            surface.shinesInPlaces = true;
            if (!found.hasEmission) surface.emission = {1, 1, 1};
        }
        const Material material = materialOf(surface);
        if (material.emission == glm::dvec3(0)) textures.emission = {};
        mesh_.materials.push_back(material);
        mesh_.textures.push_back(textures);
    }

    /// Cuts holes by a picture whose red is the alpha. A material without a texture gets a white
    /// one.
    void cutHolesBy(const std::shared_ptr<const Picture8>& alpha, Wrap wrap, Textures& textures) {
        Texture cut = textures.albedo;
        if (!cut.picture) cut.wrapU = cut.wrapV = wrap;
        std::shared_ptr<const Picture8>& known = cut_[{cut.picture, alpha}];
        if (!known) {
            known = std::make_shared<const Picture8>(withAlpha(cut.picture.get(), *alpha));
            count(*known);
        }
        cut.picture = known;
        Textures holed = textures;
        holed.albedo = cut;
        cutHoles(holed, .5);
        if (holed.holesBelow > 0) textures = holed;
    }

    /// As large as the larger of both; the colour is white where there is none.
    static Picture8 withAlpha(const Picture8* colour, const Picture8& alpha) {
        const Picture8& other = colour != nullptr ? *colour : alpha;
        Picture8 both{std::max(other.width, alpha.width), std::max(other.height, alpha.height)};
        both.texels.reserve(std::size_t{1} * both.width * both.height);
        const auto texelOf = [&](const Picture8& p, int x, int y) {  // at the middle of one of both
            const auto at = [](int i, int size, int of) {
                return static_cast<std::size_t>((2LL * i + 1) * size / (2LL * of));
            };
            return p.texels[at(y, p.height, both.height) * p.width + at(x, p.width, both.width)];
        };
        for (int y = 0; y < both.height; ++y) {
            for (int x = 0; x < both.width; ++x) {
                const std::uint32_t shown = colour != nullptr ? texelOf(*colour, x, y) : ~0u;
                both.texels.push_back((shown & 0xffffff) | (texelOf(alpha, x, y) & 255) << 24);
            }
        }
        return both;
    }

    void count(const Picture8& picture) {
        texels_ += picture.texels.size();
        if (texels_ > kMaxTexels) throw ObjProblem{kTooManyTexels};
    }

    Texture texture(const ObjMap& map) { return {picture(map.picture), map.wrap, map.wrap}; }

    /// One that is missing leaves the material's own number, as in other programs.
    std::shared_ptr<const Picture8> picture(const std::string& name) {
        const auto [known, fresh] = pictures_.try_emplace(name);
        if (!fresh || name.empty()) return known->second;
        const Result<std::string> bytes = companions_.read(name);
        if (!bytes) return {};
        Result<Picture8> read = pictureFrom(*bytes);
        if (!read) throw ObjProblem{fmt::format("{}: {}", shown(name), read.reason())};
        count(*read);
        return known->second = std::make_shared<const Picture8>(*std::move(read));
    }

    /// A library that is missing leaves its materials grey, as in other programs.
    void library(const std::string& name) {
        const Result<std::string> text = companions_.read(name);
        if (!text) return;
        MtlReader reader(surfaces_);
        try {
            eachLine(*text, [&](ObjLine line) { reader.read(line); });
        } catch (const ObjProblem& problem) {
            throw ObjProblem{fmt::format("{}: {}", shown(name), problem.reason)};
        }
    }

    Companions& companions_;
    std::vector<glm::vec3> positions_, normals_;
    std::vector<glm::vec2> uvs_;
    std::vector<int> firstCorner_, nextCorner_;  ///< lists of corners, by position
    std::vector<std::pair<int, int>> othersOf_;  ///< place in the texture and normal of a corner
    std::map<std::string, ObjSurface> surfaces_;
    std::map<std::string, int> materials_;
    std::map<std::pair<std::shared_ptr<const Picture8>, std::shared_ptr<const Picture8>>,
             std::shared_ptr<const Picture8>>
        cut_;  ///< by the colour and the alpha
    std::map<std::string, std::shared_ptr<const Picture8>> pictures_;
    std::size_t texels_ = 0;  ///< of all pictures
    int material_ = -1;
    Mesh mesh_;
};

}  // namespace

Result<Model> objModel(std::string_view text, Companions& companions) {
    try {
        ObjReader reader(companions);
        eachLine(text, [&](ObjLine line) { reader.read(line); });
        return std::move(reader).model();
    } catch (const ObjProblem& problem) {
        return Failure{problem.reason};
    }
}

}  // namespace rayscope
