#pragma once

#include <map>
#include <memory>

#include "renderer/scene/mesh.h"

namespace rayscope {

class PictureSums;

/// How much light the triangles of a mesh emit, for the choice of lamps. Where a texture says how
/// bright they are, it is an estimate: a mean over the rectangle around the triangle.
class LampPower {
public:
    explicit LampPower(const SceneMesh& mesh);
    ~LampPower();

    /// Whether a triangle is of a material that emits light, be it that a texture is black there.
    bool isLamp(const Triangle& triangle) const;
    /// Up to a factor that is the same for all. 0 only where no point of the triangle emits light.
    double of(const Triangle& triangle);

private:
    double radianceOf(const Triangle& triangle) const;
    const PictureSums& sumsOf(const Picture8& picture);

    const SceneMesh& mesh_;
    std::map<const Picture8*, std::unique_ptr<PictureSums>> sums_;
};

}  // namespace rayscope
