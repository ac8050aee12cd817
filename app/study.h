#pragma once

#include <string>

#include "app/options.h"
#include "renderer/lab/study.h"

// What commands that carry out a study have in common.

namespace rayscope {

struct StudyOptions {
    Options common;
    double seconds = 1;      ///< per item
    bool onlySpeed = false;  ///< do not compare the work
    std::string json;        ///< file; "-": stdout, empty: none
    std::string csv;         ///< likewise
    KeepOptions keep{};
    /// Whether a table is printed: if neither file is stdout.
    bool table() const { return json != "-" && csv != "-"; }
};

/// A machine with the request's renderer and the CPU's.
Machine machineOf(Request& request);

/// The size of pictures that are only measured: the one asked for, else the scene's. On the CPU,
/// whose passes take long, a quarter of the latter's width and height.
void studySize(const Options& options, const Request& request, int& width, int& height);

/// Carries out the study with a progress bar until the end or Ctrl-C, prints the table and writes
/// the files; on other ranks than 0, measures what that asks for. Returns the exit code.
int playStudy(const StudyOptions& options, Machine& machine, Study study, StudyWish wish,
              const State& state);

}  // namespace rayscope
