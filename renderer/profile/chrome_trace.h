#pragma once

#include <string>

#include "renderer/base/result.h"
#include "renderer/base/timeline.h"

namespace rayscope {

/// The timeline in the trace-event format, which Perfetto, chrome://tracing and Tracy's importer
/// read (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU): an object with
/// "traceEvents", one event a line: names of the process and its tracks (M), zones (X), frame marks
/// (i), counters (C); microseconds since the timeline began.
std::string chromeTrace(const Timeline& timeline);

/// Writes that to a file.
Result<void> writeChromeTrace(const std::string& path, const Timeline& timeline);

}  // namespace rayscope
