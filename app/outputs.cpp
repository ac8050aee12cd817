#include "app/outputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/commands.h"
#include "renderer/base/files.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// The same for all spellings of a path, whether or not anything is there.
std::string identity(const std::string& path) {
    if (path == "-") return path;
    std::error_code unknown;
    const fs::path absolute = fs::absolute(path, unknown);
    const fs::path canonical = fs::weakly_canonical(absolute, unknown);
    return unknown ? path : canonical.string();
}

}  // namespace

std::optional<Refusal> checkFiles(const std::vector<NamedFile>& inputs,
                                  const std::vector<NamedFile>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
        const auto& [option, path] = outputs[i];
        for (size_t j = 0; j < i; ++j) {
            if (identity(outputs[j].path) != identity(path)) continue;
            return Refusal{2,
                           fmt::format("{} and {} both go to {}", outputs[j].option, option, path)};
        }
        for (const NamedFile& input : inputs) {
            const bool goesOn = input.option == "--resume" && option == "--checkpoint";
            if (goesOn || identity(input.path) != identity(path)) continue;
            return Refusal{2, fmt::format("{} would replace {}, which is read ({})", option, path,
                                          input.option)};
        }
    }
    for (const NamedFile& output : outputs) {
        if (output.path == "-") continue;
        if (const auto can = canBeWritten(output.path); !can) return Refusal{1, can.reason()};
    }
    return {};
}

int finish(const std::string& json, const std::string& csv, const Outcome& outcome) {
    const std::string& problem = outcome.problem;
    const bool complete = outcome.interrupted.empty() && problem.empty();
    if (!outcome.measured) {
        const std::string nothing =
            outcome.why.empty() ? "nothing was measured" : "nothing was measured: " + outcome.why;
        return refuse({1, complete          ? nothing
                          : problem.empty() ? "interrupted before anything was measured"
                                            : problem});
    }
    int code = 0;
    for (const auto& written : {writeJson(json, outcome.report), writeText(csv, outcome.csv),
                                writePage(outcome.report)}) {
        if (!written) code = refuse({1, written.reason()});
    }
    if (complete) return code;
    return refuse({1, problem.empty() ? "interrupted " + outcome.interrupted : problem});
}

}  // namespace rayscope
