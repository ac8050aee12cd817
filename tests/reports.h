#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/run_program.h"

namespace rayscope::test {

/// Checks reports, JSON or PNG, against docs/reports.schema.json.
inline void expectReports(const std::filesystem::path& folder, const std::string& files) {
    const std::string source = RAYSCOPE_SOURCE_DIR;
    const Outcome r =
        runShell("cd " + folder.string() + " && python3 " + source + "/tests/check_reports.py " +
                 source + "/docs/reports.schema.json " + files + " 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
}

}  // namespace rayscope::test
