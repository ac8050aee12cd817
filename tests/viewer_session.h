#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/viewer_display.h"

namespace rayscope::test {

/// A program started with its output in a file, ended by the destructor.
class Process {
public:
    Process(const std::vector<std::string>& arguments, const std::string& output,
            const std::vector<std::string>& environment = {});
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    bool running();
    void signal(int number);
    /// Waits at most `seconds`; the exit code, 128 + the signal, or -1 where it is still running.
    int wait(double seconds);

private:
    pid_t id_ = -1;
    int code_ = -1;
};

/// For the environment of programs with a window: OpenGL's libraries leave 240 bytes when they are
/// unloaded, and AddressSanitizer cannot name them.
std::string withoutLeakCheck();

/// A picture as read from a PNG file: three bytes a pixel, rows from the top.
struct Pixels {
    int width = 0, height = 0;
    std::vector<unsigned char> rgb;
};
Pixels readPng(const std::string& path);

/// Means of squares of `block` pixels, so that two pictures of the same thing differ little.
std::vector<double> blockMeans(const Pixels& pixels, int block);
double meanDifference(const std::vector<double>& a, const std::vector<double>& b);

/// What a status says of an axis; null where the axis does not matter for the other settings, such
/// as `path` for paths in SIMD lanes, with which a machine that has them begins.
nlohmann::json setting(const nlohmann::json& status, const char* axis);

/// The real program in a virtual X server, driven by real events. Reads what the program says in
/// its RAYSCOPE_STATUS file (ui/viewer_class.h).
class Session {
public:
    /// Where the X server or xdotool is missing, the reason; else empty.
    static std::string missing();

    /// `program`: the words that start it, before the arguments.
    explicit Session(const std::vector<std::string>& arguments, int width = 960, int height = 600,
                     std::vector<std::string> program = {RAYSCOPE_PROGRAM});
    ~Session();

    /// Ends the program by a signal, as Ctrl-C does; false where it stays, or ends with another
    /// code than 0.
    bool quit(int number = SIGINT, double seconds = 20);
    /// Starts the program once more, in the same X server.
    void restart(const std::vector<std::string>& arguments);

    /// True where the condition came true in time, which is patience and no promise: other programs
    /// may have the cores. Fails when the program ends.
    bool waitFor(const std::function<bool(const nlohmann::json&)>& condition, double seconds = 60);
    nlohmann::json status();
    bool running() { return program_->running(); }
    int exitCode() { return program_->wait(0); }  ///< 128 + the signal; -1: it runs
    std::string output() const;
    const std::string& folder() const { return folder_; }
    std::string display() const { return server_.name(); }

    /// xdotool's own words: "key F12", "mousemove 10 10 click 1".
    void act(const std::string& words);
    /// Clicks into the middle of something that is drawn; false where it is not.
    bool click(const std::string& name);
    void moveTo(const std::string& name);
    /// Until what was done has been drawn.
    void waitForFrames();
    /// Presses the key and waits for a new file; its path, empty where none came.
    std::string screenshot(const std::string& key = "F12");
    void resize(int width, int height);

private:
    void start(const std::vector<std::string>& arguments);
    std::string statusFile() const;

    std::string folder_, size_;
    std::vector<std::string> words_;
    VirtualDisplay server_;
    std::unique_ptr<Process> program_;
};

}  // namespace rayscope::test
