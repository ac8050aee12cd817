#pragma once

#include <nlohmann/json.hpp>

#include "renderer/choices/state.h"
#include "renderer/core/types.h"
#include "renderer/film/image.h"
#include "ui/feature.h"
#include "ui/laboratory.h"

namespace rayscope {

/// A screenshot that was written, or why it could not be.
struct Saved {
    std::string path;  ///< empty: it is in the clipboard
    std::string problem;
};

/// What a screenshot carries beside its picture.
struct Caption {
    State state;
    nlohmann::json info;  ///< what was measured, and where; for readers, nothing to restore
    LabHistory results;   ///< "results" of the info, which the writing thread makes
};

/// Writes PNG files and pages into outputFolder(), or into the clipboard, on other threads, because
/// compressing a large picture takes seconds.
class Screenshots : public WindowFeature {
public:
    Screenshots() = default;
    /// Waits, so that closing the window loses nothing; what fails now goes to standard error.
    ~Screenshots() override;
    Screenshots(const Screenshots&) = delete;
    Screenshots& operator=(const Screenshots&) = delete;

    /// With the next picture, as Host has it.
    void savePage(nlohmann::json report) { page_ = std::move(report); }

    void key(const KeyPress& press, Frame& frame) override;
    void chord(const Chord& chord, Frame& frame) override;
    /// "screenshot": the last file written.
    void describe(const Frame& frame, nlohmann::json& status) const override;

    /// The back buffer has the picture and no panels yet. `filmAlone`: the picture is nothing but
    /// the tracer's film, which is finer than what is seen of it.
    void pictureDrawn(Frame& frame, bool filmAlone, const std::function<Caption()>& caption);
    /// The back buffer has everything. Says what has been written, or could not be.
    void windowDrawn(Frame& frame, const std::function<Caption()>& caption);

private:
    void savePicture(Frame& frame, Caption caption, std::string path);
    void saveWindow(Frame& frame, Caption caption, std::string path);
    void writePage(Frame& frame, bool filmAlone, Caption caption);
    void tell(Frame& frame, const Saved& saved);

    bool picture_ = false, copy_ = false, window_ = false;  ///< asked for
    std::optional<nlohmann::json> page_;                    ///< asked for
    std::string last_;
    std::vector<std::future<Saved>> running_;
};

}  // namespace rayscope
