#pragma once

#include <memory>
#include <optional>

#include "renderer/lab/lesson_check.h"
#include "ui/feature.h"

namespace rayscope {

/// The lesson that the window was opened on: a part of the Code tab. Whenever its kernels have been
/// saved and the picture rests, they are compared with the lesson's own.
class LessonView : public WindowFeature {
public:
    explicit LessonView(std::function<Machine()> open) : open_(std::move(open)) {}

    void begin(LessonWish wish);
    /// nullptr: there is no lesson.
    const LessonWish* wish() const { return wish_ ? &*wish_ : nullptr; }

    void drawPanel(const Ui& ui);
    void key(const KeyPress& press, Frame& frame) override;
    void step(Frame& frame) override;
    /// "lesson": {"name", "running", "share", "changed", "measured" (times), "solved", "missing",
    /// "code" (figures that moved), "counters"}
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void leaveGpu(Frame& frame) override;
    std::string doing() const override;
    bool measuring() const override { return job_ != nullptr; }
    bool working() const override { return job_ != nullptr; }
    Backend processor(const Frame&) const override { return Backend::cuda; }
    void work(Frame& frame, double ms) override;
    bool needsSilence() const override { return job_ && job_->explaining(); }

private:
    std::string noGpu(const Frame& frame) const;
    void openMachine();
    void measure(Frame& frame);
    void noticeSources();
    void drawTask(const Ui& ui);
    void drawGoal(const Ui& ui);
    void drawMoves(const Ui& ui);
    void drawButtons(const Ui& ui, bool gpu);

    std::optional<LessonWish> wish_;
    std::function<Machine()> open_;
    std::optional<Machine> machine_;
    Watches watches_;
    std::optional<unsigned> version_;  ///< of the sources that are known
    bool changed_ = false;             ///< they are not the lesson's own any more
    bool due_ = false;                 ///< they are to be measured
    bool taskShown_ = true;
    int measured_ = 0;
    std::optional<LessonResult> result_;  ///< the newest
    unsigned resultVersion_ = 0;          ///< of the sources it is of
    std::string problem_;                 ///< why there is none
    std::string noGpu_;                   ///< why nothing can be measured, once that was tried
    CodeMoves code_;
    bool codeDue_ = false;
    std::unique_ptr<LessonJob> job_;
    std::unique_ptr<ThreadJob<CodeMoves>> reading_;  ///< last: waits for the thread
};

}  // namespace rayscope
