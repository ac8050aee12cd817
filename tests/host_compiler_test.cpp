// The host's compilers: where they lie, their precompiled headers, and what becomes of damaged
// ones. Needs g++.

#include "renderer/compile/host_compiler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "renderer/base/files.h"
#include "renderer/compile/cache.h"
#include "renderer/compile/header_cache.h"
#include "renderer/cpu/programs.h"
#include "tests/run_program.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

/// With a cache of its own.
class HostCompilerTest : public testing::Test {
protected:
    void SetUp() override {
        if (const std::string missing = missingCompiler(HostCompiler::gcc); !missing.empty())
            GTEST_SKIP() << missing;
        if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    void TearDown() override {
        if (before_.empty())
            unsetenv("XDG_CACHE_HOME");
        else
            setenv("XDG_CACHE_HOME", before_.c_str(), 1);
        fs::remove_all(folder_);
    }

    /// A kernel that compiles fast; `spheres` makes another one with the same flags.
    static KernelProgram program(int spheres = 1) {
        Variant v;
        v.engine = Engine::megakernel;
        v.opt = Opt::O0;
        v.traits = {kLambert, spheres};
        return hostRequest(v, 0, {}).program;
    }
    static std::vector<KernelSource> sources(const KernelProgram& p) {
        return sourcesOf(p, embeddedKernelSources());
    }
    static Result<CompiledKernel> compiled(const KernelProgram& p) {
        return p.compiler->compile(p, sources(p), {});
    }

    /// The precompiled header that is made in the background once it is asked for twice.
    fs::path header() const {
        for (int i = 0; i < 2; ++i) EXPECT_TRUE(compiled(program()));
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (std::chrono::steady_clock::now() < end) {
            for (const auto& file : fs::recursive_directory_iterator(folder_))
                if (file.path().extension() == ".gch") return file.path();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return {};
    }

    fs::path folder_ =
        fs::temp_directory_path() / ("rayscope_compiler_" + std::to_string(getpid()));

private:
    std::string before_;
};

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

/// A file that was emptied leaves templates that compile until they are used.
TEST_F(HostCompilerTest, ADamagedPrecompiledHeaderIsNotUsedAgain) {
    const fs::path made = header();
    ASSERT_FALSE(made.empty());
    const fs::path asked = fs::path(made.string().substr(0, made.string().find("/sources/")));
    write(made, "no header");
    write(asked / "sources" / program().source, "#error damaged\n");
    const auto kernel = compiled(program(7));
    ASSERT_TRUE(kernel) << kernel.reason();
    EXPECT_FALSE(fs::exists(asked));
}

TEST_F(HostCompilerTest, CodeWithThePrecompiledHeaderIsTheSame) {
    const auto before = compiled(program());
    ASSERT_TRUE(before) << before.reason();
    ASSERT_FALSE(header().empty());
    const auto with = compiled(program());
    ASSERT_TRUE(with) << with.reason();
    const auto text = [](const std::string& object) {
        const std::string file =
            (fs::temp_directory_path() / ("rayscope_text_" + std::to_string(getpid()))).string();
        std::ofstream(file, std::ios::binary) << object;
        const test::Outcome printed =
            test::runShell("objdump -d --no-show-raw-insn " + file + " | tail -n +4");
        fs::remove(file);
        return printed.text;
    };
    EXPECT_GT(text(before->code).size(), 1000u);
    EXPECT_EQ(text(before->code), text(with->code));
}

/// Programs that start at the same time place the same sources.
TEST_F(HostCompilerTest, SourcesOfAPrecompiledHeaderAreWholeAtAnyTime) {
    const KernelProgram p = program();
    std::vector<KernelSource> all = sources(p);
    // what is compiled has to fail, so that the sources are asked for again and again
    const std::vector<std::string> command{"false"};
    std::atomic<bool> go = true;
    std::atomic<int> torn = 0, whole = 0;
    std::vector<std::thread> askers;
    for (int i = 0; i < 4; ++i)
        askers.emplace_back([&] {
            while (go) HeaderCache::folderFor(p, all, command);
        });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (std::chrono::steady_clock::now() < end) {
        std::error_code error;
        for (fs::directory_iterator asked(folder_ / "rayscope" / "headers", error), last;
             !error && asked != last; asked.increment(error)) {
            const auto text = readFile((asked->path() / "sources" / all[1].name).string(), 1 << 20);
            if (text) (*text == all[1].text ? whole : torn) += 1;
        }
    }
    go = false;
    for (std::thread& asker : askers) asker.join();
    EXPECT_EQ(torn, 0);
    EXPECT_GT(whole, 10);
}

/// As in /opt, Conda or the modules of a cluster.
TEST_F(HostCompilerTest, ACompilerMayHaveItsHeadersAnywhere) {
    write(folder_ / "opt/include/cmath", "#include_next <cmath>\n");
    write(folder_ / "opt/bin/g++",
          "#!/bin/sh\nexec g++ -isystem " + (folder_ / "opt/include").string() + " \"$@\"\n");
    fs::permissions(folder_ / "opt/bin/g++", fs::perms::owner_all);
    const std::string environment =
        "env -u DISPLAY XDG_CACHE_HOME=" + (folder_ / "cache").string() +
        " CXX=" + (folder_ / "opt/bin/g++").string() + " ";
    const test::Outcome r = test::runShell(
        environment + RAYSCOPE_PROGRAM +
        " render --scene vt9 --size 32x18 --spp 1 --set opt=O1 --backend cpu --out " +
        (folder_ / "x.png").string() + " 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_TRUE(fs::exists(folder_ / "x.png"));
    const auto kernels = fs::directory_iterator(folder_ / "cache/rayscope/kernels");
    EXPECT_NE(fs::begin(kernels), fs::end(kernels)) << "nothing was compiled: " << r.text;
}

}  // namespace
}  // namespace rayscope
