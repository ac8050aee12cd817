#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

// The files that commands read and write.

namespace rayscope {

/// A file of the command line; "-" is standard output.
struct NamedFile {
    std::string option;  ///< that names it
    std::string path;
};

/// To be asked before the work: a refusal if two outputs are one file, or an output is an input,
/// however they are spelt, or if an output cannot be written. --checkpoint may name the file of
/// --resume.
std::optional<Refusal> checkFiles(const std::vector<NamedFile>& inputs,
                                  const std::vector<NamedFile>& outputs);

/// What a command has found when its work has ended.
struct Outcome {
    bool measured = false;    ///< anything at all; else files stay as they are
    std::string interrupted;  ///< "after 3 of 5 rungs"; empty if all was done
    std::string problem;      ///< why all was not done, but for Ctrl-C
    std::string why;          ///< where nothing was measured, the reason of the first row
    nlohmann::json report;
    std::string csv;
};

/// Writes the files that were asked for and says how it ended. Returns the exit code.
int finish(const std::string& json, const std::string& csv, const Outcome& outcome);

}  // namespace rayscope
