#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// What words may stand on the command line, from the table of options itself.

namespace rayscope {

/// What the last of the words, which may be empty, can become. `words`: all after the program's
/// name. Files are the shell's to find.
std::vector<std::string> candidatesFor(const CLI::App& app, const std::vector<std::string>& words);

/// The command that a word which is none probably means; empty: none is near.
std::string nearestCommand(const CLI::App& app, const std::string& word);

}  // namespace rayscope
