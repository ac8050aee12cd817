// The code of the real kernels, as NVRTC makes it: no GPU is needed.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "renderer/base/files.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/code/code_report.h"
#include "renderer/code/compile_errors.h"
#include "renderer/code/disassemble.h"
#include "renderer/cuda/compiler.h"
#include "renderer/scene/json.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

class KernelCodeTest : public testing::Test {
protected:
    void SetUp() override {
        const auto info = compilerInfo();
        if (!info) GTEST_SKIP() << info.reason();
        folder_ = fs::temp_directory_path() / ("rayscope-code-" + std::to_string(getpid()));
        fs::create_directories(folder_);
        const auto& known = info->architectures;
        if (!std::count(known.begin(), known.end(), kUsualArchitecture))
            GTEST_SKIP() << "this NVRTC makes no code for sm_" << kUsualArchitecture;
    }
    void TearDown() override {
        EXPECT_TRUE(setKernelSourceDirectory(kMine, ""));
        std::error_code error;
        if (!folder_.empty()) fs::remove_all(folder_, error);
    }

    static CodeWish wishFor(const std::vector<std::string>& assignments,
                            const std::string& scene = "vt9") {
        CodeWish wish;
        wish.scene = *findScene(scene);
        wish.settings = defaultSettings(Backend::cuda, wish.scene);
        assignAll(wish.settings, assignments);
        return wish;
    }
    static ReadCode read(const CodeWish& wish) {
        ReadCode found = readCode(wish);
        EXPECT_EQ(found.problem, "");
        return found;
    }
    static CodeVerdict compared(const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
        const CodeWish wishA = wishFor(a), wishB = wishFor(b);
        return compareCode(wishA.settings, wishB.settings, wishA.scene, kUsualArchitecture);
    }

    /// A program that writes for every function of a cubin what nvdisasm does, one instruction
    /// each; the only one in PATH besides what it needs.
    void installDisassembler(const std::string& instruction) {
        const fs::path path = folder_ / "nvdisasm";
        std::ofstream(path) << "#!/bin/sh\n"
                               "for f in $(grep -a -o '\\.text\\.[A-Za-z0-9_]*' \"$2\" | sort -u)\n"
                               "do printf '\\t.section\\t%s,\"ax\",@progbits\\n' \"$f\"\n"
                               "echo '        /*0000*/                   "
                            << instruction << " ;'\ndone\n";
        chmod(path.c_str(), 0755);
        setenv("PATH", (folder_.string() + ":" + std::getenv("PATH")).c_str(), 1);
    }

    fs::path folder_;
};

TEST_F(KernelCodeTest, NamesDoNotCountWhereTheCodeIsTheSame) {
    Variant v = wishFor({}).settings.variant, other = v;
    other.tile = 64;  // which a scene in constant memory has no use for
    std::vector<CubinKernel> kernels;
    for (const Variant& variant : {v, other}) {
        const auto compiled = compileOnce(variant, kUsualArchitecture, embeddedKernelSources());
        ASSERT_TRUE(compiled);
        const CompiledKernel& kernel = *compiled;
        const auto found = readCubin(kernel.code, {kernel.functions[0].loweredName});
        ASSERT_TRUE(found) << found.reason();
        kernels.push_back((*found)[0]);
    }
    EXPECT_EQ(kernels[0], kernels[1]);
    EXPECT_GT(kernels[0].instructions, 100);
    EXPECT_LT(kernels[0].instructions * 16, kernels[0].codeBytes + 1);
}

TEST_F(KernelCodeTest, VerdictsTellCodeFromLaunch) {
    const CodeVerdict same = compared({}, {"display=copy"});
    EXPECT_EQ(same.relation, CodeRelation::noise);
    EXPECT_EQ(same.sentence, "machine code identical: any difference is noise");
    EXPECT_EQ(compared({}, {"launches=2"}).relation, CodeRelation::noise) << "only the host's";
    const CodeVerdict launch = compared({"samples=8"}, {"samples=16", "depth=5"});
    EXPECT_EQ(launch.relation, CodeRelation::sameCode);
    EXPECT_NE(launch.sentence.find("depth=5 samples=16"), std::string::npos) << launch.sentence;
    EXPECT_EQ(compared({}, {"math=precise"}).relation, CodeRelation::different);
    EXPECT_EQ(compared({}, {"engine=wavefront"}).relation, CodeRelation::different);
    EXPECT_EQ(compared({}, {"code=ptx"}).relation, CodeRelation::unknown);
    EXPECT_EQ(compared({}, {"backend=cpu"}).relation, CodeRelation::unknown);
}

TEST_F(KernelCodeTest, EveryKernelOfAProgramIsRead) {
    const ReadCode code =
        read(wishFor({"engine=wavefront", "kernels=separate", "ray_source=kernel"}));
    const std::vector<std::string> names = kernelNames(nullptr, code);
    EXPECT_EQ(names, (std::vector<std::string>{"extend", "shade", "generate", "accumulate"}));
    ASSERT_EQ(code.ptx.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
        const KernelFacts& kernel = code.code.kernels[i];
        EXPECT_GT(kernel.registers, 0) << names[i];
        EXPECT_GT(kernel.code.instructions, 0) << names[i];
        EXPECT_GT(code.ptx[i].mix.total(), 10) << names[i];
        for (const std::string& other : names) {
            const std::string text = textOf(code, CodeForm::ptx, names[i]);
            EXPECT_EQ(text.find(".entry " + other + "(") != std::string::npos, other == names[i]);
        }
    }
    EXPECT_EQ(code.files.front().name, kWavefrontSource);
}

TEST_F(KernelCodeTest, SharedMemoryIsTheKernelsOwn) {
    CodeWish wish = wishFor({"scene_memory=shared", "tile=128"}, "vt46");
    for (const int architecture : {80, 90, 100}) {  // from 90 on the system keeps some of a block
        wish.architecture = architecture;
        const auto code = kernelCode(wish);
        if (!code) continue;  // unknown to this NVRTC
        EXPECT_EQ(code->kernels.front().code.sharedBytes, 128 * 16) << architecture;
    }
}

TEST_F(KernelCodeTest, DoublePrecisionIsSeenInTheMix) {
    const ReadCode single = read(wishFor({})), twice = read(wishFor({"precision=double"}));
    EXPECT_EQ(single.ptx[0].mix[InstructionKind::fp64], 0);
    EXPECT_GT(twice.ptx[0].mix[InstructionKind::fp64], 100);
    EXPECT_EQ(single.ptx[0].mix[InstructionKind::other], 0);
    const std::string diff = unifiedDiff(single, twice, CodeForm::ptx, "");
    EXPECT_NE(diff.find("\n+\tmul.f64"), std::string::npos);
    EXPECT_EQ(unifiedDiff(single, single, CodeForm::ptx, ""), "");
}

TEST_F(KernelCodeTest, TheSceneIsAmongTheFilesWhereItIsBaked) {
    const auto textOfScene = [](const ReadCode& code) {
        const auto named = [](const KernelSource& f) { return f.name == kBakedSource; };
        return std::find_if(code.files.begin(), code.files.end(), named)->text;
    };
    EXPECT_NE(textOfScene(read(wishFor({"scene_memory=baked"}))), textOfScene(read(wishFor({}))));
}

TEST_F(KernelCodeTest, NothingIsCompiledWhereThatIsForbidden) {
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    const CodeWish wish = wishFor({});
    EXPECT_FALSE(kernelCode(wish, Compiling::never));
    const auto compiled = kernelCode(wish);
    const auto found = kernelCode(wish, Compiling::never);
    unsetenv("XDG_CACHE_HOME");
    ASSERT_TRUE(found) << found.reason();
    EXPECT_EQ(found->cubin, compiled->cubin);
}

TEST_F(KernelCodeTest, UnknownArchitectureIsASentence) {
    CodeWish wish = wishFor({});
    wish.architecture = 21;
    EXPECT_NE(readCode(wish).problem.find("no code for sm_21"), std::string::npos);
}

/// Sources are copied, edited and broken as a user does.
TEST_F(KernelCodeTest, EditedSourcesAreReadAndErrorsHaveTheirPlace) {
    ASSERT_EQ(copyKernelSources(folder_.string()).reason(), "");
    const fs::path file = folder_ / "renderer/core/path.h";
    const std::string before = [&] {
        std::ifstream in(file);
        return std::string(std::istreambuf_iterator<char>(in), {});
    }();
    std::ofstream(file) << before << "\nint broken = ;\n";
    ASSERT_EQ(copyKernelSources(folder_.string()).reason(), "");  // keeps what is there
    ASSERT_EQ(setKernelSourceDirectory(kMine, folder_.string()).reason(), "");
    EXPECT_EQ(sourceFolder(kMine), folder_.string());
    EXPECT_EQ(readCode(wishFor({})).problem, "") << "what is built in stays";
    const ReadCode code = readCode(wishFor({"source=mine"}));
    const std::vector<CompileError> errors = errorsIn(code.problem);
    ASSERT_FALSE(errors.empty()) << code.problem;
    EXPECT_EQ(errors[0].file, "renderer/core/path.h");
    EXPECT_EQ(errors[0].line, std::count(before.begin(), before.end(), '\n') + 2);
    const auto edited = std::find_if(code.files.begin(), code.files.end(), [](const auto& f) {
        return f.name == "renderer/core/path.h";
    });
    ASSERT_NE(edited, code.files.end());
    EXPECT_TRUE(edited->text.ends_with("int broken = ;\n"));
}

TEST_F(KernelCodeTest, AnEditedKernelIsComparedWithWhatIsBuiltIn) {
    const std::string name = "renderer/core/path.h";
    ASSERT_EQ(copyKernelSources(folder_.string()).reason(), "");
    ASSERT_EQ(setKernelSourceDirectory(kMine, folder_.string()).reason(), "");
    EXPECT_EQ(compared({"source=built_in"}, {"source=mine"}).relation, CodeRelation::noise);
    EXPECT_EQ(compared({"source=built_in"}, {"source=mine", "samples=7"}).relation,
              CodeRelation::sameCode);
    std::string text = *readFile((folder_ / name).string(), 1 << 20);
    const std::string place = "        startPath<V>(launch, pixel, sample, rng);\n";
    ASSERT_NE(text.find(place), text.npos);
    text.insert(text.find(place),
                "        if (launch.width == 7) asm volatile(\"nanosleep.u32 9;\");\n");
    std::ofstream(folder_ / name) << text;
    const CodeVerdict edited = compared({"source=built_in"}, {"source=mine"});
    EXPECT_EQ(edited.relation, CodeRelation::different) << edited.sentence;
}

TEST_F(KernelCodeTest, AnInstalledDisassemblerIsUsed) {
    installDisassembler("FFMA R0, R2, R3, R4");
    const ReadCode code = read(wishFor({"engine=wavefront"}));
    EXPECT_EQ(code.tool, "nvdisasm");
    ASSERT_EQ(code.sass.size(), code.code.kernels.size());
    for (const Listing& listing : code.sass) {
        EXPECT_EQ(listing.lines, std::vector<std::string>{"0000  FFMA R0, R2, R3, R4"});
        EXPECT_EQ(listing.mix[InstructionKind::fp32], 1);
    }
    EXPECT_EQ(&code.best(), &code.sass);
}

/// With the real one: its instructions are as many as the machine code's bytes say, and all but a
/// few have a kind.
TEST_F(KernelCodeTest, TheRealDisassemblerAgrees) {
    if (disassembler().empty()) GTEST_SKIP() << "neither nvdisasm nor cuobjdump is installed";
    for (const std::vector<std::string>& assignments :
         {std::vector<std::string>{}, {"precision=double"}, {"engine=wavefront"}}) {
        const ReadCode code = read(wishFor(assignments));
        ASSERT_EQ(code.sass.size(), code.code.kernels.size()) << code.noSass;
        for (size_t i = 0; i < code.sass.size(); ++i) {
            const int all = code.sass[i].mix.total(),
                      counted = code.code.kernels[i].code.instructions;
            EXPECT_GE(all, counted);
            EXPECT_LE(all, counted + 1);  // the branch to itself at the end
            EXPECT_LT(code.sass[i].mix[InstructionKind::other], .01 * all);
        }
    }
}

TEST_F(KernelCodeTest, WhatTheDisassemblerSaysWhenItFailsIsShown) {
    std::ofstream(folder_ / "nvdisasm") << "#!/bin/sh\necho 'nvdisasm fatal: too new'\nexit 3\n";
    chmod((folder_ / "nvdisasm").c_str(), 0755);
    setenv("PATH", (folder_.string() + ":" + std::getenv("PATH")).c_str(), 1);
    const auto found = disassemble("not a cubin");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.reason(), "nvdisasm failed: nvdisasm fatal: too new");
}

}  // namespace
}  // namespace rayscope

#else

TEST(KernelCode, Compiles) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
