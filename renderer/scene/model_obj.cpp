// Wavefront's OBJ and MTL: lines of a keyword and values. Polygons become fans of triangles;
// curves, textures and smoothing groups are passed over.

#include <fmt/format.h>

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
    glm::dvec3 vector() {
        const double x = number(), y = number(), z = number();
        return {x, y, z};
    }

private:
    std::string_view rest_;
};

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

/// The materials of an MTL file. Pm and Pr are from its extension for physically based rendering.
class MtlReader {
public:
    explicit MtlReader(std::map<std::string, FileSurface>& surfaces) : surfaces_(surfaces) {}

    void read(ObjLine line) {
        const std::string_view key = line.word();
        if (key == "newmtl") {
            if (surfaces_.size() >= kMostMaterials) throw ObjProblem{"too many materials"};
            surface_ = &(surfaces_[line.rest()] = {});
        }
        if (surface_ == nullptr) return;
        if (key == "Kd") surface_->base = line.vector();
        if (key == "Ke") surface_->emission = line.vector();
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

    std::map<std::string, FileSurface>& surfaces_;
    FileSurface* surface_ = nullptr;
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

    /// From "position", "position/texture", "position//normal" or all three.
    int cornerOf(std::string_view word) {
        const std::size_t slash = std::min(word.find('/'), word.size());
        const int position = indexOf(word.substr(0, slash), positions_.size());
        const std::size_t second = word.find('/', slash + 1);
        if (slash == word.size() || second == word.npos) return corner(position, -1);
        return corner(position, indexOf(word.substr(second + 1), normals_.size()));
    }

    /// Each position and normal that come together are a corner.
    int corner(int position, int normal) {
        int tried = 0;
        for (int c = firstCorner_[position]; c >= 0 && tried < kTried; c = nextCorner_[c]) {
            if (normalOf_[c] == normal) return c;
            ++tried;
        }
        full(mesh_.corners.size());
        const int made = static_cast<int>(mesh_.corners.size());
        mesh_.corners.push_back(positions_[position]);
        mesh_.normals.push_back(normal < 0 ? glm::vec3(0) : normals_[normal]);
        normalOf_.push_back(normal);
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
        const auto surface = surfaces_.find(name);
        mesh_.materials.push_back(
            materialOf(surface == surfaces_.end() ? FileSurface{} : surface->second));
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
    std::vector<int> firstCorner_, nextCorner_, normalOf_;  ///< lists of corners, by position
    std::map<std::string, FileSurface> surfaces_;
    std::map<std::string, int> materials_;
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
