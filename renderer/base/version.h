#pragma once

#include <string>

namespace rayscope {

/// The program's version, "0.1.0".
extern const char* const kVersion;

/// What the program was built from; main() says it. Not known outside git.
struct Commit {
    std::string id;      ///< 12 hexadecimal digits; empty: not known
    bool clean = false;  ///< nothing was changed since
};
inline Commit builtFrom;

/// The command line that makes again what this process reports, as a shell reads it; empty: the
/// window. The command line sets it.
inline std::string madeBy;

/// "0.1.0", "0.1.0 (0123456789ab)", "0.1.0 (0123456789ab, changed)"
std::string versionText();

}  // namespace rayscope
