#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/code/read_code.h"
#include "renderer/lab/comparison.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/lesson.h"

// Whether a lesson is solved: A is its weak sources, B somebody's.

namespace rayscope {

/// Fails if the lesson names a figure that factsOf() has not, or codeFigure().
Result<void> checkFigures(const Lesson& lesson);

/// Of all kernels of a program: "registers" (the most), "spill_bytes", "stack_bytes", or how many
/// instructions there are of a kind, "fp64". Nothing where there is no code.
std::optional<double> codeFigure(const ReadCode& read, const std::string& id);

/// A figure of both sides; not finite where it is not known.
struct MovedFigure {
    Fact fact;  ///< with the value of B
    double before = 0;
    bool up = false;  ///< as it is to move
    bool known() const;
    /// As it is to move, by more than a thousandth.
    bool moved() const;
};

/// What of the machine code differs.
struct CodeMoves {
    std::vector<MovedFigure> figures;
    std::string problem;  ///< why there is no code, perhaps the compiler's log
};

struct LessonResult {
    PairResult pair;
    std::string missing;  ///< to be solved; empty: it is
    // Once it is solved:
    std::vector<MovedFigure> counters;
    std::string noCounters;  ///< why they are missing, or some of them
    CodeMoves code;

    bool solved() const { return missing.empty(); }
};

/// What is missing, in a sentence without a full stop; empty: nothing. B is faster by the goal,
/// with its whole interval, and its work is at least the lesson's.
std::string missingIn(const Lesson& lesson, const PairResult& pair);

/// What is to be found out, and with what.
struct LessonWish {
    Lesson lesson;
    State state;  ///< scene and camera; its settings are A's, of the weak sources
    Settings b;
    double seconds = 10;    ///< of the comparison, compiling apart
    bool explains = false;  ///< look for what moved, where it is solved: the counters, too
    std::string program = "/proc/self/exe";  ///< CountJob's
};
LessonWish lessonWish(const Lesson& lesson, const SharedScene& scene, int weak, int own);

/// Lesson::code of both sides, compiled for an architecture, which takes up to seconds on any
/// thread. `goOn` as in run_program.h.
CodeMoves codeMoves(const LessonWish& wish, int architecture, const std::function<bool()>& goOn);

/// A job. The renderer has the scene; nothing else may use its device once the comparison is done.
class LessonJob : public SteppedJob {
public:
    LessonJob(Renderer& renderer, LessonWish wish, Watches& watches);

    double share() const override;
    std::string label() const override;
    /// What is known so far; complete when step() has returned true.
    LessonResult result() const;
    /// The comparison has ended: it counts, or reads machine code.
    bool explaining() const { return explaining_; }

private:
    Steps run() override;

    Renderer& renderer_;
    LessonWish wish_;
    PairJob pair_;
    bool explaining_ = false;
    LessonResult result_;
};

/// The comparison's table, whether it is solved, and what moved.
std::string textOf(const LessonWish& wish, const LessonResult& result, bool colour = false);

/// "1.62x A [1.60, 1.64], same rays; the goal is 1.4x"
std::string verdictText(const Lesson& lesson, const PairResult& pair);

nlohmann::json reportOf(const LessonWish& wish, const LessonResult& result);

}  // namespace rayscope
