#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace rayscope::test {

struct Outcome {
    int code;  ///< of the last command; 1000 + the signal that ended it
    std::string text;
};

/// What a shell's command writes to standard output.
inline Outcome runShell(const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    Outcome result{-1, {}};
    std::array<char, 4096> buffer;
    while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        result.text.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return result;
}

}  // namespace rayscope::test
