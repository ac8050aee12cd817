#pragma once

#include <string>
#include <vector>

#include "renderer/compile/compiler.h"

// The compilers of a CPU's kernels: g++ and clang++, found when they are first needed.

namespace rayscope {

/// g++ or clang++: $CXX if it is that one, else the one in PATH. A program becomes a shared object
/// that exports a pointer to each of its kernels (hostSymbol()); it is made by a child process with
/// limits of time and memory.
const Compiler& hostCompiler(HostCompiler which);

/// Why this compiler makes no kernels here: "needs a C++ compiler: install g++". Empty if it does.
std::string missingCompiler(HostCompiler which);

/// The compiler's options for the variant that make a difference to its code, as reports show them:
/// "-O3 -march=x86-64-v4".
std::vector<std::string> hostFlags(const Variant& variant);

/// The variable of a shared object that points to kernel number i of its program.
std::string hostSymbol(std::size_t i);

/// For the build: notes in a folder of kernels which compilers they were made with.
Result<void> notePrebuilt(const std::string& folder);

}  // namespace rayscope
