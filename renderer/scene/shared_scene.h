#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "renderer/scene/scene.h"

namespace rayscope {

/// A scene that many share and nobody changes under the others: copies of it are pointers, so that
/// undo, renderers and work in the background keep the one they had.
class SharedScene {
public:
    SharedScene() : SharedScene(Scene{}) {}
    SharedScene(Scene scene) : scene_(std::make_shared<Scene>(std::move(scene))) {}

    const Scene& operator*() const { return *scene_; }
    const Scene* operator->() const { return scene_.get(); }
    operator const Scene&() const { return *scene_; }

    /// Another number for every scene that was made or changed in this run of the program.
    std::uint64_t version() const { return version_; }

    /// `edit(Scene&)` makes the next version. Whoever shares this one keeps it as it is: the scene
    /// is copied first, but where nobody does.
    template <class Edit>
    void change(Edit&& edit) {
        if (scene_.use_count() > 1) scene_ = std::make_shared<Scene>(*scene_);
        edit(*scene_);
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
