#pragma once

#include <array>
#include <optional>
#include <string>

#include "ui/code_text.h"
#include "ui/panels.h"

namespace rayscope {

/// The Code tab as the user has left it.
struct CodeTab {
    CodeChoice choice;
    CodeText text;
    std::array<char, 64> search{};  ///< as it is typed
    size_t found = 0;               ///< the row of the searched text that is shown
    std::optional<size_t> goTo;     ///< a row to be shown in the next frame
    std::optional<int> goToLine;    ///< of the file that is chosen now
    int firstLine = 1;              ///< that is seen
};

struct CodeRequests {
    std::string edit;  ///< a source, to be opened in the user's editor
    int line = 1;
};

struct CodeFacts {
    const CodeReader& reader;
    const State& state;
    bool current;  ///< what was read is of the present settings
};

/// The panel on the right: what the kernels are made of, and which text is shown.
void drawCodePanel(const Ui& ui, const CodeFacts& facts, CodeTab& tab, CodeRequests& requests);

/// The text, over the lower part of the picture.
void drawCodePane(const Ui& ui, const CodeFacts& facts, CodeTab& tab, CodeRequests& requests);

}  // namespace rayscope
