#pragma once

namespace rayscope {

/// All that main() does: prepares the process, runs the command line and reports what goes wrong.
/// Returns the exit code.
int runProgram(int argc, char** argv);

}  // namespace rayscope
