#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "renderer/base/result.h"

namespace rayscope {

struct ProgramOutput {
    std::string text;      ///< standard output and error
    int status = -1;       ///< as waitpid() says
    bool stopped = false;  ///< ended by `goOn`
};

/// Runs the program at the path words[0], with the other words as arguments and without a shell,
/// and collects its output. `goOn`, if given, is called about ten times a second; the program is
/// ended when that returns false, or after `limit` bytes of output; killed if it does not end.
/// Fails if it does not start. A program that calls endWithStarter() ends with this one.
Result<ProgramOutput> runProgram(const std::vector<std::string>& words, std::size_t limit,
                                 const std::function<bool()>& goOn);

/// Where runProgram() of another process has started this one: ends this one when that has ended,
/// however it did. On the main thread, before others are started.
void endWithStarter();

/// Starts a program that may outlive this one, and does not wait for it; words[0] is looked up in
/// PATH. Fails if it does not start.
Result<void> startProgram(const std::vector<std::string>& words);

/// Runs a program, looked up in PATH, with the file as its standard input, and waits until it
/// exits. Its output is discarded; processes that it leaves behind keep running. Fails if it does
/// not start or its exit status is not 0.
Result<void> feedProgram(const std::vector<std::string>& words, const std::string& file);

/// The path of a program, from the folders of PATH or else from `folders`; empty if it is in none.
std::string findProgram(const std::string& name, const std::vector<std::string>& folders);

}  // namespace rayscope
