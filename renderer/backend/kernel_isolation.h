#pragma once

#include <functional>
#include <string>

// Kernels that somebody edited may crash the compiler or never end.

namespace rayscope {

/// From now on edited kernels are compiled by processes of their own, and tried on the device by
/// others before this one launches them. `program`: this program's path; "": no longer.
void isolateEditedKernels(const std::string& program);

/// The first word of the command by which such a process compiles; its others are two files.
inline constexpr const char* kBuildKernelCommand = "--build-kernel";
/// The first word of a command, which follows, that tries kernels; it takes them as they are.
inline constexpr const char* kTryKernelsCommand = "--try-kernels";

/// From now on edited kernels of a CPU run in processes of this program, by its path, that may
/// compute and nothing else; "": they do not run.
void runEditedKernelsBy(const std::string& program);

/// Edited kernels of a CPU that are waited for are ended when this says yes. Asked some twenty times a
/// second.
void endEditedKernelsWhen(std::function<bool()> interrupted);

/// The first word of the command by which such a process starts; the others are the addresses of
/// the memory that it shares with this one.
inline constexpr const char* kRunKernelCommand = "--run-kernel";

/// What that command does, until this process ends.
[[noreturn]] void runKernelApart(const std::string& given, const std::string& work);

/// This process compiles or tries for another: it ends with that, and after some minutes.
void endWithParent();

/// What that command does: compiles what the request says into the other file. Returns the exit
/// code, after saying the compiler's log where it fails.
int buildKernel(const std::string& requestFile, const std::string& resultFile);

}  // namespace rayscope
