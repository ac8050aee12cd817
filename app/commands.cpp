#include "app/commands.h"

#include <nlohmann/json.hpp>

#include "renderer/base/files.h"
#include "renderer/base/say.h"

namespace rayscope {

int refuse(const Refusal& refusal) {
    complain(refusal.sentence);
    return refusal.exitCode;
}

Result<void> writeText(const std::string& path, const std::string& text) {
    if (path.empty()) return {};
    if (path != "-") return writeTextFile(path, text);
    sayText(text);
    return {};  // main() reports errors of standard output
}

Result<void> writeJson(const std::string& path, const nlohmann::json& json) {
    if (path.empty()) return {};
    constexpr auto kReplace =
        nlohmann::json::error_handler_t::replace;  // file names may not be UTF-8
    return writeText(path, json.dump(2, ' ', false, kReplace) + "\n");
}

int finishJson(const std::string& path, const nlohmann::json& json) {
    int code = 0;
    for (const auto& written : {writeJson(path, json), writePage(json)}) {
        if (!written) code = refuse({1, written.reason()});
    }
    return code;
}

}  // namespace rayscope
