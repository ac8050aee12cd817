#pragma once

#include <map>
#include <memory>

#include "renderer/scene/mesh.h"

namespace rayscope {

class PictureSums;

/// How much light the triangles of a mesh emit, for the choice of lamps. Where a texture says how
/// bright they are, it is an estimate: a mean over the rectangle around the triangle, and of all
/// colours.
class LampPower {
public:
    explicit LampPower(const SceneMesh& mesh);
    ~LampPower();

    /// Whether a triangle is of a material that emits light, even where a texture is black.
    bool isLamp(const Triangle& triangle) const;
    /// Up to a factor that is the same for all. 0 only where no point of the triangle emits light.
    double of(const Triangle& triangle);

private:
    double radianceOf(const Triangle& triangle) const;
    const PictureSums& sumsOf(const std::shared_ptr<const Picture8>& picture);

    const SceneMesh& mesh_;
    std::map<const Picture8*, std::shared_ptr<const PictureSums>> sums_;
};

}  // namespace rayscope
