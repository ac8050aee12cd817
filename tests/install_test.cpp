// The installed program: finds what it needs from any folder, also after its own was moved.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/run_program.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

/// In the root folder, with nothing in the environment.
Outcome run(const std::string& words) {
    return test::runShell("cd / && env -i " + words + " 2>&1");
}

/// A prefix of its own, removed at the end.
class Install : public testing::Test {
protected:
    const fs::path folder =
        fs::canonical(fs::temp_directory_path()) / ("rayscope-install-" + std::to_string(getpid()));
    const fs::path prefix = folder / "prefix";

    void SetUp() override {
        const Outcome r =
            run(CMAKE_PROGRAM " --install " BINARY_DIR " --prefix " + prefix.string());
        ASSERT_EQ(r.code, 0) << r.text;
    }
    void TearDown() override { fs::remove_all(folder); }

    void expectWorks(const std::string& program) {
        const Outcome info = run(program + " info");
        EXPECT_EQ(info.code, 0) << info.text;
        EXPECT_NE(info.text.find("vt9-one-material weekend"), std::string::npos) << info.text;
        const fs::path picture = folder / "picture.png";
        const Outcome render =
            run(program + " render --backend cpu --scene weekend --size 16x16 --spp 1 --out " +
                picture.string());
        EXPECT_EQ(render.code, 0) << render.text;
        EXPECT_TRUE(fs::remove(picture)) << render.text;
        const Outcome ladders = run(program + " ladder --list");
        EXPECT_EQ(ladders.code, 0) << ladders.text;
        EXPECT_NE(ladders.text.find("business-card"), std::string::npos) << ladders.text;
    }
};

TEST_F(Install, WorksFromAnyFolder) {
    expectWorks((prefix / "bin/rayscope").string());
    const fs::path link = folder / "link";
    fs::create_symlink(prefix / "bin/rayscope", link);
    expectWorks(link.string());
}

TEST_F(Install, MayBeMoved) {
    const fs::path moved = folder / "else/where";
    fs::create_directories(moved.parent_path());
    fs::rename(prefix, moved);
    expectWorks((moved / "bin/rayscope").string());
}

TEST_F(Install, ReadsNothingOfTheSourceTree) {
    fs::remove_all(prefix / "share/rayscope");
    const Outcome r = run((prefix / "bin/rayscope").string() + " render --backend cpu");
    EXPECT_EQ(r.code, 1);
    EXPECT_NE(r.text.find((prefix / "share/rayscope/assets/scenes").string()), std::string::npos)
        << r.text;
    EXPECT_EQ(r.text.find(SOURCE_DIR), std::string::npos) << r.text;
}

TEST_F(Install, BringsWhatADesktopNeeds) {
    const fs::path share = prefix / "share";
    for (const char* file :
         {"rayscope/shaders/present.frag", "rayscope/shaders/present.vert",
          "rayscope/assets/benchmark/cpu.json", "applications/org.rayscope.Rayscope.desktop",
          "metainfo/org.rayscope.Rayscope.metainfo.xml", "icons/hicolor/scalable/apps/rayscope.svg",
          "icons/hicolor/256x256/apps/rayscope.png", "man/man1/rayscope.1",
          "doc/rayscope/copyright", "bash-completion/completions/rayscope",
          "zsh/vendor-completions/_rayscope"}) {
        EXPECT_TRUE(fs::is_regular_file(share / file)) << file;
    }
    const std::string desktop = (share / "applications/org.rayscope.Rayscope.desktop").string();
    const Outcome valid = run("PATH=/usr/bin:/bin desktop-file-validate " + desktop);
    EXPECT_EQ(valid.code, 0) << valid.text;
    EXPECT_EQ(valid.text, "");
}

/// What a shell offers for a line.
TEST_F(Install, ShellsCompleteWords) {
    const std::string script = (prefix / "share/bash-completion/completions/rayscope").string();
    const auto offered = [&](const std::string& line) {
        return run("PATH=/usr/bin:/bin bash -c 'source " + script + "; COMP_LINE=\"" + line +
                   "\"; COMP_POINT=${#COMP_LINE}; _rayscope " + (prefix / "bin/rayscope").string() +
                   "; echo ${COMPREPLY[@]}'")
            .text;
    };
    EXPECT_EQ(offered("rayscope ren"), "render\n");
    EXPECT_EQ(offered("rayscope render --spp 3 --tone"), "--tone-mapper\n");
    EXPECT_EQ(offered("rayscope render --tone-mapper "), "none reinhard filmic\n");
    EXPECT_EQ(offered("rayscope render --set scene_l"), "scene_layout=\n");
    EXPECT_EQ(offered("rayscope render --set scene_layout="), "aos soa\n");
    EXPECT_EQ(offered("rayscope compare --b path=loop scene_l"), "scene_layout=\n");
    EXPECT_EQ(offered("rayscope ladder week"), "weekend\n");
    EXPECT_EQ(offered("rayscope lesson dou"), "doubles\n");
    EXPECT_EQ(offered("rayscope lesson --lesson spi"), "spill\n");
    EXPECT_EQ(offered("rayscope render --scene corn"), "cornell cornell-box\n");
    EXPECT_EQ(offered("rayscope render --out fil"), "\n");
    const std::string zsh = (prefix / "share/zsh/vendor-completions/_rayscope").string();
    EXPECT_EQ(run("PATH=/usr/bin:/bin zsh -n " + zsh).code, 0);
}

TEST_F(Install, SaysItsVersion) {
    const Outcome r = run((prefix / "bin/rayscope").string() + " --version");
    EXPECT_EQ(r.code, 0);
    EXPECT_TRUE(std::regex_match(
        r.text, std::regex("rayscope " VERSION "( \\([0-9a-f]{12}(, changed)?\\))?\n")))
        << r.text;
}

}  // namespace
}  // namespace rayscope
