#include "renderer/backend/moved_scene.h"

#include <mutex>
#include <stdexcept>
#include <utility>

namespace rayscope {

struct MovedScene::Shared {
    SharedScene outline, now;
    std::shared_ptr<const PlacedBodies> bodies;
    std::once_flag asked;
};

MovedScene::MovedScene(SharedScene now) : shared_(std::make_shared<Shared>()) {
    shared_->outline = shared_->now = std::move(now);
}

MovedScene::MovedScene(SharedScene before, std::shared_ptr<const PlacedBodies> bodies)
    : MovedScene(std::move(before)) {
    shared_->bodies = std::move(bodies);
}

const SharedScene& MovedScene::now() const {
    if (!shared_->bodies) return shared_->now;
    std::call_once(shared_->asked, [&shared = *shared_] {
        try {
            const std::vector<glm::dvec3> positions = shared.bodies->positions();
            shared.now.change([&](Scene& scene) { moveBodies(scene, positions); });
        } catch (const std::runtime_error&) {
        }
    });
    return shared_->now;
}

const SharedScene& MovedScene::outline() const {
    return shared_->outline;
}

const PlacedBodies* MovedScene::bodies() const {
    return shared_->bodies.get();
}

std::optional<MovedScene> movedBy(Simulator& simulator, const SharedScene& scene) {
    if (std::shared_ptr<const PlacedBodies> placed = simulator.placed()) {
        if (!placed->canBeDrawn()) return std::nullopt;
        return MovedScene(scene, std::move(placed));
    }
    SharedScene moved = scene;
    bool drawn = false;
    moved.change([&](Scene& s) { drawn = moveBodies(s, simulator.bodies().positions); });
    if (!drawn) return std::nullopt;
    return MovedScene(std::move(moved));
}

}  // namespace rayscope
