#include "ui/window.h"

#define GLFW_INCLUDE_NONE  // glad declares OpenGL

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "ui/gl_zones.h"

namespace rayscope {

namespace {

std::string lastGlfwError() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text != nullptr ? text : "no reason given";
}

/// GLFW's key names are positions on a US keyboard, so the keys of flight stay where they are on
/// any layout.
constexpr std::pair<int, Key> kKeys[] = {{GLFW_KEY_W, Key::forward},
                                         {GLFW_KEY_A, Key::left},
                                         {GLFW_KEY_S, Key::back},
                                         {GLFW_KEY_D, Key::right},
                                         {GLFW_KEY_Q, Key::down},
                                         {GLFW_KEY_E, Key::up},
                                         {GLFW_KEY_LEFT_SHIFT, Key::shift},
                                         {GLFW_KEY_RIGHT_SHIFT, Key::shift},
                                         {GLFW_KEY_LEFT_ALT, Key::alt},
                                         {GLFW_KEY_RIGHT_ALT, Key::alt},
                                         {GLFW_KEY_HOME, Key::home},
                                         {GLFW_KEY_TAB, Key::panels},
                                         {GLFW_KEY_SPACE, Key::pause},
                                         {GLFW_KEY_R, Key::restart},
                                         {GLFW_KEY_F1, Key::help},
                                         {GLFW_KEY_O, Key::orbit},
                                         {GLFW_KEY_P, Key::pin},
                                         {GLFW_KEY_V, Key::showing},
                                         {GLFW_KEY_T, Key::timeline},
                                         {GLFW_KEY_F12, Key::screenshot},
                                         {GLFW_KEY_DELETE, Key::remove},
                                         {GLFW_KEY_PAGE_UP, Key::previous},
                                         {GLFW_KEY_PAGE_DOWN, Key::next},
                                         {GLFW_KEY_G, Key::through},
                                         {GLFW_KEY_F6, Key::focus},
                                         {GLFW_KEY_F11, Key::fullscreen},
                                         {GLFW_KEY_ESCAPE, Key::escape}};

/// Of the row above the letters or of the number pad, 1 to 9; else 0.
int digitOf(int key) {
    if (key >= GLFW_KEY_1 && key <= GLFW_KEY_9) return key - GLFW_KEY_1 + 1;
    if (key >= GLFW_KEY_KP_1 && key <= GLFW_KEY_KP_9) return key - GLFW_KEY_KP_1 + 1;
    return 0;
}

/// What the layout prints on the key, where that is one letter; else 0.
char letterOf(int key, int scancode) {
    const char* name = glfwGetKeyName(key, scancode);
    if (name == nullptr || name[0] == 0 || name[1] != 0) return 0;
    return static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
}

constexpr double kDoubleClickSeconds = .35;
constexpr double kDoubleClickDistance = 6;

}  // namespace

struct Window::Callbacks {
    static Window& of(GLFWwindow* window) {
        return *static_cast<Window*>(glfwGetWindowUserPointer(window));
    }

    static void key(GLFWwindow* window, int key, int scancode, int action, int mods) {
        if (action == GLFW_PRESS && key >= 0) of(window).taps_.push_back(key);
        Input& input = of(window).input_;
        const bool shift = (mods & GLFW_MOD_SHIFT) != 0, ctrl = (mods & GLFW_MOD_CONTROL) != 0;
        const int digit = digitOf(key);
        if (action == GLFW_PRESS && ctrl) {
            const char letter = digit > 0 ? 0 : letterOf(key, scancode);
            if (digit > 0 || letter != 0) return input.chords.push_back({letter, digit, shift});
        }
        if (action == GLFW_PRESS && digit > 0) input.digits.push_back(digit);
        const auto known = std::ranges::find(kKeys, key, &std::pair<int, Key>::first);
        if (known == std::end(kKeys)) return;
        input.held[static_cast<size_t>(known->second)] = action != GLFW_RELEASE;
        if (action == GLFW_PRESS) input.keys.push_back({known->second, shift, ctrl});
    }

    static void button(GLFWwindow* window, int button, int action, int mods) {
        if (button != GLFW_MOUSE_BUTTON_LEFT && button != GLFW_MOUSE_BUTTON_RIGHT) return;
        Window& self = of(window);
        const MouseButton which =
            button == GLFW_MOUSE_BUTTON_LEFT ? MouseButton::left : MouseButton::right;
        self.input_.buttons[static_cast<size_t>(which)] = action == GLFW_PRESS;
        if (action != GLFW_PRESS) return;
        MousePress press{which, 0, 0, false, (mods & GLFW_MOD_ALT) != 0};
        glfwGetCursorPos(window, &press.x, &press.y);
        const double now = glfwGetTime();
        const MousePress& last = self.lastPress_;
        press.twice = now - self.lastPressTime_ < kDoubleClickSeconds && !last.twice &&
                      last.button == which &&
                      std::hypot(press.x - last.x, press.y - last.y) < kDoubleClickDistance;
        self.lastPressTime_ = now;
        self.lastPress_ = press;
        self.input_.presses.push_back(press);
        self.input_.dx = self.input_.dy = 0;  // of no drag
    }

    static void cursor(GLFWwindow* window, double x, double y) {
        Input& input = of(window).input_;
        input.dx += x - input.x;
        input.dy += y - input.y;
        input.x = x;
        input.y = y;
    }

    static void scroll(GLFWwindow* window, double, double y) { of(window).input_.wheel += y; }

    static void drop(GLFWwindow* window, int count, const char** paths) {
        Input& input = of(window).input_;
        input.dropped.insert(input.dropped.end(), paths, paths + count);
    }

    /// Releases are not delivered to a window without focus.
    static void focus(GLFWwindow* window, int focused) {
        if (focused != 0) return;
        of(window).input_.held.fill(false);
        of(window).input_.buttons.fill(false);
    }
};

Window::Window(const std::string& title, int width, int height, bool vsync) {
    glfwSetErrorCallback(nullptr);
    if (glfwInit() == GLFW_FALSE) {
        throw std::runtime_error(fmt::format(
            "no window can be opened ({}): start rayscope in a graphical session, or use "
            "'rayscope render'",
            lastGlfwError()));
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // until it has its place
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "rayscope");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "rayscope");
    window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    if (window_ == nullptr) {
        const std::string reason = lastGlfwError();
        glfwTerminate();
        throw std::runtime_error(
            fmt::format("this display has no OpenGL 4.5 ({}): update the graphics driver, or use "
                        "'rayscope render'",
                        reason));
    }
    glfwMakeContextCurrent(window_);
    if (gladLoadGL(glfwGetProcAddress) == 0) {
        glfwDestroyWindow(window_);
        glfwTerminate();
        throw std::runtime_error(
            "the OpenGL functions could not be loaded: update the graphics "
            "driver, or use 'rayscope render'");
    }
    glfwSwapInterval(vsync ? 1 : 0);
    glName_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    for (const char* name : {"llvmpipe", "softpipe", "SWR", "SwiftShader"}) {
        softwareGl_ |= glName_.find(name) != std::string::npos;
    }
    glfwSetWindowUserPointer(window_, this);
    glfwGetCursorPos(window_, &input_.x, &input_.y);
    glfwSetKeyCallback(window_, Callbacks::key);
    glfwSetMouseButtonCallback(window_, Callbacks::button);
    glfwSetCursorPosCallback(window_, Callbacks::cursor);
    glfwSetScrollCallback(window_, Callbacks::scroll);
    glfwSetDropCallback(window_, Callbacks::drop);
    glfwSetWindowFocusCallback(window_, Callbacks::focus);
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    // ImGui calls the callbacks above before its own.
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    ImGui_ImplOpenGL3_Init("#version 450 core");
    fitScreen();
    glfwShowWindow(window_);
    measure();
}

Window::~Window() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(window_);
    forgetFences();
    glfwTerminate();
}

bool Input::any() const {
    const auto isDown = [](bool one) { return one; };
    return std::any_of(held.begin(), held.end(), isDown) ||
           std::any_of(buttons.begin(), buttons.end(), isDown) || !keys.empty() ||
           !chords.empty() || !digits.empty() || !presses.empty() || !dropped.empty() || dx != 0 ||
           dy != 0 || wheel != 0;
}

void Window::forgetInput() {
    if (!std::exchange(polled_, false)) return;
    const Input& last = input_;  // what is held stays
    input_ = {.held = last.held, .buttons = last.buttons, .x = last.x, .y = last.y};
    showTaps(false);
    taps_.clear();
}

bool Window::wait(double seconds) {
    forgetInput();
    const double until = glfwGetTime() + seconds;
    glfwWaitEventsTimeout(seconds);
    return glfwGetTime() < until;
}

const Input& Window::poll() {
    forgetInput();
    glfwPollEvents();
    polled_ = true;
    showTaps(true);
    measure();
    return input_;
}

double Window::refreshRate() const {
    GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* const mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
    return mode != nullptr ? mode->refreshRate : 0;
}

/// ImGui looks at keys once a frame: what went down and up between two polls is down for one frame.
/// From 1.87 on it sees to that by itself.
void Window::showTaps(bool down) {
#if IMGUI_VERSION_NUM < 18700
    ImGuiIO& io = ImGui::GetIO();
    const bool typed = !io.InputQueueCharacters.empty();  // which Ctrl would keep from a field
    if (down) {
        std::erase_if(taps_, [&](int key) {
            const bool ctrl = key == GLFW_KEY_LEFT_CONTROL || key == GLFW_KEY_RIGHT_CONTROL;
            return io.KeysDown[key] || (ctrl && typed);
        });
    }
    for (const int key : taps_) io.KeysDown[key] = down;
    io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] || io.KeysDown[GLFW_KEY_RIGHT_CONTROL];
    io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] || io.KeysDown[GLFW_KEY_RIGHT_SHIFT];
#else
    (void)down;
#endif
}

void Window::swap() {
    glfwSwapBuffers(window_);
    keepFence();
}

bool Window::closing() const {
    return glfwWindowShouldClose(window_) != 0;
}

/// The window may be resized between the questions: units of one size and pixels of another would
/// make a font of no height.
void Window::measure() {
    if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0) {
        size_ = {};
        return;
    }
    Size before, pixels, after;
    glfwGetWindowSize(window_, &before.width, &before.height);
    glfwGetFramebufferSize(window_, &pixels.width, &pixels.height);
    glfwGetWindowSize(window_, &after.width, &after.height);
    if (before != after && !size_.empty()) return;  // the next frame's
    size_ = after;
    framebuffer_ = pixels;
}

Area within(const Area& work, const FrameSize& frame, Area window) {
    if (work.width <= 0 || work.height <= 0) return window;
    const auto fit = [](int low, int room, int& at, int& length) {
        length = std::max(std::min(length, room), 1);
        at = std::clamp(at, low, low + room - length);
    };
    const int width = std::max(work.width - frame.left - frame.right, 1);
    const int height = std::max(work.height - frame.top - frame.bottom, 1);
    fit(work.x + frame.left, width, window.x, window.width);
    fit(work.y + frame.top, height, window.y, window.height);
    return window;
}

/// Some window managers shrink a window that is larger than the screen; others, and bare servers,
/// cut it off.
void Window::fitScreen() {
    GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
    if (monitor == nullptr) return;
    Area work, window;
    FrameSize frame;
    glfwGetMonitorWorkarea(monitor, &work.x, &work.y, &work.width, &work.height);
    glfwGetWindowPos(window_, &window.x, &window.y);
    glfwGetWindowSize(window_, &window.width, &window.height);
    glfwGetWindowFrameSize(window_, &frame.left, &frame.top, &frame.right, &frame.bottom);
    const Area fits = within(work, frame, window);
    if (fits.width != window.width || fits.height != window.height)
        glfwSetWindowSize(window_, fits.width, fits.height);
    if (fits.x != window.x || fits.y != window.y) glfwSetWindowPos(window_, fits.x, fits.y);
}

void Window::toggleFullscreen() {
    GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* const mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
    if (fullscreen()) {
        const Area back = std::exchange(before_, {});
        glfwSetWindowMonitor(window_, nullptr, back.x, back.y, back.width, back.height,
                             GLFW_DONT_CARE);
    } else if (mode != nullptr) {
        glfwGetWindowPos(window_, &before_.x, &before_.y);
        glfwGetWindowSize(window_, &before_.width, &before_.height);
        glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
}

float Window::contentScale() const {
    // Where screen units are already larger than pixels, the system has scaled them.
    if (size_.width < framebuffer_.width) return 1;
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return y > 0 ? y : 1;
}

void Window::captureCursor(bool captured) {
    if (captured == captured_) return;
    captured_ = captured;
    glfwSetInputMode(window_, GLFW_CURSOR, captured ? GLFW_CURSOR_DISABLED : GLFW_CURSOR_NORMAL);
    glfwGetCursorPos(window_, &input_.x, &input_.y);
}

std::string Window::clipboard() const {
    const char* text = glfwGetClipboardString(window_);
    return text != nullptr ? text : "";
}

void Window::setClipboard(const std::string& text) {
    glfwSetClipboardString(window_, text.c_str());
}

void Window::setTitle(const std::string& title) {
    glfwSetWindowTitle(window_, title.c_str());
}

}  // namespace rayscope
