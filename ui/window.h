#pragma once

#include <array>
#include <string>
#include <vector>

struct GLFWwindow;

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
    through,
    focus,
    fullscreen,
    escape,
    count
};

enum class MouseButton { left, right };

struct KeyPress {
    Key key;
    bool shift = false;
    bool ctrl = false;
};

/// Ctrl and another key. Letters are those that the user's layout prints.
struct Chord {
    char letter = 0;  ///< lower case, or a sign such as + or 0; 0: none
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
    /// The user did something, or holds something down.
    bool any() const;
};

struct Size {
    int width = 0, height = 0;
    bool empty() const { return width < 1 || height < 1; }
    bool operator==(const Size&) const = default;
};

/// A rectangle of a screen, in screen units.
struct Area {
    int x = 0, y = 0, width = 0, height = 0;
};

/// Where a window stands whose frame is as wide as `left`, `top`, `right`, `bottom` say: no larger
/// than the part of the screen that panels and docks leave, and inside it.
struct FrameSize {
    int left = 0, top = 0, right = 0, bottom = 0;
};
Area within(const Area& work, const FrameSize& frame, Area window);

/// The one window with its OpenGL 4.5 context, current on the thread that made it, and Dear ImGui
/// on top. Throws std::runtime_error with a sentence where either cannot be had.
class Window {
public:
    Window(const std::string& title, int width, int height, bool vsync);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// Waits for an event, at most so long; false: none came.
    bool wait(double seconds);
    /// Handles events and returns what the user did since the last poll().
    const Input& poll();
    /// Pictures a second; 0: unknown.
    double refreshRate() const;
    void swap();
    bool closing() const;

    /// In screen units, the unit of the cursor and of the panels; 0x0 where minimised. As it was at
    /// the last poll(), so that a frame has one size, and units and pixels go together.
    Size size() const { return size_; }
    /// In pixels.
    Size framebuffer() const { return framebuffer_; }
    float contentScale() const;
    /// OpenGL runs on the CPU, so that drawing takes time from the CPU renderer.
    bool softwareGl() const { return softwareGl_; }
    const std::string& glName() const { return glName_; }

    /// Hides the cursor and lets it move without bounds while the user looks around.
    void captureCursor(bool captured);
    void setTitle(const std::string& title);

    /// The whole screen, or back to where the window was.
    void toggleFullscreen();
    bool fullscreen() const { return before_.width > 0; }

    /// Text; empty where there is none.
    std::string clipboard() const;
    void setClipboard(const std::string& text);

private:
    struct Callbacks;
    void forgetInput();
    void measure();
    void fitScreen();
    void showTaps(bool down);

    GLFWwindow* window_ = nullptr;
    Input input_;
    bool polled_ = true;  ///< input_ has been given away
    Size size_, framebuffer_;
    Area before_;  ///< full screen; empty: it is a window
    bool captured_ = false;
    bool softwareGl_ = false;
    std::string glName_;
    double lastPressTime_ = -1;
    MousePress lastPress_{};
    std::vector<int> taps_;  ///< GLFW's numbers of the keys that went down since the last poll()
};

}  // namespace rayscope
