#pragma once

#include <chrono>
#include <string>

namespace rayscope {

/// A bar on stderr with the share done and the time left; nothing where stderr is no terminal.
class Progress {
public:
    explicit Progress(std::string label);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// share: 0..1. Draws at most ten times a second.
    void show(double share);
    /// What stands before the bar from now on.
    void label(const std::string& label) { label_ = label; }
    /// Clears the line, for other output.
    void hide();

private:
    using Clock = std::chrono::steady_clock;
    std::string label_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point drawn_{};
    bool terminal_;
};

}  // namespace rayscope
