#include "renderer/scene/pack_pictures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "renderer/scene/pack_lamps.h"
#include "renderer/scene/places.h"
#include "renderer/scene/sky.h"

namespace rayscope {

namespace {

/// Those of all textures, each once.
std::map<const Picture8*, unsigned> picturesOf(const Scene& scene) {
    std::map<const Picture8*, unsigned> pictures;
    for (const SceneMesh& mesh : scene.meshes) {
        for (std::size_t m = 0; m < mesh.mesh->materials.size(); ++m) {
            const Textures* const of = texturesOf(mesh, m);
            if (of == nullptr) continue;
            for (const Texture& texture : {of->albedo, of->metal, of->emission}) {
                if (texture.picture) pictures.emplace(texture.picture.get(), 0);
            }
        }
    }
    return pictures;
}

/// Of each material, in the order of MeshHeader::materials. `places`: of the pictures.
std::vector<MaterialTextures> textureRecords(const Scene& scene,
                                             const std::map<const Picture8*, unsigned>& places) {
    const auto recordOf = [&](const Texture& texture, int holesBelow = 0) {
        TextureRecord record = textureRecord(texture, holesBelow);
        if (texture.picture) record.texels = places.at(texture.picture.get());
        return record;
    };
    std::vector<MaterialTextures> records;
    for (const SceneMesh& mesh : scene.meshes) {
        for (std::size_t m = 0; m < mesh.mesh->materials.size(); ++m) {
            const Textures* const of = texturesOf(mesh, m);
            records.push_back(of == nullptr
                                  ? MaterialTextures{}
                                  : MaterialTextures{recordOf(of->albedo, of->holesBelow),
                                                     recordOf(of->metal), recordOf(of->emission)});
        }
    }
    return records;
}

/// Whether the corners of a mesh have colours that are seen.
bool isColoured(const SceneMesh& mesh) {
    return !mesh.material && mesh.mesh.outline().coloured;
}

/// Of all corners; none where no mesh has colours.
std::vector<ColourRecord> colourRecords(const Scene& scene) {
    if (std::none_of(scene.meshes.begin(), scene.meshes.end(), isColoured)) return {};
    std::vector<ColourRecord> records;
    for (const SceneMesh& mesh : scene.meshes) {
        for (std::size_t i = 0; i < mesh.mesh->corners.size(); ++i) {
            const glm::vec3 c = isColoured(mesh) ? mesh.mesh->colours[i] : glm::vec3(1);
            records.push_back({{c.x, c.y, c.z}, 0});
        }
    }
    return records;
}

template <class Real>
std::vector<Real> linearBytes() {
    std::vector<Real> values;
    for (int byte = 0; byte < 256; ++byte) values.push_back(static_cast<Real>(linearOf(byte)));
    return values;
}

std::vector<SkyTexel> texelsOf(const Sky& sky) {
    std::vector<SkyTexel> texels;
    const std::vector<float>& rgb = sky.picture->rgb;
    const auto strength = static_cast<float>(sky.strength);
    texels.reserve(rgb.size() / 3);
    for (std::size_t i = 0; i < rgb.size() / 3; ++i) {
        const double sum = sumAt(*sky.picture, i);
        const bool bright = sky.lampsFrom > 0 && sum > sky.lampsFrom;
        texels.push_back(
            {{strength * rgb[3 * i], strength * rgb[3 * i + 1], strength * rgb[3 * i + 2]},
             bright ? static_cast<float>(sky.lampsFrom / sum) : 1.f});
    }
    return texels;
}

/// The texels with an excess after bilinear filtering, whose average over a texel weights it and
/// its neighbours by 1/8, 3/4 and 1/8 along each axis.
template <class Real>
std::vector<LampRecord<Real>> lampsOf(const Sky& sky) {
    if (!(sky.lampsFrom > 0)) return {};
    const RadiancePicture& picture = *sky.picture;
    const int width = picture.width, height = picture.height;
    const auto excess = [&](int x, int y) {
        const std::size_t row = std::clamp(y, 0, height - 1);
        return std::max(0., sumAt(picture, row * width + x) - sky.lampsFrom);
    };
    const auto along = [](double before, double here, double after) {
        return .125 * before + .75 * here + .125 * after;
    };
    std::vector<double> columns(width);
    std::vector<std::pair<int, double>> lamps;
    double sum = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x)
            columns[x] = along(excess(x, y - 1), excess(x, y), excess(x, y + 1));
        const double sine = std::sin(M_PI * (y + .5) / height);
        for (int x = 0; x < width; ++x) {
            const double power = sine * along(columns[(x + width - 1) % width], columns[x],
                                              columns[(x + 1) % width]);
            if (!(power > 0)) continue;
            sum += power;
            lamps.emplace_back(y * width + x, sum);
        }
    }
    return lampRecords<Real>(lamps, 1. * width * height / (2 * M_PI));
}

}  // namespace

const Textures* texturesOf(const SceneMesh& mesh, std::size_t material) {
    if (mesh.material || mesh.mesh->textures.empty()) return nullptr;
    const Textures& textures = mesh.mesh->textures[material];
    return hasPicture(textures) ? &textures : nullptr;
}

template <class Real>
void appendPictures(Appended& to, MeshHeader& header, const Scene& scene) {
    const unsigned features = traitsOf(scene).features;
    if ((features & kPictures) == 0) return;
    header.holes = (features & kHoles) != 0;
    std::map<const Picture8*, unsigned> pictures = picturesOf(scene);
    for (auto& [picture, place] : pictures) place = to.append(picture->texels);
    header.textures = to.append(textureRecords(scene, pictures));
    header.linear = to.append(linearBytes<Real>());
    const std::vector<ColourRecord> colours = colourRecords(scene);
    if (!colours.empty()) header.colours = to.append(colours);
    if (scene.sky.kind != SkyKind::picture) return;
    const RadiancePicture& sky = *scene.sky.picture;
    const std::vector<LampRecord<Real>> lamps = lampsOf<Real>(scene.sky);
    std::vector<SkyRecord<Real>> record = zeroRecords<SkyRecord<Real>>(1);
    record[0].width = sky.width;
    record[0].height = sky.height;
    record[0].turns = static_cast<Real>(scene.sky.turn / 360);
    record[0].lamps = static_cast<int>(lamps.size());
    header.sky = to.append(record);
    to.append(texelsOf(scene.sky));
    to.append(lamps);
}

std::size_t pictureBytes(const Scene& scene) {
    if ((traitsOf(scene).features & kPictures) == 0) return 0;
    std::size_t bytes = 256 * sizeof(double) + sizeof(SkyRecord<double>) + 4 * 16;
    for (const auto& [picture, place] : picturesOf(scene))
        bytes += picture->texels.size() * sizeof(std::uint32_t) + 16;
    for (const SceneMesh& mesh : scene.meshes)
        bytes += mesh.mesh->materials.size() * sizeof(MaterialTextures);
    if (std::any_of(scene.meshes.begin(), scene.meshes.end(), isColoured)) {
        bytes += 16;
        for (const SceneMesh& mesh : scene.meshes)
            bytes += (mesh.mesh->corners.size() + 3 * copiedTriangles(mesh)) * sizeof(ColourRecord);
    }
    if (scene.sky.kind == SkyKind::picture)
        bytes += scene.sky.picture->rgb.size() / 3 *
                 (sizeof(SkyTexel) + (hasLampsInSky(scene) ? sizeof(LampRecord<double>) : 0));
    return bytes;
}

template void appendPictures<float>(Appended&, MeshHeader&, const Scene&);
template void appendPictures<double>(Appended&, MeshHeader&, const Scene&);

}  // namespace rayscope
