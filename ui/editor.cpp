#include "ui/editor.h"

#include <cstdlib>
#include <sstream>

#include "renderer/base/run_program.h"

namespace rayscope {

namespace {

/// True where there was something to replace.
bool replace(std::string& text, const std::string& what, const std::string& by) {
    const size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), by);
    return at != std::string::npos;
}

}  // namespace

std::vector<std::string> editorWords(const std::string& setting, const std::string& file,
                                     int line) {
    std::vector<std::string> words;
    std::istringstream parts(setting);
    bool named = false;
    for (std::string word; parts >> word;) {
        replace(word, "{line}", std::to_string(line));
        named = replace(word, "{file}", file) || named;
        words.push_back(word);
    }
    if (words.empty()) words.emplace_back("xdg-open");
    if (!named) words.push_back(file);
    return words;
}

std::string openInEditor(const std::string& file, int line) {
    const char* setting = std::getenv("RAYSCOPE_EDITOR");
    const auto started = startProgram(editorWords(setting != nullptr ? setting : "", file, line));
    if (started) return {};
    return started.reason() + " (RAYSCOPE_EDITOR names the editor: code -g {file}:{line})";
}

}  // namespace rayscope
