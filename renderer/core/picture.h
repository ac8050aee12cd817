#pragma once

#include "renderer/core/maths.h"

// Pictures that are textures of triangles (Feature::kTextures) or the sky (kPictureSky): how a
// packed scene holds them, and what is seen in one. scene/pack_pictures.cpp writes them.

namespace rayscope {

/// A texture of a material. Its texels are red, green, blue and alpha, a byte each.
struct alignas(16) TextureRecord {
    unsigned texels;    ///< their place, as in MeshHeader
    int width, height;  ///< zeros: the material has no such texture
    /// Wrap along the width, 4 times that along the height, and 256 times the alpha, from 0 to 256,
    /// below which there are holes.
    int wrap;
};

/// The three of a material. albedo and emission are in sRGB, and factors of what the material has.
/// Of metal the green is the root of a factor of the roughness, and the blue says where the
/// material is metal and where matt, as in glTF.
struct MaterialTextures {
    TextureRecord albedo, metal, emission;
};

/// A picture of all directions by longitude and latitude. Its middle is at -z, turned to the right
/// by so many turns; its upper edge is at y. Its texels follow, then its LampRecords.
///
/// Light sampling splits the sky into a dim part, which only paths find, and the excess; the texels
/// where that is not black are its lamps. So no light is counted twice, and none needs a weight
/// (compare multiple importance sampling: Veach and Guibas 1995).
template <class Real>
struct alignas(16) SkyRecord {
    int width, height;
    Real turns;
    int lamps;
};
struct alignas(16) SkyTexel {
    Vec3<float> radiance;
    float dim;  ///< the share of the radiance that belongs to the dim part
};
enum class SkyPart { all, dim, excess };

/// The texels on both sides of a place along one axis, and how far it is on the way between them.
template <class Real>
struct Between {
    int first, second;
    Real share;
};

/// `place`: from edge to edge 0 to 1. The texels are in the picture for any place, and for NaN.
template <class Real>
RAYSCOPE_FN Between<Real> between(Real place, int size, Wrap wrap) {
    if (wrap == Wrap::repeat) place = place - floor(place);
    if (wrap == Wrap::mirror) place = fabs(place - 2 * floor(mulAdd(place, Real(.5), Real(.5))));
    const Real inside = place > 0 ? minimum(place, Real(1)) : Real(0);
    const Real at = mulAdd(inside, static_cast<Real>(size), Real(-.5));
    const Real below = floor(at);
    const int first = static_cast<int>(below), last = size - 1;
    const bool around = wrap == Wrap::repeat;
    const int beforeFirst = around ? last : 0, afterLast = around ? 0 : last;
    return {first < 0 ? beforeFirst : first, first < last ? first + 1 : afterLast, at - below};
}

/// Interpolates linearly between the four texels around a point of a picture.
template <class Real, class TexelAt>
RAYSCOPE_FN auto filtered(const Between<Real>& x, const Between<Real>& y, int width,
                          TexelAt texelAt) {
    const auto inRow = [&](int row) RAYSCOPE_INLINED {
        const auto left = texelAt(row * width + x.first);
        return mulAdd(texelAt(row * width + x.second) - left, x.share, left);
    };
    const auto above = inRow(y.first);
    return mulAdd(inRow(y.second) - above, y.share, above);
}

/// A place in the textures of a material: to the right and down, a picture being 1 wide and high.
template <class Real>
struct TexturePlace {
    Real u, v;
};

/// What a texture shows. `valueOf`: of a texel.
template <class Real, class ValueOf>
RAYSCOPE_FN auto texelsAt(const TextureRecord& texture, const unsigned* texels,
                          TexturePlace<Real> place, ValueOf valueOf) {
    const auto wrapAt = [&](int shift) RAYSCOPE_INLINED {
        return static_cast<Wrap>(texture.wrap >> shift & 3);
    };
    const Between<Real> x = between(place.u, texture.width, wrapAt(0));
    const Between<Real> y = between(place.v, texture.height, wrapAt(2));
    return filtered(x, y, texture.width,
                    [&](int i) RAYSCOPE_INLINED { return valueOf(texels[i]); });
}

/// Its colours. `valueOf`: of a byte.
template <class Real, class ValueOf>
RAYSCOPE_FN Vec3<Real> seenAt(const TextureRecord& texture, const unsigned* texels,
                              TexturePlace<Real> place, ValueOf valueOf) {
    return texelsAt(texture, texels, place, [&](unsigned texel) RAYSCOPE_INLINED {
        return Vec3<Real>{valueOf(texel & 255), valueOf(texel >> 8 & 255),
                          valueOf(texel >> 16 & 255)};
    });
}

/// Whether a texture has a hole at a place.
template <class Real>
RAYSCOPE_FN bool hasHoleAt(const TextureRecord& texture, const unsigned* texels,
                           TexturePlace<Real> place) {
    const Real alpha = texelsAt(texture, texels, place, [](unsigned texel) RAYSCOPE_INLINED {
        return static_cast<Real>(texel >> 24);
    });
    return alpha < static_cast<Real>(texture.wrap >> 8);
}

template <class Real>
RAYSCOPE_FN const SkyTexel* texelsOf(const SkyRecord<Real>& sky) {
    return reinterpret_cast<const SkyTexel*>(&sky + 1);
}

/// The radiance at a place of a sky's picture. `across`, `down`: from edge to edge 0 to 1.
template <class Real>
RAYSCOPE_FN Vec3<Real> skyAt(const SkyRecord<Real>& sky, Real across, Real down, SkyPart part) {
    const SkyTexel* const texels = texelsOf(sky);
    return filtered(between(across, sky.width, Wrap::repeat),
                    between(down, sky.height, Wrap::clamp), sky.width, [&](int i) RAYSCOPE_INLINED {
                        const SkyTexel texel = texels[i];
                        const float share = part == SkyPart::all   ? 1
                                            : part == SkyPart::dim ? texel.dim
                                                                   : 1 - texel.dim;
                        const Vec3<float> seen = texel.radiance * share;
                        return Vec3<Real>{seen.x, seen.y, seen.z};
                    });
}

/// The radiance of a sky from a direction.
template <Variant V, class Real>
RAYSCOPE_FN Vec3<Real> radianceFrom(const SkyRecord<Real>& sky, const Vec3<Real>& d, SkyPart part) {
    constexpr Real kPerRadian = Real(1 / 3.14159265358979323846);
    const Real longitude = mulAdd(atan2(d.x, -d.z), kPerRadian / 2, Real(.5)) - sky.turns;
    const Real latitude = atan2(sqrt(mulAdd(d.x, d.x, d.z * d.z)), d.y) * kPerRadian;
    return skyAt(sky, longitude, latitude, part);
}

}  // namespace rayscope
