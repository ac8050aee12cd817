#include "renderer/lab/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastMove = 1e-3;
constexpr double kPairShare = .7;  ///< of the progress, where what moved is looked for

struct KindId {
    const char* id;
    InstructionKind kind;
};
constexpr KindId kCodeKinds[] = {
    {"fp64", InstructionKind::fp64},       {"conversion", InstructionKind::conversion},
    {"special", InstructionKind::special}, {"warp", InstructionKind::warp},
    {"global", InstructionKind::global},   {"local", InstructionKind::local},
    {"shared", InstructionKind::shared},   {"control", InstructionKind::control}};

struct SizeId {
    const char *id, *label, *unit;
    int KernelFacts::*size;
};
constexpr SizeId kCodeSizes[] = {{"registers", "registers a thread", "", &KernelFacts::registers},
                                 {"spill_bytes", "spilled", "B", &KernelFacts::spillBytes},
                                 {"stack_bytes", "stack", "B", &KernelFacts::stackBytes}};

/// In the machine code.
std::string labelOfCode(const std::string& id) {
    for (const SizeId& size : kCodeSizes) {
        if (id == size.id) return size.label;
    }
    for (const KindId& kind : kCodeKinds) {
        if (id == kind.id) return fmt::format("{} instructions", nameOf(kind.kind));
    }
    return id;
}

std::vector<MovedFigure> movedCounters(const Lesson& lesson, const CountedWork& a,
                                       const CountedWork& b) {
    const std::vector<Fact> before = factsOf(a), after = factsOf(b);
    std::vector<MovedFigure> moved;
    for (const LessonMove& move : lesson.counters) {
        for (size_t i = 0; i < after.size(); ++i) {
            if (after[i].id == move.id) moved.push_back({after[i], before[i].value, move.up});
        }
    }
    return moved;
}

std::string movedRows(const std::vector<MovedFigure>& figures) {
    std::string text;
    for (const MovedFigure& figure : figures) {
        if (!figure.known()) continue;
        text += fmt::format(
            "  {:<30}{:>12}{:>12}{:>12}\n", figure.fact.label, factText(figure.fact, figure.before),
            factText(figure.fact, figure.fact.value), changeText(figure.before, figure.fact.value));
    }
    return text;
}

json movedJson(const std::vector<MovedFigure>& figures) {
    json all = json::array();
    for (const MovedFigure& figure : figures) {
        if (figure.known())
            all.push_back({{"id", figure.fact.id},
                           {"label", figure.fact.label},
                           {"unit", figure.fact.unit},
                           {"weak", figure.before},
                           {"own", figure.fact.value},
                           {"to_move", figure.up ? "up" : "down"},
                           {"moved", figure.moved()}});
    }
    return all;
}

ComparedPair comparedPair(const LessonWish& wish) {
    const Scene& scene = wish.state.scene;
    return {wish.state, wish.b, scene.width, scene.height};
}

PairWish pairWish(const LessonWish& wish) {
    PairWish pair;
    pair.speed.camera = wish.state.camera;
    pair.speed.width = wish.state.scene->width;
    pair.speed.height = wish.state.scene->height;
    pair.seconds = wish.seconds;
    pair.work = equalWorkWish(wish.state.settings, wish.b, wish.state.scene);
    return pair;
}

}  // namespace

Result<void> checkFigures(const Lesson& lesson) {
    const auto fail = [&](const char* key, const LessonMove& move) {
        return Failure{fmt::format("{}: {} names \"{}\", which is no figure", titleOf(lesson), key,
                                   printable(shortened(move.id, 40)))};
    };
    const std::vector<Fact> facts = factsOf(CountedWork{});
    for (const LessonMove& move : lesson.counters) {
        if (std::ranges::find(facts, move.id, &Fact::id) == facts.end())
            return fail("counters", move);
    }
    for (const LessonMove& move : lesson.code) {
        const auto is = [&](const auto& known) { return move.id == known.id; };
        if (std::ranges::none_of(kCodeSizes, is) && std::ranges::none_of(kCodeKinds, is))
            return fail("code", move);
    }
    return {};
}

std::optional<double> codeFigure(const ReadCode& read, const std::string& id) {
    const std::vector<KernelFacts>& kernels = read.code.kernels;
    if (kernels.empty()) return {};
    double sum = 0;
    for (const SizeId& size : kCodeSizes) {
        if (id != size.id) continue;
        for (const KernelFacts& kernel : kernels) {
            const double value = kernel.*size.size;
            if (value < 0) return {};
            sum = size.size == &KernelFacts::registers ? std::max(sum, value) : sum + value;
        }
        return sum;
    }
    const auto kind = std::ranges::find_if(kCodeKinds, [&](const KindId& k) { return id == k.id; });
    if (kind == std::end(kCodeKinds) || read.best().empty()) return {};
    for (const Listing& listing : read.best()) sum += listing.mix[kind->kind];
    return sum;
}

bool MovedFigure::known() const {
    return std::isfinite(before) && std::isfinite(fact.value);
}

bool MovedFigure::moved() const {
    if (!known()) return false;
    return up ? fact.value > before * (1 + kLeastMove) : fact.value < before * (1 - kLeastMove);
}

std::string missingIn(const Lesson& lesson, const PairResult& pair) {
    if (!pair.work) return "the work was not compared: " + pair.noWork;
    const EqualWorkResult& work = *pair.work;
    if (work.verdict == Verdict::different) return "the picture is another one: " + work.sentence;
    if (work.verdict > lesson.work)
        return fmt::format("the work is the {}, and has to be {}: {}", nameOf(work.verdict),
                           lesson.work == Verdict::identical ? "identical" : "the same rays",
                           work.sentence);
    if (!(pair.speed.samples.lower >= lesson.goal))
        return fmt::format("it is not surely {}x as fast as the lesson's own sources: {}",
                           lesson.goal, timesText(pair.speed.samples));
    return {};
}

CodeMoves codeMoves(const LessonWish& wish, int architecture, const std::function<bool()>& goOn) {
    CodeMoves moves;
    if (wish.lesson.code.empty()) return moves;
    const State& state = wish.state;
    const ReadCode weak = readCode({state.settings, state.scene, architecture}, goOn);
    const ReadCode own = readCode({wish.b, state.scene, architecture}, goOn);
    moves.problem = weak.problem.empty() ? own.problem : weak.problem;
    for (const LessonMove& move : wish.lesson.code) {
        Fact fact{move.id, "Machine code", labelOfCode(move.id),
                  "",      Better::less,   codeFigure(own, move.id).value_or(kNotKnown)};
        moves.figures.push_back(
            {std::move(fact), codeFigure(weak, move.id).value_or(kNotKnown), move.up});
    }
    return moves;
}

LessonWish lessonWish(const Lesson& lesson, const SharedScene& scene, int weak, int own) {
    LessonWish wish;
    wish.lesson = lesson;
    wish.state.scene = scene;
    wish.state.camera = scene->camera;
    wish.state.settings = wish.b = settingsOf(lesson, scene);
    wish.state.settings.source = weak;
    wish.b.source = own;
    return wish;
}

LessonJob::LessonJob(Renderer& renderer, LessonWish wish, Watches& watches)
    : renderer_(renderer),
      wish_(std::move(wish)),
      pair_({&renderer, wish_.state.settings}, {&renderer, wish_.b}, pairWish(wish_), watches) {}

Steps LessonJob::run() {
    co_await play(pair_);
    result_.pair = pair_.result();
    result_.missing = missingIn(wish_.lesson, result_.pair);
    if (!result_.solved() || !wish_.explains) co_return;
    explaining_ = true;
    const State& state = wish_.state;
    ThreadJob<CodeMoves> code(
        [this, architecture = renderer_.device().architecture](const std::stop_token& stop) {
            return codeMoves(wish_, architecture, [&stop] { return !stop.stop_requested(); });
        });
    co_await play(code);
    result_.code = code.result();
    // What fails here is not what was asked: whether it is solved.
    const Scene& scene = state.scene;
    CountJob countA(renderer_, state.settings, state.scene, state.camera, scene.width, scene.height,
                    wish_.program);
    while (!countA.step(leftMs())) co_await kPause;
    CountJob countB(renderer_, wish_.b, state.scene, state.camera, scene.width, scene.height,
                    wish_.program);
    while (!countB.step(leftMs())) co_await kPause;
    result_.counters = movedCounters(wish_.lesson, countA.result(), countB.result());
    if (wish_.b.backend == Backend::cpu) co_return;  // its figures are those of the code
    for (const CountJob* count : {&countA, &countB}) {
        if (result_.noCounters.empty()) result_.noCounters = count->problem();
        if (result_.noCounters.empty()) result_.noCounters = count->result().noCounters;
    }
}

double LessonJob::share() const {
    if (ended()) return 1;
    return (wish_.explains ? kPairShare : 1) * pair_.share();
}

std::string LessonJob::label() const {
    return explaining_ ? "what moved" : titleOf(wish_.lesson);
}

LessonResult LessonJob::result() const {
    if (explaining_ || complete()) return result_;
    LessonResult so;
    so.pair = pair_.result();
    so.missing = "it is being measured";
    return so;
}

std::string verdictText(const Lesson& lesson, const PairResult& pair) {
    return fmt::format("{}; the goal is {}x, {}", sentenceOf(pair), lesson.goal,
                       nameOf(lesson.work));
}

std::string textOf(const LessonWish& wish, const LessonResult& result, bool colour) {
    const Lesson& lesson = wish.lesson;
    std::string text = tableOf(comparedPair(wish), result.pair, colour);
    text += fmt::format("\n{} ({}): {}\n", titleOf(lesson), lesson.title,
                        result.solved() ? "solved" : "not solved");
    if (!result.solved()) return text + fmt::format("{}\n", result.missing);
    const std::string rows = movedRows(result.code.figures) + movedRows(result.counters);
    if (!rows.empty())
        text += fmt::format("\n{:<32}{:>12}{:>12}{:>12}\n{}\n", "what moved", "weak", "own",
                            "change", rows);
    if (!result.noCounters.empty())
        text += fmt::format("counters are missing: {}\n", result.noCounters);
    return text + lesson.why + "\n";
}

json reportOf(const LessonWish& wish, const LessonResult& result) {
    json report = reportOf(comparedPair(wish), result.pair);
    report["kind"] = "lesson";
    const Lesson& lesson = wish.lesson;
    json& own = report["lesson"] = {{"name", lesson.name},
                                    {"number", lesson.number},
                                    {"goal", lesson.goal},
                                    {"work", nameOf(lesson.work)},
                                    {"solved", result.solved()},
                                    {"code", movedJson(result.code.figures)},
                                    {"counters", movedJson(result.counters)}};
    if (!result.solved()) own["missing"] = result.missing;
    if (!result.noCounters.empty()) own["no_counters"] = result.noCounters;
    return report;
}

}  // namespace rayscope
