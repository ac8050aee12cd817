#pragma once

#include <optional>
#include <vector>

#include "renderer/lab/hot.h"
#include "ui/code_text.h"

namespace rayscope {

/// What the lines of a text that is shown have executed: a source's, as its helpers work for it, or
/// an instruction's of SASS.
class HotText {
public:
    /// Made anew where the text, the counts (`counted`: HotCounts::number()) or the pair (`number`)
    /// are others. `work`: of the pair's b; nullptr: nothing is known.
    void show(const HotWork* work, long counted, const CodePair& pair, long number,
              const CodeText& text, const CodeChoice& choice);

    /// Something is known of this text.
    bool any() const { return most_ > 0; }
    /// Of a row; nullptr where it has executed nothing.
    const Executed* of(size_t row) const;
    double share(const Executed& executed) const;  ///< of all instructions
    /// The same over that of the hottest row.
    double height(const Executed& executed) const;

private:
    void addLines(const HotWork& work, const std::string& file, const CodeText& text);
    void addInstructions(const HotWork& work, const std::string& symbol, const CodeText& text);

    std::optional<std::pair<long, long>> numbers_;
    CodeChoice choice_;
    const HotWork* work_ = nullptr;
    std::vector<Executed> rows_;
    double all_ = 0, most_ = 0;
};

}  // namespace rayscope
