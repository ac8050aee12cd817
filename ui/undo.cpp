
#include <set>
#include <utility>

#include "renderer/base/memory_budget.h"
#include "renderer/choices/axes.h"
#include "ui/features.h"

namespace rayscope {

namespace {

constexpr double kOneChangeSeconds = .6;
constexpr std::size_t kMostSteps = 100;
/// Of all scenes that are kept, in bytes; of large ones there are fewer. At most a quarter of what
/// may still be taken.
constexpr std::size_t kMostPastBytes = std::size_t{256} << 20;

bool sameChoices(const State& a, const State& b) {
    return a.settings == b.settings && a.view == b.view && a.pinned == b.pinned;
}

/// A mesh in memory, with its pictures.
std::size_t bytesOf(const MeshOutline& mesh) {
    return mesh.triangles * sizeof(Triangle) + 3 * mesh.corners * sizeof(glm::vec3) +
           4 * mesh.texels + mesh.places * sizeof(Placement);
}

/// What only these steps keep, at most. Scenes share meshes and skies, and steps scenes.
std::size_t bytesOf(const std::vector<State>& steps) {
    std::set<const void*> counted;
    std::size_t bytes = 0;
    const auto add = [&](const void* thing, std::size_t size) {
        if (thing != nullptr && counted.insert(thing).second) bytes += size;
    };
    for (const State& step : steps) {
        const Scene& scene = *step.scene;
        add(&scene, sizeof(Scene) + scene.spheres.size() * sizeof(Sphere));
        for (const SceneMesh& mesh : scene.meshes)
            add(&mesh.mesh.outline(), bytesOf(mesh.mesh.outline()));
        if (const RadiancePicture* sky = scene.sky.picture.get())
            add(sky, sky->rgb.size() * sizeof(float));
    }
    return bytes;
}

std::size_t mostBytes() {
    return std::min(kMostPastBytes, MemoryBudget::common().left() / 4);
}

class UndoKeys : public WindowFeature {
    void chord(const Chord& chord, Frame& frame) override {
        if (chord.letter == 'z') restore(chord.shift, frame);
        if (chord.letter == 'y') restore(true, frame);
    }

    void act(Frame& frame) override {
        if (!frame.editing) undo_.note(frame.state, frame.now);
    }

    /// In the middle of a drag that drag.
    void restore(bool forth, Frame& frame) {
        undo_.note(frame.state, frame.now);
        std::optional<State> state = forth ? undo_.forth() : undo_.back();
        if (!state)
            return frame.say(forth ? "There is nothing to do again"
                                   : "There is nothing more to take back");
        State& present = frame.state;
        const std::string changes = difference(present.settings, state->settings);
        if (state->scene == present.scene && state->pinned == present.pinned) {
            present.settings = state->settings;  // the film goes on where it can
            present.view = state->view;
        } else {
            frame.host.adopt(std::move(*state));
        }
        if (!changes.empty()) return frame.say(changes);
        frame.say(forth ? "Done again" : "Taken back");
    }

    Undo undo_;
};

}  // namespace

void Undo::note(const State& state, double now) {
    const bool sameScene = present_ && present_->scene == state.scene;
    if (sameScene && sameChoices(*present_, state)) {
        present_->camera = state.camera;
        present_->bookmarks = state.bookmarks;
        return;
    }
    if (present_ && (now - lastChange_ > kOneChangeSeconds || past_.empty()))
        past_.push_back(*present_);
    const std::size_t most = mostBytes();
    while (past_.size() > 1 && (past_.size() > kMostSteps || bytesOf(past_) > most))
        past_.erase(past_.begin());
    future_.clear();
    if (present_) lastChange_ = now;
    present_ = state;
}

void Undo::move(std::vector<State>& from, std::vector<State>& to) {
    State next = std::move(from.back());
    from.pop_back();
    if (next.scene == present_->scene) {
        next.camera = present_->camera;
        next.bookmarks = present_->bookmarks;
    }
    to.push_back(std::exchange(*present_, std::move(next)));
    lastChange_ = -1;
}

std::optional<State> Undo::back() {
    if (past_.empty()) return {};
    move(past_, future_);
    return present_;
}

std::optional<State> Undo::forth() {
    if (future_.empty()) return {};
    move(future_, past_);
    return present_;
}

std::unique_ptr<WindowFeature> undoKeys() {
    return std::make_unique<UndoKeys>();
}

}  // namespace rayscope
