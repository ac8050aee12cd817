// `rayscope code` from the outside.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/program.h"
#include "tests/run_program.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

using nlohmann::json;

using test::Outcome;

Outcome run(const std::string& arguments, bool both = false) {
    return test::runShell(std::string("env -u DISPLAY ") + RAYSCOPE_PROGRAM + " code " + arguments +
                          (both ? " 2>&1" : " 2>/dev/null"));
}

void expectRefused(const std::string& arguments, int code, const std::string& words) {
    const Outcome r = run(arguments, true);
    EXPECT_EQ(r.code, code) << arguments << "\n" << r.text;
    EXPECT_EQ(r.text.rfind("rayscope: ", 0), 0u) << r.text;
    EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 1) << r.text;
    EXPECT_NE(r.text.find(words), std::string::npos) << arguments << "\n" << r.text;
}

TEST(CodeProgram, SummaryAndJsonSayTheSame) {
    SKIP_WITHOUT_NVRTC();
    const Outcome text = run("--scene vt9 --arch sm_90");
    ASSERT_EQ(text.code, 0);
    const json facts = json::parse(run("--scene vt9 --arch sm_90 --json -").text);
    EXPECT_EQ(facts.at("architecture"), "sm_90");
    const json& kernel = facts.at("kernels").at(0);
    EXPECT_EQ(kernel.at("name"), "megakernel");
    EXPECT_NE(text.text.find(kernel.at("digest").get<std::string>()), std::string::npos);
    EXPECT_GT(kernel.at("instructions"), 100);
    EXPECT_GT(kernel.at("ptx_mix").at("FP32"), 100);
    EXPECT_EQ(kernel.at("spill_bytes"), 0);
    EXPECT_TRUE(facts.contains("no_sass") || kernel.contains("sass_mix"));
}

TEST(CodeProgram, TextsArePrinted) {
    SKIP_WITHOUT_NVRTC();
    const Outcome ptx = run("--scene vt46 --set engine=wavefront --ptx --kernel trace");
    EXPECT_EQ(ptx.code, 0);
    EXPECT_NE(ptx.text.find(".entry trace("), std::string::npos);
    EXPECT_EQ(ptx.text.find(".entry primary("), std::string::npos);
    const Outcome source = run("--backend cuda --source");
    EXPECT_EQ(source.code, 0);
    EXPECT_EQ(source.text.rfind("// renderer/cuda/kernels/megakernel.cu\n", 0), 0u);
    EXPECT_NE(source.text.find("\n// renderer/core/shade.h\n"), std::string::npos);
}

TEST(CodeProgram, DifferenceHasAVerdict) {
    SKIP_WITHOUT_NVRTC();
    const Outcome math = run("--backend cuda --diff math=precise");
    EXPECT_EQ(math.code, 0);
    EXPECT_NE(math.text.find("machine code differs: megakernel"), std::string::npos);
    EXPECT_NE(math.text.find("\n+++ B megakernel\n@@ -"), std::string::npos);
    const Outcome noise = run("--backend cuda --set display=interop --diff display=copy");
    EXPECT_NE(noise.text.find("machine code identical: any difference is noise"),
              std::string::npos);
    EXPECT_EQ(noise.text.find("@@"), std::string::npos);
    const json launch = json::parse(run("--backend cuda --diff samples=4 --json -").text);
    EXPECT_EQ(launch.at("relation"), "same code");
    EXPECT_EQ(launch.at("b").at("settings").at("samples"), 4);
    EXPECT_EQ(launch.at("a").at("kernels"), launch.at("b").at("kernels"));
}

TEST(CodeProgram, WrongWordsAreOneSentence) {
    expectRefused("--backend cpu --ptx", 2, "no PTX");
    expectRefused("--set math=quick", 2, "math is one of");
    expectRefused("--arch ninety", 2, "sm_90");
    expectRefused("--ptx --sass", 2, "--sass");
    SKIP_WITHOUT_NVRTC();
    expectRefused("--kernel shade", 2, "consists of megakernel");
    expectRefused("--diff block=33x3", 2, "--diff: block=33x3");
    expectRefused("--diff math=precise --source", 2, "--ptx or --sass");
    expectRefused("--arch sm_20", 1, "no code for sm_20");
}

class OwnKernels : public test::Program {};

/// From the sources of the program to a picture that carries an edit, and back.
TEST_F(OwnKernels, AreComparedCarriedAndTakenOut) {
    SKIP_WITHOUT_NVRTC();
    const std::string name = "renderer/core/path.h", line = "// an edit of mine\n";
    ASSERT_EQ(run("code --copy-to mine").code, 0);
    std::ofstream(folder / "mine" / name, std::ios::app) << line;
    const auto diff =
        run("code --backend cuda --kernels mine --set source=built_in --diff source=mine --source")
            .text;
    EXPECT_NE(diff.find("+++ b/" + name), std::string::npos) << diff;
    EXPECT_NE(diff.find("\n+" + line), std::string::npos) << diff;
    EXPECT_NE(run("code --backend cuda --kernels mine --set source=built_in --diff source=mine")
                  .text.find("noise"),
              std::string::npos);
    // their names are values of an axis
    EXPECT_EQ(run("sweep --backend cpu --scene vt9 --size 32x18 --time .1 --kernels wide=mine "
                  "--x source=built_in,wide")
                  .code,
              0);
    expectRefused("code --kernels 9/=mine", 1, "no kernel sources in 9/=mine");
    expectRefused("code --kernels Mine=mine", 2, "lower-case");
    expectRefused("code --kernels built_in=mine", 2, "built with");
    expectRefused("code --set source=mine", 2, "--kernels DIR");

    const std::string render = "render --backend cpu --size 32x18 --spp 1 ";
    ASSERT_EQ(run(render + "--kernels mine --out p.png").code, 0);
    ASSERT_EQ(run("code p.png --copy-to theirs").code, 0);
    std::ifstream in(folder / "theirs" / name);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    EXPECT_TRUE(text.ends_with(line));
    expectRefused("code p.png --copy-to theirs", 1, "already");
    ASSERT_EQ(run(render + "--out q.png").code, 0);
    expectRefused("code q.png --copy-to other", 2, "no edited kernel sources");
}

}  // namespace
}  // namespace rayscope
