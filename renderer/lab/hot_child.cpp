#include <fmt/format.h>

#include "renderer/base/run_program.h"
#include "renderer/base/temporary_file.h"
#include "renderer/base/text.h"
#include "renderer/choices/sources.h"
#include "renderer/lab/hot.h"
#include "renderer/lab/instructions.h"
#include "renderer/lab/stalls.h"

namespace rayscope {

namespace {

const char* nameOf(HotPart part) {
    switch (part) {
        case HotPart::counts:
            return "counts";
        case HotPart::stalls:
            return "stalls";
        case HotPart::model:
            return "model";
        default:
            return "";
    }
}

/// A report has some 40 bytes an instruction and 300 a line.
constexpr std::size_t kMostReport = std::size_t{64} << 20;

std::vector<std::string> commandOf(const HotWish& wish, const std::string& state) {
    const bool cpu = wish.state.settings.backend == Backend::cpu;
    std::vector<std::string> words{wish.program, "hot", state, "--backend", cpu ? "cpu" : "cuda"};
    if (!cpu) words.insert(words.end(), {"--device", std::to_string(wish.gpu)});
    words.insert(words.end(),
                 {"--size", fmt::format("{}x{}", wish.width, wish.height), "--json", "-"});
    if (!wish.kernel.empty()) {
        words.push_back("--kernel");
        words.push_back(wish.kernel);
    }
    if (wish.only != HotPart::everything) {
        words.push_back("--only");
        words.push_back(nameOf(wish.only));
    }
    if (const int source = wish.state.settings.source; source != kBuiltIn) {
        words.push_back("--kernels");
        words.push_back(sourceValues()[static_cast<std::size_t>(source)].id + "=" +
                        sourceFolder(source));
    }
    return words;
}

/// What the process has written.
Result<std::string> reportElsewhere(const HotWish& wish, const std::function<bool()>& goOn) {
    const Settings& settings = wish.state.settings;
    const bool sampled = settings.backend == Backend::cpu && wish.only == HotPart::everything;
    if (const std::string reason = unknownLines(settings); !sampled && !reason.empty())
        return Failure{reason};
    State state = wish.state;
    state.pinned.reset();
    state.bookmarks = {};
    state.patches = {};
    const TemporaryFile file(toJson(state).dump(), ".json");
    if (!file.problem().empty()) return Failure{"no temporary file: " + file.problem()};
    const auto ran = runProgram(commandOf(wish, file.path()), kMostReport, goOn);
    if (!ran) return ran.failure();
    if (ran->stopped) return Failure{"the process that counts has been stopped"};
    const std::size_t report = ran->text.find('{');
    if (ran->status != 0 || report == std::string::npos) {
        const std::string said = lastLine(ran->text);
        return Failure{said.empty() ? "the process that counts ended without a word" : said};
    }
    return ran->text.substr(report);
}

}  // namespace

Result<HotWork> countElsewhere(const HotWish& wish, const std::function<bool()>& goOn) {
    const Result<std::string> report = reportElsewhere(wish, goOn);
    if (!report) return report.failure();
    Result<HotReport> read = readHotReport(*report);
    if (!read) return read.failure();
    return std::move(read->work);
}

Result<StallSamples> sampleElsewhere(const HotWish& wish, const KernelCode& code,
                                     const std::function<bool()>& goOn) {
    HotWish stalls = wish;
    stalls.only = HotPart::stalls;
    const Result<std::string> report = reportElsewhere(stalls, goOn);
    if (!report) return report.failure();
    try {
        const nlohmann::json read = nlohmann::json::parse(*report);
        if (read.contains("no_stalls")) return Failure{read.at("no_stalls").get<std::string>()};
        return stallsFrom(read.at("stalls"), code);
    } catch (const std::exception& error) {
        return Failure{fmt::format("samples cannot be read: {}", error.what())};
    }
}

}  // namespace rayscope
