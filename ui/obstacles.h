#pragma once

#include <memory>
#include <optional>

#include "renderer/base/aside.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/shared_scene.h"
#include "ui/meetings.h"

namespace rayscope {

/// What stands in the camera's way. Spheres are tried one by one, a hundred thousand in a tenth of
/// a millisecond; triangles have a hierarchy, which is built aside when it is first needed. Until
/// then they stop nobody.
class Obstacles {
public:
    Obstacles();
    ~Obstacles();
    Obstacles(Obstacles&&) noexcept;
    Obstacles& operator=(Obstacles&&) noexcept;

    /// The way of a camera in a frame of so many seconds, from where its rays begin: as `wish`, but
    /// slower the nearer a surface is, along it at last, and never through it. `margin`: a camera
    /// stays this far away.
    glm::dvec3 allowed(const SharedScene& scene, const glm::dvec3& from, const glm::dvec3& wish,
                       double seconds, double margin);

    /// Another scene is shown.
    void forget() {
        trees_.reset();
        version_ = 0;
    }

private:
    struct Trees;
    std::optional<Meeting> first(const Scene& scene, const glm::dvec3& from,
                                 const glm::dvec3& direction, double margin) const;
    void look(const SharedScene& scene);

    std::shared_ptr<const Trees> trees_;
    std::uint64_t version_ = 0;  ///< of the scene that they are of
    std::unique_ptr<Aside<std::uint64_t, std::shared_ptr<const Trees>>> built_;
};

/// Where a camera's rays begin.
glm::dvec3 eyeOf(const Camera& camera);

/// The number of the smallest sphere that a point is in; nothing where it is in none but those that
/// the scene's own camera is in, too, such as a room.
std::optional<int> sphereAround(const Scene& scene, const glm::dvec3& point);

}  // namespace rayscope
