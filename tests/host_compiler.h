#pragma once

#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "renderer/base/run_program.h"
#include "renderer/base/temporary_file.h"

namespace rayscope {

/// The shared object that a compiler found in PATH makes of C++, with lines; empty if there is no
/// such compiler or it has failed. `path`: where it is then, if it is to be loaded.
inline std::string compiledForHost(const std::string& text, std::vector<std::string> flags = {},
                                   const std::string& compiler = "g++",
                                   const std::string& path = {}) {
    const TemporaryFile source(text, ".cpp"), made("", ".so");
    const std::string& object = path.empty() ? made.path() : path;
    flags.insert(flags.begin(), {findProgram(compiler, {}), "-O2", "-g1", "-shared", "-fPIC",
                                 source.path(), "-o", object});
    const auto ran = flags[0].empty() ? Failure{} : runProgram(flags, 1 << 20, {});
    if (!ran || ran->status != 0) return {};
    std::ifstream file(object, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace rayscope
