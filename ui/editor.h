#pragma once

#include <string>
#include <vector>

namespace rayscope {

/// The words that open a file in the user's editor. `setting`: what RAYSCOPE_EDITOR says, words
/// with spaces between them of which "{file}" and "{line}" are replaced, "code -g {file}:{line}";
/// the file comes last where no word has it. Empty: the desktop's own choice, by xdg-open.
std::vector<std::string> editorWords(const std::string& setting, const std::string& file, int line);

/// Opens the file there. An empty string, or a sentence.
std::string openInEditor(const std::string& file, int line);

}  // namespace rayscope
