#pragma once

#include <variant>

#include "ui/feature.h"

namespace rayscope {

/// A file that is there, not the name of a scene (without a dot or a slash).
bool namesFile(const std::string& nameOrPath);

/// What a scene name, a scene file, a state file or a screenshot opens: `state` with what the file
/// says in place of what was there. One sentence where it cannot be opened.
std::variant<State, std::string> opened(const std::string& nameOrPath, const State& state,
                                        std::string* takenBack);

/// Opens scenes, states and screenshots, of which it keeps a list; copies the state as text, and
/// pastes one.
class Documents : public WindowFeature {
public:
    explicit Documents(Window& window) : window_(window) {}

    void open(const std::string& nameOrPath, Frame& frame);
    /// Puts a file in front of the recent ones; but for the last state, which has a place of its
    /// own in the list.
    void remember(const std::string& path, Frame& frame);

    void chord(const Chord& chord, Frame& frame) override;

private:
    void copy(Frame& frame);
    void paste(Frame& frame);
    void read(std::string text, Frame& frame);

    Window& window_;
};

}  // namespace rayscope
