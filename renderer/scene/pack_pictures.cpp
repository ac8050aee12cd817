#include "renderer/scene/pack_pictures.h"

#include <map>

namespace rayscope {

namespace {

/// The host's kernels for scenes with places look for textures, too.
constexpr unsigned kPictures = kTextures | kPictureSky | kPlaces;

/// Those of all textures, each once.
std::map<const Picture8*, unsigned> picturesOf(const Scene& scene) {
    std::map<const Picture8*, unsigned> pictures;
    for (const SceneMesh& mesh : scene.meshes) {
        for (std::size_t m = 0; m < mesh.mesh->materials.size(); ++m) {
            const Texture* const texture = textureOf(mesh, m);
            if (texture != nullptr) pictures.emplace(texture->picture.get(), 0);
        }
    }
    return pictures;
}

/// Of each material, in the order of MeshHeader::materials. `places`: of the pictures.
std::vector<TextureRecord> textureRecords(const Scene& scene,
                                          const std::map<const Picture8*, unsigned>& places) {
    std::vector<TextureRecord> records;
    for (const SceneMesh& mesh : scene.meshes) {
        for (std::size_t m = 0; m < mesh.mesh->materials.size(); ++m) {
            TextureRecord record{};
            if (const Texture* const t = textureOf(mesh, m)) {
                record = {places.at(t->picture.get()), t->picture->width, t->picture->height,
                          static_cast<int>(t->wrapU) + 4 * static_cast<int>(t->wrapV)};
            }
            records.push_back(record);
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
    for (std::size_t i = 0; i < rgb.size(); i += 3)
        texels.push_back({{strength * rgb[i], strength * rgb[i + 1], strength * rgb[i + 2]}, 0});
    return texels;
}

}  // namespace

const Texture* textureOf(const SceneMesh& mesh, std::size_t material) {
    if (mesh.material || mesh.mesh->textures.empty()) return nullptr;
    const Texture& texture = mesh.mesh->textures[material];
    return texture.picture ? &texture : nullptr;
}

template <class Real>
void appendPictures(Appended& to, MeshHeader& header, const Scene& scene) {
    if ((traitsOf(scene).features & kPictures) == 0) return;
    std::map<const Picture8*, unsigned> pictures = picturesOf(scene);
    for (auto& [picture, place] : pictures) place = to.append(picture->texels);
    header.textures = to.append(textureRecords(scene, pictures));
    header.linear = to.append(linearBytes<Real>());
    if (scene.sky.kind != SkyKind::picture) return;
    const RadiancePicture& sky = *scene.sky.picture;
    header.sky = to.append(std::vector<SkyRecord<Real>>{
        {sky.width, sky.height, static_cast<Real>(scene.sky.turn / 360)}});
    to.append(texelsOf(scene.sky));
}

std::size_t pictureBytes(const Scene& scene) {
    if ((traitsOf(scene).features & kPictures) == 0) return 0;
    std::size_t bytes = 256 * sizeof(double) + sizeof(SkyRecord<double>) + 4 * 16;
    for (const auto& [picture, place] : picturesOf(scene))
        bytes += picture->texels.size() * sizeof(std::uint32_t) + 16;
    for (const SceneMesh& mesh : scene.meshes)
        bytes += mesh.mesh->materials.size() * sizeof(TextureRecord);
    if (scene.sky.kind == SkyKind::picture)
        bytes += scene.sky.picture->rgb.size() / 3 * sizeof(SkyTexel);
    return bytes;
}

template void appendPictures<float>(Appended&, MeshHeader&, const Scene&);
template void appendPictures<double>(Appended&, MeshHeader&, const Scene&);

}  // namespace rayscope
