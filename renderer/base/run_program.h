#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace rayscope {

struct ProgramOutput {
    std::string text;      ///< standard output and error
    int status = -1;       ///< as waitpid() says
    bool stopped = false;  ///< ended by `goOn`
};

/// Runs the program words[0], a path, with the other words as its arguments, and reads what it
/// writes; no shell is involved. `goOn`, where there is one, is asked about ten times a second and
/// ends the program by returning false; so do more than `limit` bytes of output. A sentence where
/// it does not start.
std::variant<ProgramOutput, std::string> runProgram(const std::vector<std::string>& words,
                                                    std::size_t limit,
                                                    const std::function<bool()>& goOn);

/// Starts a program that outlives this one and is not waited for; words[0] is looked for in PATH.
/// An empty string, or a sentence where it does not start.
std::string startProgram(const std::vector<std::string>& words);

/// Runs a program to its end with the file as its standard input; what it writes is thrown away,
/// and processes that it leaves behind go on. An empty string, or a sentence where it does not
/// start or fails.
std::string feedProgram(const std::vector<std::string>& words, const std::string& file);

/// The program of this name in one of the folders of PATH or else in one of `folders`; empty where
/// it is in none.
std::string findProgram(const std::string& name, const std::vector<std::string>& folders);

}  // namespace rayscope
