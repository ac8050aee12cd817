// Models that a library reads in a process of its own (import_process.h): here all that it says is
// checked and becomes a mesh.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <map>

#include "renderer/base/text.h"
#include "renderer/scene/import_process.h"
#include "renderer/scene/import_protocol.h"
#include "renderer/scene/model_formats.h"

namespace rayscope {

namespace {

/// What ends the reading; importedModel() returns it.
struct ImportProblem {
    std::string reason;
};

constexpr std::uint64_t kMostImported = 1 << 16;  ///< materials, pictures, remarks

class ImportReader {
public:
    ImportReader(std::string_view bytes, Companions& companions)
        : bytes_(bytes), companions_(companions) {}

    Model read() {
        head_ = next<ImportHead>();
        if (head_.magic != kImportMagic)
            throw ImportProblem{"rayscope-import is from another build"};
        constexpr auto kMost = static_cast<std::uint64_t>(kMaxTriangles);
        if (head_.corners > kMost || head_.faces > kMost) throw ImportProblem{kTooManyTriangles};
        if (std::max({head_.materials, head_.pictures, head_.remarks}) > kMostImported)
            throw ImportProblem{"it has more than 65536 materials or pictures"};
        readCorners();
        readFaces();
        readMaterials();
        return std::move(model_);
    }

private:
    std::string_view take(std::uint64_t size) {
        if (size > bytes_.size() - at_)
            throw ImportProblem{"the data from rayscope-import are incomplete"};
        const std::string_view part = bytes_.substr(at_, size);
        at_ += size;
        return part;
    }
    template <class T>
    T next() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string_view text() { return take(next<std::uint64_t>()); }
    template <class Vector>
    std::vector<Vector> vectors() {
        const std::string_view part = take(head_.corners * sizeof(Vector));
        std::vector<Vector> found(head_.corners);
        if (!part.empty()) std::memcpy(found.data(), part.data(), part.size());
        return found;
    }

    void readCorners() {
        Mesh& mesh = model_.mesh;
        mesh.corners = vectors<glm::vec3>();
        for (const glm::vec3& c : mesh.corners) {
            if (!inReach(c)) throw ImportProblem{"a position is no number or too far away"};
        }
        if (head_.normals != 0) mesh.normals = vectors<glm::vec3>();
        for (glm::vec3& n : mesh.normals) {
            const float length = glm::length(n);
            n = length > 0 && length < 1e30f ? n / length : glm::vec3(0);
        }
        mesh.uvs = head_.uvs != 0 ? vectors<glm::vec2>() : std::vector<glm::vec2>(head_.corners);
        for (const glm::vec2& uv : mesh.uvs) {
            if (!isUv(uv)) throw ImportProblem{kNoUv};
        }
        if (head_.colours != 0) mesh.colours = vectors<glm::vec3>();
        for (glm::vec3& colour : mesh.colours) {
            for (int c = 0; c < 3; ++c) colour[c] = colour[c] > 0 ? std::min(colour[c], 1.f) : 0;
        }
    }

    void readFaces() {
        for (std::uint64_t i = 0; i < head_.faces; ++i) {
            const auto face = next<std::array<std::uint32_t, 4>>();
            if (std::max({face[0], face[1], face[2]}) >= head_.corners ||
                face[3] >= head_.materials)
                throw ImportProblem{"a triangle has a corner or a material that is not there"};
            model_.mesh.faces.push_back(
                {{static_cast<int>(face[0]), static_cast<int>(face[1]), static_cast<int>(face[2])},
                 static_cast<int>(face[3])});
        }
    }

    void readMaterials() {
        std::vector<std::array<std::string_view, 2>> names;
        std::vector<FileSurface> surfaces;
        for (std::uint64_t i = 0; i < head_.materials; ++i) {
            const auto m = next<ImportMaterial>();
            FileSurface s;
            s.base = {m.base[0], m.base[1], m.base[2]};
            s.emission = {m.emission[0], m.emission[1], m.emission[2]};
            s.metallic = m.metallic;
            s.roughness = m.roughness;
            s.transmission = m.transmission;
            s.index = m.index;
            surfaces.push_back(s);
            names.push_back({text(), text()});
        }
        std::vector<std::string_view> pictures;
        for (std::uint64_t i = 0; i < head_.pictures; ++i) pictures.push_back(text());
        for (std::uint64_t i = 0; i < head_.remarks; ++i)
            model_.remarks.add(printable(shortened(std::string(text()), 200)));
        for (std::size_t i = 0; i < surfaces.size(); ++i) {
            Textures textures;
            textures.albedo.picture = picture(names[i][0], pictures);
            textures.emission.picture = picture(names[i][1], pictures);
            FileSurface& s = surfaces[i];
            if (textures.albedo.picture) s.base = {1, 1, 1};
            if (textures.emission.picture) {
                if (s.emission == glm::dvec3(0)) s.emission = {1, 1, 1};
                s.shinesInPlaces = true;
            }
            cutHoles(textures, .5);
            model_.mesh.materials.push_back(materialOf(s));
            model_.mesh.textures.push_back(textures);
        }
    }

    /// The picture of a name that a file has; null: none, and a remark says why.
    std::shared_ptr<const Picture8> picture(std::string_view name,
                                            const std::vector<std::string_view>& embedded) {
        if (name.empty()) return {};
        const auto [known, fresh] = pictures_.try_emplace(std::string(name));
        if (!fresh) return known->second;
        Result<Picture8> read = pictureOf(name, embedded);
        if (!read) {
            model_.remarks.add(
                fmt::format("a texture is replaced by the material's colour: {}", read.reason()),
                printable(shortened(std::string(name), 100)));
            return {};
        }
        texels_ += read->texels.size();
        if (texels_ > kMaxTexels) throw ImportProblem{kTooManyTexels};
        return known->second = std::make_shared<const Picture8>(*std::move(read));
    }

    Result<Picture8> pictureOf(std::string_view name,
                               const std::vector<std::string_view>& embedded) {
        if (name.starts_with('*')) {
            std::size_t number = embedded.size();
            std::from_chars(name.data() + 1, name.data() + name.size(), number);
            if (number < embedded.size()) return pictureFrom(embedded[number]);
        }
        const Result<std::string> bytes = companions_.read(std::string(name));
        if (!bytes) return bytes.failure();
        return pictureFrom(*bytes);
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    Companions& companions_;
    ImportHead head_;
    std::map<std::string, std::shared_ptr<const Picture8>> pictures_;
    std::size_t texels_ = 0;
    Model model_;
};

}  // namespace

Result<Model> modelFromImport(std::string_view made, Companions& companions) {
    try {
        return ImportReader(made, companions).read();
    } catch (const ImportProblem& problem) {
        return Failure{problem.reason};
    }
}

Result<Model> importedModel(std::string_view bytes, const std::string& ending,
                            Companions& companions) {
    const Result<std::string> made = importedBytes(bytes, ending);
    return made ? modelFromImport(*made, companions) : made.failure();
}

}  // namespace rayscope
