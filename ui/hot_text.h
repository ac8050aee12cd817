#pragma once

#include <optional>
#include <vector>

#include "renderer/lab/hot.h"
#include "ui/code_text.h"

namespace rayscope {

/// What a line that is shown has executed, and what its warps waited for.
struct HotRow {
    Executed executed;
    Sampled sampled;
};

/// That of all lines of a text: a source's, as its helpers work for it, or an instruction's of
/// SASS.
class HotText {
public:
    /// Made anew where the text, the counts (`counted`: HotCounts::number()) or the pair (`number`)
    /// are others. `work`: of the pair's b; nullptr: nothing is known.
    void show(const HotWork* work, long counted, const CodePair& pair, long number,
              const CodeText& text, const CodeChoice& choice);

    /// Something is known of this text.
    bool any() const { return most_ > 0; }
    /// Of a row; nullptr where it has executed nothing.
    const HotRow* of(size_t row) const;
    double share(const Executed& executed) const;  ///< of all instructions
    /// Of a CPU, by samples: shares are of time, and this is the standard error of one.
    bool sampled() const { return work_ != nullptr && work_->host(); }
    double error(const Executed& executed) const;
    /// Its share over that of the hottest row.
    double height(const Executed& executed) const;
    /// Something is known of the warps' time,
    bool timed() const { return samples_ > 0; }
    double time(const Sampled& sampled) const;  ///< and of all of it this share.
    /// StallSamples::reasons
    const std::vector<std::string>& reasons() const { return work_->stalls.reasons; }

private:
    void addLines(const HotWork& work, const std::string& file, const CodeText& text);
    void addInstructions(const HotWork& work, const std::string& symbol, const CodeText& text);

    std::optional<std::pair<long, long>> numbers_;
    CodeChoice choice_;
    const HotWork* work_ = nullptr;
    std::vector<HotRow> rows_;
    double all_ = 0, most_ = 0, samples_ = 0;
};

}  // namespace rayscope
