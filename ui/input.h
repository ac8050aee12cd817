#pragma once

#include <array>
#include <string>
#include <vector>

namespace rayscope {

/// Keys the viewer knows. The six of flight are positions (those of W A S D Q E on a US keyboard),
/// whatever the layout prints on them.
enum class Key {
    forward,
    left,
    back,
    right,
    down,
    up,
    shift,
    alt,
    home,
    panels,
    pause,
    restart,
    help,
    orbit,
    pin,
    showing,
    timeline,
    screenshot,
    remove,
    previous,
    next,
    escape,
    count
};

enum class MouseButton { left, right };

struct KeyPress {
    Key key;
    bool shift = false;
};

/// Ctrl and another key. Letters are those that the user's layout prints.
struct Chord {
    char letter = 0;  ///< lower case; 0: none
    int digit = 0;    ///< 1 to 9; 0: none
    bool shift = false;
};

/// A press of a mouse button at a place in the window.
struct MousePress {
    MouseButton button;
    double x, y;
    bool twice = false;  ///< the second of a double click
    bool alt = false;
};

/// What the user did since the last frame, and what is held down now. Screen units.
struct Input {
    std::array<bool, static_cast<size_t>(Key::count)> held{};
    std::array<bool, 2> buttons{};
    std::vector<KeyPress> keys{};
    std::vector<Chord> chords{};
    std::vector<int> digits{};  ///< 1 to 9, pressed alone
    std::vector<MousePress> presses{};
    std::vector<std::string> dropped{};  ///< paths of files
    double x = 0, y = 0;                 ///< cursor
    double dx = 0, dy = 0;               ///< its movement, after the last press
    double wheel = 0;                    ///< notches, away from the user is positive

    bool down(Key key) const { return held[static_cast<size_t>(key)]; }
    bool down(MouseButton button) const { return buttons[static_cast<size_t>(button)]; }
};

}  // namespace rayscope
