// Materials of glTF 2.0 and of its extensions, as far as ours go.

#include "renderer/scene/gltf_materials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

const json& extensionOf(const json& object, const char* name) {
    return member(member(object, "extensions"), name);
}

const json* reference(const json& texture) {
    return texture.is_object() ? &texture : nullptr;
}

double largest(const glm::dvec3& v) {
    return std::max({v.x, v.y, v.z});
}

/// As people see it (ITU-R BT.601).
double brightness(const glm::dvec3& c) {
    return std::sqrt(std::max(0., .299 * c.x * c.x + .587 * c.y * c.y + .114 * c.z * c.z));
}

/// Reflectance of plastic, glass and all else that is no metal, seen from the front.
constexpr double kDielectric = .04;

/// How metallic what has these two colours is: base b and metallic m make the diffuse colour
/// d = b (1 - .04) (1 - m) and the specular s = .04 (1 - m) + b m, two equations for b and m, from
/// which .04 m^2 + (d / .96 + s - .08) m + .04 - s = 0.
double metallicOf(double diffuse, double specular) {
    if (specular < kDielectric) return 0;
    const double b = diffuse / (1 - kDielectric) + specular - 2 * kDielectric;
    const double c = kDielectric - specular;
    const double root = std::sqrt(std::max(0., b * b - 4 * kDielectric * c));
    return std::clamp((root - b) / (2 * kDielectric), 0., 1.);
}

/// KHR_materials_pbrSpecularGlossiness, as base colour, metallic and roughness.
void fromSpecularGlossiness(const json& extension, GltfMaterial& m, double& alpha) {
    std::array<double, 4> diffuse{1, 1, 1, 1};
    readNumbers(member(extension, "diffuseFactor"), diffuse);
    alpha = diffuse[3];
    const glm::dvec3 factor(diffuse[0], diffuse[1], diffuse[2]);
    const glm::dvec3 specular = vectorOr(member(extension, "specularFactor"), {1, 1, 1});
    m.albedo = reference(member(extension, "diffuseTexture"));
    m.metal = nullptr;
    FileSurface& s = m.surface;
    s.roughness = 1 - numberOr(member(extension, "glossinessFactor"), 1);
    // the specular part takes its share of the light first
    const glm::dvec3 seen = factor * (1 - std::clamp(largest(specular), 0., 1.));
    s.metallic = metallicOf(brightness(seen), brightness(specular));
    if (reference(member(extension, "specularGlossinessTexture")) != nullptr) {
        // what the texture says is not known: most surfaces are no metal
        s.metallic = 0;
        s.base = factor;
        return;
    }
    // matt is what reflects as much light as both parts together
    s.base = s.metallic > .5 ? specular : glm::min(seen + specular, glm::dvec3(1));
}

double holesBelow(const json& m, double alpha) {
    const json& mode = member(m, "alphaMode");
    if (mode == "BLEND") return .5;
    if (mode != "MASK") return 0;
    const double cutoff = numberOr(member(m, "alphaCutoff"), .5);
    return alpha > 0 ? cutoff / alpha : 2;
}

/// Light that does not depend on other light comes from the surface itself.
void makeUnlit(GltfMaterial& m) {
    m.unlit = true;
    m.surface = FileSurface{.base = {0, 0, 0}, .emission = m.surface.base};
    m.surface.shinesInPlaces = m.albedo != nullptr;
    m.metal = nullptr;
    m.emission = m.albedo;
}

/// An extension, its factor, without which it does nothing, and what is said of it.
struct Unshown {
    const char* name;
    const char* factor;
    const char* what;
};

/// Extensions of materials whose look ours lack.
constexpr Unshown kUnshown[] = {
    {"KHR_materials_clearcoat", "clearcoatFactor",
     "clearcoat (KHR_materials_clearcoat) is not shown"},
    {"KHR_materials_sheen", "sheenColorFactor", "sheen (KHR_materials_sheen) is not shown"},
    {"KHR_materials_iridescence", "iridescenceFactor",
     "iridescence (KHR_materials_iridescence) is not shown"},
    {"KHR_materials_anisotropy", "anisotropyStrength",
     "anisotropy (KHR_materials_anisotropy) is not shown: reflections are isotropic"},
    {"KHR_materials_volume", "thicknessFactor",
     "absorption (KHR_materials_volume) is not shown: only the surface colours the glass"},
    {"KHR_materials_dispersion", "dispersion",
     "dispersion (KHR_materials_dispersion) is not shown"},
    {"KHR_materials_diffuse_transmission", "diffuseTransmissionFactor",
     "diffuse transmission (KHR_materials_diffuse_transmission) is not shown"},
    {"KHR_materials_volume_scatter", "multiscatterColor",
     "volume scattering (KHR_materials_volume_scatter) is not shown"},
};

/// Whether a factor, or one of several, is more than nothing.
bool counts(const json& factor) {
    if (factor.is_array()) return std::any_of(factor.begin(), factor.end(), counts);
    return numberOr(factor, 0) > 0;
}

void remarkExtensions(const json& m, const std::string& where, Remarks& remarks) {
    for (const Unshown& unshown : kUnshown) {
        if (counts(member(extensionOf(m, unshown.name), unshown.factor)))
            remarks.add(unshown.what, where);
    }
    const json& specular = extensionOf(m, "KHR_materials_specular");
    const glm::dvec3 colour = vectorOr(member(specular, "specularColorFactor"), {1, 1, 1});
    if (numberOr(member(specular, "specularFactor"), 1) != 1 || colour != glm::dvec3(1))
        remarks.add("specular colours (KHR_materials_specular) are not shown", where);
}

}  // namespace

bool GltfMaterial::isUnseen() const {
    return albedo == nullptr && holesBelow > 1;
}

const json& GltfMaterial::placing() const {
    if (albedo != nullptr) return *albedo;
    const bool isMetal = materialOf(surface).kind == MaterialKind::metal;
    const json* const found = isMetal && metal != nullptr ? metal : emission;
    return found != nullptr ? *found : none();
}

GltfMaterial gltfMaterial(const json& m) {
    GltfMaterial found;
    FileSurface& s = found.surface;
    const json& pbr = member(m, "pbrMetallicRoughness");
    std::array<double, 4> base{1, 1, 1, 1};
    readNumbers(member(pbr, "baseColorFactor"), base);
    s.base = {base[0], base[1], base[2]};
    s.metallic = numberOr(member(pbr, "metallicFactor"), 1);
    s.roughness = numberOr(member(pbr, "roughnessFactor"), 1);
    found.albedo = reference(member(pbr, "baseColorTexture"));
    found.metal = reference(member(pbr, "metallicRoughnessTexture"));
    found.emission = reference(member(m, "emissiveTexture"));
    const json& glossy = extensionOf(m, "KHR_materials_pbrSpecularGlossiness");
    if (glossy.is_object()) fromSpecularGlossiness(glossy, found, base[3]);
    found.holesBelow = holesBelow(m, base[3]);
    if (extensionOf(m, "KHR_materials_unlit").is_object()) {
        makeUnlit(found);
        return found;
    }
    s.emission =
        vectorOr(member(m, "emissiveFactor"), {0, 0, 0}) *
        numberOr(member(extensionOf(m, "KHR_materials_emissive_strength"), "emissiveStrength"), 1);
    s.shinesInPlaces = found.emission != nullptr && s.emission != glm::dvec3(0);
    s.transmission =
        numberOr(member(extensionOf(m, "KHR_materials_transmission"), "transmissionFactor"), 0);
    // what is blended with what lies behind is glass as far as our materials go
    if (member(m, "alphaMode") == "BLEND") s.transmission = std::max(s.transmission, 1 - base[3]);
    s.index = numberOr(member(extensionOf(m, "KHR_materials_ior"), "ior"), 1.5);
    const json& placing = found.placing();
    const auto isPlaced = [&](const json& t) { return GltfTextures::lieAlike(t, placing); };
    if (found.metal != nullptr && !isPlaced(*found.metal)) s.metallic = 0;
    if (s.shinesInPlaces && !isPlaced(*found.emission)) {
        s.emission = {0, 0, 0};
        s.shinesInPlaces = false;
    }
    return found;
}

void remarkMaterial(const json& m, const std::string& where, Remarks& remarks) {
    remarkExtensions(m, where, remarks);
    const GltfMaterial found = gltfMaterial(m);
    if (found.unlit) return;
    if (member(m, "normalTexture").is_object())
        remarks.add("normal maps are not shown: surfaces are smooth", where);
    const json& glossy = extensionOf(m, "KHR_materials_pbrSpecularGlossiness");
    if (member(glossy, "specularGlossinessTexture").is_object())
        remarks.add("specular-glossiness textures are not shown: the surface is diffuse", where);
    const json& placing = found.placing();
    const json& transmission = extensionOf(m, "KHR_materials_transmission");
    if (member(transmission, "transmissionTexture").is_object())
        remarks.add("transmission textures are not shown: the factor is used everywhere", where);
    const double through = found.surface.transmission;
    if (through > 0 && through <= .5)
        remarks.add("materials that transmit at most half of the light are opaque", where);
    const double metallic = found.surface.metallic;
    if (metallic > 0 && metallic < 1 && found.metal == nullptr)
        remarks.add("partly metallic materials are metal above one half, otherwise diffuse", where);
    if (member(m, "alphaMode") == "BLEND")
        remarks.add(
            "blended surfaces are glass, or have holes: texels whose alpha is below one half are "
            "not shown",
            where);
    if (found.metal != nullptr && !GltfTextures::lieAlike(*found.metal, placing))
        remarks.add(
            "a metallic-roughness texture whose coordinates differ from the base colour's is not "
            "shown",
            where);
    if (found.emission != nullptr && !GltfTextures::lieAlike(*found.emission, placing))
        remarks.add(
            "an emission texture whose coordinates differ from the base colour's is not shown",
            where);
}

}  // namespace rayscope
