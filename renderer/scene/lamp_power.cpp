#include "renderer/scene/lamp_power.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/common.hpp>
#include <mutex>
#include <vector>

#include "renderer/scene/pack_pictures.h"

namespace rayscope {

namespace {

constexpr int kMostCells = 1024;          ///< along a side
constexpr double kUnit = 1. / (1 << 20);  ///< whole numbers of it have exact sums

/// Cells from the first one to the one behind the last.
struct CellRange {
    int first, end;
};

/// The cells of the texels between which `low` and `high` are interpolated; all where a texture
/// that repeats has an edge between them.
CellRange cellsBetween(double low, double high, int size, int side, Wrap wrap) {
    const int cells = (size + side - 1) / side;
    // texels by which rounding moves what the kernel interpolates in single precision
    const double slack = std::max(std::abs(low), std::abs(high)) * size * 0x1p-21;
    if (wrap != Wrap::clamp) {
        const double turn = std::floor(low);
        const bool mirrored = wrap == Wrap::mirror && std::fmod(std::abs(turn), 2) == 1;
        low -= turn;
        high -= turn;
        if (mirrored) {
            std::swap(low, high);
            low = 1 - low;
            high = 1 - high;
        }
        // half a texel, for the neighbours beyond the edge
        if (low * size < .5 + slack || high * size > size - .5 - slack) return {0, cells};
    }
    const auto cellOf = [&](double texel) {
        return static_cast<int>(std::clamp(texel, 0., size - 1.)) / side;
    };
    return {cellOf(low * size - 1.5 - slack), cellOf(high * size + 1.5 + slack) + 1};
}

}  // namespace

/// How bright the parts of a texture in sRGB are, by sums over all rectangles at its upper left
/// corner (Crow 1984, "Summed-Area Tables for Texture Mapping").
class PictureSums {
public:
    explicit PictureSums(const Picture8& picture);

    /// The mean of red + green + blue, in linear light, over a rectangle around a triangle. 0 only
    /// where the texture, filtered bilinearly, is black in all of the triangle.
    double meanAround(const glm::vec2 (&corners)[3], Wrap wrapU, Wrap wrapV) const;

private:
    std::uint64_t sumBefore(int column, int row) const {
        return sums_[static_cast<std::size_t>(row) * (columns_ + 1) + column];
    }

    int width_, height_;
    int side_;                         ///< of a cell, in texels
    int columns_, rows_;               ///< of cells
    std::vector<std::uint64_t> sums_;  ///< of all cells further left and up, in units of kUnit
};

PictureSums::PictureSums(const Picture8& picture)
    : width_(picture.width),
      height_(picture.height),
      side_(std::max(1, (std::max(width_, height_) + kMostCells - 1) / kMostCells)),
      columns_((width_ + side_ - 1) / side_),
      rows_((height_ + side_ - 1) / side_),
      sums_(static_cast<std::size_t>(columns_ + 1) * (rows_ + 1)) {
    std::array<std::uint64_t, 256> unitsOf;
    for (int byte = 0; byte < 256; ++byte)
        unitsOf[byte] = static_cast<std::uint64_t>(std::ceil(linearOf(byte) / kUnit));
    const auto at = [&](int column, int row) -> std::uint64_t& {
        return sums_[static_cast<std::size_t>(row) * (columns_ + 1) + column];
    };
    const std::uint32_t* texel = picture.texels.data();
    for (int y = 0; y < height_; ++y) {
        for (int column = 0; column < columns_; ++column) {
            std::uint64_t& sum = at(column + 1, y / side_ + 1);
            const std::uint32_t* const end = texel + std::min(side_, width_ - column * side_);
            for (; texel != end; ++texel)
                sum += unitsOf[*texel & 255] + unitsOf[*texel >> 8 & 255] +
                       unitsOf[*texel >> 16 & 255];
        }
    }
    for (int row = 1; row <= rows_; ++row) {
        for (int column = 1; column <= columns_; ++column)
            at(column, row) += at(column - 1, row) + at(column, row - 1) - at(column - 1, row - 1);
    }
}

double PictureSums::meanAround(const glm::vec2 (&corners)[3], Wrap wrapU, Wrap wrapV) const {
    const glm::vec2 low = glm::min(glm::min(corners[0], corners[1]), corners[2]);
    const glm::vec2 high = glm::max(glm::max(corners[0], corners[1]), corners[2]);
    const CellRange x = cellsBetween(low.x, high.x, width_, side_, wrapU);
    const CellRange y = cellsBetween(low.y, high.y, height_, side_, wrapV);
    const std::uint64_t sum = sumBefore(x.end, y.end) - sumBefore(x.first, y.end) -
                              sumBefore(x.end, y.first) + sumBefore(x.first, y.first);
    const double texels = 1. * (std::min(x.end * side_, width_) - x.first * side_) *
                          (std::min(y.end * side_, height_) - y.first * side_);
    return static_cast<double>(sum) * kUnit / texels;
}

/// Those of a picture, for as long as there is the picture: a scene is packed at every edit.
static std::shared_ptr<const PictureSums> keptSums(const std::shared_ptr<const Picture8>& picture) {
    static std::mutex mutex;
    static std::map<std::weak_ptr<const Picture8>, std::shared_ptr<const PictureSums>,
                    std::owner_less<>>
        kept;
    const std::scoped_lock lock(mutex);
    std::erase_if(kept, [](const auto& entry) { return entry.first.expired(); });
    std::shared_ptr<const PictureSums>& sums = kept[picture];
    if (!sums) sums = std::make_shared<const PictureSums>(*picture);
    return sums;
}

LampPower::LampPower(const SceneMesh& mesh) : mesh_(mesh) {}
LampPower::~LampPower() = default;

double LampPower::radianceOf(const Triangle& triangle) const {
    const glm::dvec3 radiance =
        mesh_.material.value_or(mesh_.mesh->materials[triangle.material]).emission;
    return radiance.x + radiance.y + radiance.z;
}

bool LampPower::isLamp(const Triangle& triangle) const {
    return radianceOf(triangle) > 0;
}

double LampPower::of(const Triangle& triangle) {
    if (!isLamp(triangle)) return 0;
    const Mesh& mesh = *mesh_.mesh;
    const double power = radianceOf(triangle) * doubleArea(mesh, triangle);
    const Textures* const textures = texturesOf(mesh_, triangle.material);
    if (textures == nullptr || !textures->emission.picture) return power;
    const Texture& texture = textures->emission;
    glm::vec2 corners[3];
    for (int k = 0; k < 3; ++k) corners[k] = mesh.uvs[triangle.corners[k]];
    return power / 3 * sumsOf(texture.picture).meanAround(corners, texture.wrapU, texture.wrapV);
}

const PictureSums& LampPower::sumsOf(const std::shared_ptr<const Picture8>& picture) {
    std::shared_ptr<const PictureSums>& sums = sums_[picture.get()];
    if (!sums) sums = keptSums(picture);
    return *sums;
}

}  // namespace rayscope
