#pragma once

#include <string>
#include <vector>

#include "ui/input.h"

struct GLFWwindow;

namespace rayscope {

struct Size {
    int width = 0, height = 0;
    bool empty() const { return width < 1 || height < 1; }
    bool operator==(const Size&) const = default;
};

/// The one window with its OpenGL 4.5 context, current on the thread that made it, and Dear ImGui
/// on top. Throws std::runtime_error with a sentence where either cannot be had.
class Window {
public:
    Window(const std::string& title, int width, int height, bool vsync);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// Handles events, waiting for one for at most `waitSeconds`, and returns what the user did.
    const Input& poll(double waitSeconds);
    void swap();
    bool closing() const;
    void close();

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

    /// Text; empty where there is none.
    std::string clipboard() const;
    void setClipboard(const std::string& text);

private:
    struct Callbacks;
    void measure();
    void showTaps(bool down);

    GLFWwindow* window_ = nullptr;
    Input input_;
    Size size_, framebuffer_;
    bool captured_ = false;
    bool softwareGl_ = false;
    std::string glName_;
    double lastPressTime_ = -1;
    MousePress lastPress_{};
    std::vector<int> taps_;  ///< GLFW's numbers of the keys that went down since the last poll()
};

}  // namespace rayscope
