#include "app/commands.h"

#include <nlohmann/json.hpp>

#include "renderer/base/files.h"
#include "renderer/base/say.h"

namespace rayscope {

int refuse(const Refusal& refusal) {
    complain(refusal.sentence);
    return refusal.exitCode;
}

std::string writeText(const std::string& path, const std::string& text) {
    if (path == "-") {
        sayText(text);
        return {};  // finish() says what is lost
    }
    return writeTextFile(path, text);
}

std::string writeJson(const std::string& path, const nlohmann::json& json) {
    constexpr auto kReplace = nlohmann::json::error_handler_t::replace;  // names of files are bytes
    return writeText(path, json.dump(2, ' ', false, kReplace) + "\n");
}

int finishJson(const std::string& path, const nlohmann::json& json) {
    if (path.empty()) return 0;
    const std::string problem = writeJson(path, json);
    return problem.empty() ? 0 : refuse({1, problem});
}

}  // namespace rayscope
