#pragma once

#include <string>

#include "app/options.h"
#include "renderer/lab/study.h"

// What the commands that carry out a study have in common.

namespace rayscope {

struct StudyOptions {
    Options common;
    double seconds = 1;      ///< an item
    bool onlySpeed = false;  ///< whether the work is left uncompared
    std::string json;        ///< "-" is stdout
    std::string csv;         ///< "-" is stdout

    /// Whether standard output is for people.
    bool table() const { return json != "-" && csv != "-"; }
};

/// The request's renderer and what else this machine has.
Machine machineOf(Request& request);

/// The size of pictures that are only measured: the one asked for; else the scene's, or on the CPU
/// a quarter of it each way, as its passes take long.
void studySize(const Options& options, const Request& request, int& width, int& height);

/// Carries it out with a progress bar until the end or Ctrl-C, prints the table and writes the
/// files: the exit code.
int playStudy(const StudyOptions& options, Machine& machine, Study study, const StudyWish& wish,
              const State& state);

}  // namespace rayscope
