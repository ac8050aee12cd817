#pragma once

#include <future>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/core/types.h"
#include "renderer/film/image.h"
#include "ui/laboratory.h"
#include "ui/window.h"

namespace rayscope {

struct SavedFile {
    std::string path;  ///< empty: it is in the clipboard
};
using Saved = std::variant<SavedFile, std::string>;  ///< or a sentence

enum class SaveTo { file, clipboard };

/// What a screenshot carries beside its picture.
struct Caption {
    State state;
    nlohmann::json info;  ///< what was measured, and where; for readers, nothing to restore
    LabHistory results;   ///< "results" of the info, which the writing thread makes
};

/// Writes PNG files into outputFolder(), or into the clipboard, on other threads, because
/// compressing a large picture takes seconds.
class Screenshots {
public:
    Screenshots() = default;
    /// Waits, so that closing the window loses nothing; what fails now goes to standard error.
    ~Screenshots();
    Screenshots(const Screenshots&) = delete;
    Screenshots& operator=(const Screenshots&) = delete;

    /// A film, rows from the top.
    void savePicture(std::vector<Pixel> pixels, Size size, Caption caption, SaveTo to);
    /// What the back buffer holds, panels and all; before it is swapped.
    void saveWindow(Size framebuffer, Caption caption, SaveTo to);
    /// What has been written, or could not be, since the last call.
    std::vector<Saved> finished();
    /// A file of today that nobody else writes, where screenshots go.
    std::string freshPath(const std::string& ending);
    /// Likewise for files of several endings.
    std::string freshStem(const std::string& stem, const std::vector<std::string>& endings);

private:
    std::string pathFor(SaveTo to);

    std::set<std::string> given_;  ///< paths that are being written or were
    std::vector<std::future<Saved>> running_;
};

}  // namespace rayscope
