#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/core/types.h"

// Pictures that colour meshes or are the sky, and the files that they are read from.

namespace rayscope {

struct TextureRecord;

/// Most texels of a picture along a side, and of all textures of a model: 4 GiB.
inline constexpr int kMaxPictureSide = 1 << 14;
inline constexpr std::size_t kMaxTexels = std::size_t{1} << 30;
inline constexpr float kMaxRadiance = 1e6;

/// Rows from the top; in a texel red is the lowest byte. In sRGB.
struct Picture8 {
    int width = 0, height = 0;
    std::vector<std::uint32_t> texels{};
    bool operator==(const Picture8&) const = default;
};

/// Linear, three numbers a texel, rows from the top.
struct RadiancePicture {
    int width = 0, height = 0;
    std::vector<float> rgb{};
    bool operator==(const RadiancePicture&) const = default;
};

/// Whether both show the same, or nothing.
template <class Picture>
bool areEqual(const std::shared_ptr<const Picture>& a, const std::shared_ptr<const Picture>& b) {
    return a == b || (a && b && *a == *b);
}

/// A picture on the surfaces of a material. Materials share pictures.
struct Texture {
    std::shared_ptr<const Picture8> picture{};
    Wrap wrapU = Wrap::repeat, wrapV = Wrap::repeat;
    bool operator==(const Texture& other) const;
};

/// Those of a material. Without a picture what the material has is the same everywhere.
struct Textures {
    Texture albedo{};
    /// Of a metal. Green is the root of a factor of its roughness; where blue is at most half it is
    /// Lambert instead. Linear, not in sRGB.
    Texture metal{};
    Texture emission{};
    /// Alpha of the albedo, from 0 to 256, below which there are holes; 0: it has none.
    int holesBelow = 0;
    bool operator==(const Textures&) const = default;
};
/// Whether there is a picture.
bool hasPicture(const Textures& textures);
/// Makes holes where the albedo's alpha, from 0 to 1, is less than `below`, if there are such
/// places.
void cutHoles(Textures& textures, double below);
/// Whether there is a hole. u, v: as corners have them.
bool isHoleAt(const Textures& textures, double u, double v);
/// As kernels read it; whoever packs the texels says where they are.
TextureRecord textureRecord(const Texture& texture, int holesBelow = 0);

/// Reflectance, or radiance, of a byte in sRGB (IEC 61966-2-1).
double linearOf(int byte);

// What files hold, by how they begin. Failures are clauses: "it is neither a PNG nor a JPEG file".

/// PNG, JPEG, WebP, TGA or BMP. JPEG has no alpha.
Result<Picture8> pictureFrom(std::string_view bytes);
/// OpenEXR, Radiance's HDR, or one of those above. Values are from 0 to kMaxRadiance.
Result<RadiancePicture> skyPictureFrom(std::string_view bytes);

}  // namespace rayscope
