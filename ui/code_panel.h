#pragma once

#include <utility>

#include "renderer/backend/renderer.h"
#include "renderer/code/carried_kernels.h"
#include "ui/code_text.h"
#include "ui/feature.h"
#include "ui/hot_counts.h"
#include "ui/hot_text.h"
#include "ui/lesson_panel.h"

namespace rayscope {

/// A kernel of this source renders, although it may not be the one that was asked for.
bool goesOn(const KernelInfo& kernel, int source);

/// Notices what came of a kernel source that was saved.
class SourceWatch {
public:
    struct News {
        std::string text;
        bool bad = false;
    };
    /// Once a frame in which the picture is traced; `version` is kernelSourcesVersion() of the
    /// source, `kernel` the one that renders. News once for each change.
    std::optional<News> look(int source, unsigned version, const KernelInfo& kernel);

private:
    std::optional<std::pair<int, unsigned>> seen_;  ///< the source and its version
    int frames_ = 0;                                ///< since the change; 0: nothing to wait for
};

/// The words that open a file in the user's editor. `setting`: what RAYSCOPE_EDITOR says, words
/// with spaces between them of which "{file}" and "{line}" are replaced, "code -g {file}:{line}";
/// the file comes last where no word has it. Empty: the desktop's own choice, by xdg-open.
std::vector<std::string> editorWords(const std::string& setting, const std::string& file, int line);

/// What the kernels are made of; the text of that lies below the panels, as wide as the window. A
/// source can be edited elsewhere, and what became of it is said.
class CodeTab : public Tab {
public:
    explicit CodeTab(LessonView* lesson = nullptr) : Tab("code", "Code"), lesson_(lesson) {}

    void drawPanel(const Ui& ui) override;
    void draw(const Ui& ui) override;
    bool wantsPane(const Frame& frame) const override {
        return frame.shows(id()) && reader_.pair() != nullptr;
    }
    void step(Frame& frame) override;
    /// "code": {"busy", "pairs" (read so far), "rows", "changes", "found", "first_line", "offered"
    /// (names), "problem", "relation", "kernels", "architecture", "hot" (lines listed), "counting"}
    void describe(const Frame& frame, nlohmann::json& status) const override;

    /// What a state that was opened had of edited kernels: shown and used if the user wants it.
    void offer(SetAside aside, Frame& frame);

    /// Shows this line of a source, as soon as there is one.
    void goTo(const std::string& file, int line);

    bool needsSilence() const override { return hot_.counting(); }

    /// On A and B; empty where it is not known of the present settings.
    CodeVerdict verdict() const { return current_ ? reader_.pair()->verdict : CodeVerdict{}; }

private:
    std::optional<CodeReader::Wish> wish(const Frame& frame) const;
    void read(Frame& frame);
    void noticeSources(Frame& frame);
    void edit(Frame& frame);
    void use(const std::string& name, Frame& frame);
    void count(Frame& frame);
    void countAsked(Frame& frame);
    void readReport(Frame& frame);
    const HotWork* counted(const ReadCode* read) const;

    void drawOffer(const Ui& ui);
    void drawPatchHeader(const Ui& ui);
    void drawForms(const Ui& ui);
    void drawKernelChoice(const Ui& ui, const CodePair& pair);
    void drawErrors(const Ui& ui, const std::string& log);
    void drawFindings(const Ui& ui, const CodePair& pair);
    void drawHot(const Ui& ui, const CodePair& pair);
    void drawHottest(const Ui& ui, const HotWork& work);
    void drawChanges(const Ui& ui, const HotWork& a, const HotWork& b);
    bool hotRow(const Ui& ui, const std::string& name, const HotLine& line, double share,
                const std::string& figure, const HotWork& work);

    void drawPane(const Ui& ui, const CodePair& pair);
    void drawHeader(const Ui& ui, const CodePair& pair);
    // `said`: what is to stand at the end of their line
    void drawFileChoice(const Ui& ui, const CodePair& pair, const std::string& said);
    void drawSearch(const Ui& ui, const std::string& said);
    void drawText(const Ui& ui, const CodePair& pair);
    std::string reasonForNothing(const CodePair& pair) const;
    std::vector<int> wrongLines(const CodePair& pair) const;

    LessonView* const lesson_;
    CodeReader reader_;
    bool current_ = false;  ///< what was read is of the present settings
    SourceWatch sources_;
    SetAside offered_;
    std::string shownPatch_;  ///< its name; empty: none is shown
    CodeChoice choice_;
    CodeText text_;
    HotCounts hot_;
    HotText hotText_;
    bool countAsked_ = false, reportRead_ = false;
    std::array<char, 64> search_{};  ///< as it is typed
    size_t found_ = 0;               ///< the row of the searched text that is shown
    std::optional<size_t> goTo_;     ///< a row to be shown in the next frame
    std::optional<int> goToLine_;    ///< of the file that is chosen now
    int firstLine_ = 1;              ///< that is seen
};

}  // namespace rayscope
