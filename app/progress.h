#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "renderer/lab/job.h"

namespace rayscope {

/// A line of a progress bar for a terminal of so many columns, in all of which it stays. `blocks`:
/// drawn with those of UTF-8.
std::string progressLine(const std::string& label, double share, const std::string& left,
                         std::size_t columns, bool blocks);

/// A progress bar on stderr with the time left. If that is no terminal, or a dumb one, shows
/// nothing, or of several ranks a line from time to time.
class Progress {
public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// share: 0..1. Draws at most ten times a second.
    void show(const std::string& label, double share, std::optional<double> secondsLeft);
    /// Clears the line, for other output.
    void hide();

private:
    std::chrono::steady_clock::time_point drawn_ = std::chrono::steady_clock::now();
    bool terminal_, lines_;
};

/// Plays the job with a progress bar until it ends; false if Ctrl-C has cancelled it (a second one
/// ends the program). `label` is shown if the job has none of its own. `rows`, called after every
/// step, returns text for standard output.
bool play(Job& job, const std::string& label, const std::function<std::string()>& rows = {});

}  // namespace rayscope
