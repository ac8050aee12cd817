#pragma once

#include <optional>
#include <vector>

#include "renderer/choices/state.h"

namespace rayscope {

/// Takes back what the user chose: scene, settings, view, what is pinned. Where the camera flew is
/// no choice and stays, as do bookmarks, unless the scene changes.
class Undo {
public:
    /// Each frame. Changes that follow each other closely, as a slider's do, count as one.
    void note(const State& state, double now);
    /// The state before the last change, or after the one taken back last; nothing where there is
    /// none.
    std::optional<State> back();
    std::optional<State> forth();

private:
    void move(std::vector<State>& from, std::vector<State>& to);

    std::optional<State> present_;
    std::vector<State> past_, future_;
    double lastChange_ = -1;
};

}  // namespace rayscope
