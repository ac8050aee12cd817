#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "renderer/scene/scene.h"

namespace rayscope {

/// A shared scene with copy on write. Copies are pointers, so undo, renderers and background work
/// each keep the version that they were given.
class SharedScene {
public:
    SharedScene() : SharedScene(Scene{}) {}
    SharedScene(Scene scene) : scene_(std::make_shared<Scene>(std::move(scene))) {
        scene_->facts.keep();
    }

    const Scene& operator*() const { return *scene_; }
    const Scene* operator->() const { return scene_.get(); }
    operator const Scene&() const { return *scene_; }

    /// A new number for every scene created or changed in this run of the program; copies share it.
    std::uint64_t version() const { return version_; }

    /// Makes the next version by `edit(Scene&)`. If others share the scene it is copied first, and
    /// theirs stays as it is.
    template <class Edit>
    void change(Edit&& edit) {
        if (scene_.use_count() > 1) scene_ = std::make_shared<Scene>(*scene_);
        scene_->facts.forget();
        edit(*scene_);
        scene_->facts.keep();
        version_ = nextVersion();
    }

    bool operator==(const SharedScene& other) const {
        return version_ == other.version_ || *scene_ == *other.scene_;
    }

private:
    static std::uint64_t nextVersion() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    std::shared_ptr<Scene> scene_;
    std::uint64_t version_ = nextVersion();
};

}  // namespace rayscope
