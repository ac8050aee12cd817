#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/run_program.h"

namespace rayscope::test {

/// The program from the outside, in a folder of its own.
class Program : public testing::Test {
protected:
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("rayscope_program_" + std::to_string(getpid()));
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    /// Runs the program in a folder of its own, without a display.
    Outcome run(const std::string& arguments, bool both = true, const std::string& setting = "") {
        const std::string command =
            "cd " + folder.string() + " && env -u DISPLAY -u WAYLAND_DISPLAY " + setting + " " +
            RAYSCOPE_PROGRAM + " " + arguments + (both ? " 2>&1" : " 2>/dev/null");
        return runShell(command);
    }

    /// A folder that is not there.
    std::string missing() const { return (folder / "missing").string(); }

    nlohmann::json read(const std::string& name) const {
        std::ifstream file(folder / name);
        return nlohmann::json::parse(file, nullptr, false);
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name) << text;
    }

    /// A refusal: this exit code, one line, with these words in it.
    void expectRefused(const std::string& arguments, int code, const std::string& words,
                       const std::string& setting = "") {
        const Outcome r = run(arguments, true, setting);
        EXPECT_EQ(r.code, code) << arguments << "\n" << r.text;
        EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 1) << arguments << "\n" << r.text;
        EXPECT_EQ(r.text.rfind("rayscope: ", 0), 0u) << r.text;
        EXPECT_NE(r.text.find(words), std::string::npos) << arguments << "\n" << r.text;
    }
};

}  // namespace rayscope::test
