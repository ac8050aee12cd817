#pragma once

#include "renderer/base/result.h"
#include "ui/feature.h"

namespace rayscope {

/// Whether this is an existing file, not a scene's name, which has no dot and no slash.
bool namesFile(const std::string& nameOrPath);

/// What a scene's name, a scene file, a state file or a screenshot opens: `state` with whatever the
/// file has replaced.
Result<State> opened(const std::string& nameOrPath, const State& state, std::string* takenBack);

/// Opens scenes, states and screenshots, and lists recent ones; copies the state as text, and
/// pastes one.
class Documents : public WindowFeature {
public:
    explicit Documents(Window& window) : window_(window) {}

    void open(const std::string& nameOrPath, Frame& frame);
    /// Puts a file first among the recent ones, except the last state, which has a place of its own
    /// in the list.
    void remember(const std::string& path, Frame& frame);

    void chord(const Chord& chord, Frame& frame) override;

private:
    void copy(Frame& frame);
    void paste(Frame& frame);
    void read(std::string text, Frame& frame);

    Window& window_;
};

}  // namespace rayscope
