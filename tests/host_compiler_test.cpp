// The host's compilers: where they lie, their precompiled headers, and what becomes of damaged
// ones. Needs g++.

#include "renderer/compile/host_compiler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/compile/cache.h"
#include "renderer/compile/header_cache.h"
#include "renderer/cpu/programs.h"
#include "renderer/scene/json.h"
#include "tests/program.h"

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
        v.engine = Engine::packets;
        v.isa = 3;
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

void place(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

/// A file that was emptied leaves templates that compile until they are used.
TEST_F(HostCompilerTest, ADamagedPrecompiledHeaderIsNotUsedAgain) {
    const fs::path made = header();
    ASSERT_FALSE(made.empty());
    const fs::path asked = fs::path(made.string().substr(0, made.string().find("/sources/")));
    place(made, "no header");
    place(asked / "sources" / program().source, "#error damaged\n");
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

/// The program from outside, with a cache of its own.
class CompilerOfTheProgram : public test::Program {
protected:
    test::Outcome render(const std::string& setting, const std::string& environment) {
        return run("render --scene vt9 --backend cpu --size 32x18 --spp 1 --out x.png" + setting,
                   true, "XDG_CACHE_HOME=" + (folder / "cache").string() + " " + environment);
    }
    fs::path kernels() const { return folder / "cache/rayscope/kernels"; }
    std::vector<fs::path> compiled() const {
        std::vector<fs::path> found;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(kernels(), error))
            found.push_back(entry.path());
        return found;
    }
};

/// As in /opt, Conda or the modules of a cluster.
TEST_F(CompilerOfTheProgram, MayHaveItsHeadersAnywhere) {
    if (findProgram("g++", {}).empty()) GTEST_SKIP() << "no g++";
    place(folder / "opt/include/cmath", "#include_next <cmath>\n");
    place(folder / "opt/bin/g++",
          "#!/bin/sh\nexec g++ -isystem " + (folder / "opt/include").string() + " \"$@\"\n");
    fs::permissions(folder / "opt/bin/g++", fs::perms::owner_all);
    const auto r = render(" --set opt=O1", "CXX=" + (folder / "opt/bin/g++").string());
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_TRUE(fs::exists(folder / "x.png"));
    EXPECT_EQ(compiled().size(), 1u) << r.text;
}

/// make's rules, in which a compiler names what it has read, have backslashes before blanks.
TEST_F(CompilerOfTheProgram, WorksInAFolderWithBlanks) {
    if (findProgram("g++", {}).empty()) GTEST_SKIP() << "no g++";
    const fs::path blank = folder / "a b#c$d";
    fs::create_directories(blank);
    const auto r = render(" --set opt=O1", "\'TMPDIR=" + blank.string() + "\'");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(compiled().size(), 1u) << r.text;
    EXPECT_TRUE(fs::is_empty(blank));
}

TEST_F(CompilerOfTheProgram, IsAnotherOneWhereItDoesNotAnswer_long) {
    if (findProgram("g++", {}).empty()) GTEST_SKIP() << "no g++";
    place(folder / "bin/silent", "#!/bin/sh\nsleep 1000\n");
    fs::permissions(folder / "bin/silent", fs::perms::owner_all);
    const auto r = render(" --set opt=O1", "CXX=" + (folder / "bin/silent").string());
    EXPECT_EQ(r.code, 0) << r.text;
}

/// What it has started ends with it: g++ starts cc1plus.
TEST(RunProgram, EndsWhatTheProgramHasStarted) {
    const Clock::time_point begun = Clock::now();
    const auto ran = runProgram({"/bin/sh", "-c", "sleep 1000 & echo $!; wait"}, 4096,
                                [&] { return millisecondsSince(begun) < 500; });
    ASSERT_TRUE(ran) << ran.reason();
    EXPECT_TRUE(ran->stopped);
    const pid_t started = std::atoi(ran->text.c_str());
    ASSERT_GT(started, 0);
    for (int i = 0; i < 50 && kill(started, 0) == 0; ++i)  // until it has been reaped
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream state("/proc/" + std::to_string(started) + "/stat");
    std::string number, name, letter;
    if (state >> number >> name >> letter) {
        EXPECT_EQ(letter, "Z");
    }
}

/// A German g++ says "Fehler".
TEST_F(CompilerOfTheProgram, SaysItsErrorsInEnglish) {
    if (findProgram("g++", {}).empty()) GTEST_SKIP() << "no g++";
    place(folder / "bin/g++",
          "#!/bin/sh\n[ \"$LC_ALL\" = C ] && exec g++ \"$@\"\n"
          "[ \"$1\" = --version ] && exec g++ --version\necho Fehler; exit 1\n");
    fs::permissions(folder / "bin/g++", fs::perms::owner_all);
    const auto r =
        render(" --set opt=O1", "LC_ALL=de_DE.UTF-8 CXX=" + (folder / "bin/g++").string());
    EXPECT_EQ(r.code, 0) << r.text;
}

TEST_F(CompilerOfTheProgram, IsNotNeededForWhatScenesStartWith) {
    fs::create_directories(folder / "empty");
    const std::string without = "PATH=" + (folder / "empty").string();
    // env looks for what it starts in PATH, too, but the program is called by its path
    for (const std::string& scene : sceneNames()) {
        const auto r =
            run("render --scene " + scene + " --backend cpu --size 32x18 --spp 1 --out x.png", true,
                "XDG_CACHE_HOME=" + folder.string() + " CXX= " + without);
        EXPECT_EQ(r.code, 0) << scene << ": " << r.text;
        EXPECT_NE(r.text.find("no C++ compiler"), std::string::npos) << r.text;
    }
    for (const char* choice : {"opt=O1", "engine=megakernel search=keys", "precision=double"}) {
        const auto r = render(" --set " + std::string(choice), "CXX= " + without);
        EXPECT_EQ(r.code, 2) << choice << ": " << r.text;
        EXPECT_NE(r.text.find("needs a C++ compiler: install g++"), std::string::npos) << r.text;
    }
    const auto moving = run("simulate --scene nbody-1000 --backend cpu --steps 2", true,
                            "XDG_CACHE_HOME=" + folder.string() + " CXX= " + without);
    EXPECT_EQ(moving.code, 0) << moving.text;
    const auto clang = render(" --set compiler=clang", "CXX= " + without);
    EXPECT_EQ(clang.code, 2);
    EXPECT_NE(clang.text.find("compiler=clang: needs clang++: install clang"), std::string::npos)
        << clang.text;
    const auto rows = run("info", true, "XDG_CACHE_HOME=" + folder.string() + " CXX= " + without);
    EXPECT_NE(rows.text.find("prebuilt kernels only (install g++)"), std::string::npos)
        << rows.text;
}

/// Of the two, whichever is there compiles what scenes start with, and everything else.
TEST_F(CompilerOfTheProgram, MayBeClangAlone) {
    const std::string clang = findProgram("clang++", {});
    if (clang.empty()) GTEST_SKIP() << "no clang++";
    fs::create_directories(folder / "only");
    fs::create_symlink(clang, folder / "only/clang++");
    fs::create_symlink(findProgram("ld", {}), folder / "only/ld");
    const std::string only = "CXX= PATH=" + (folder / "only").string();
    const auto r = render(" --set search=keys engine=megakernel", only);
    EXPECT_EQ(r.code, 0) << r.text;
    const auto gcc = render(" --set compiler=gcc opt=O1", only);
    EXPECT_EQ(gcc.code, 2);
    EXPECT_NE(gcc.text.find("(or compiler=clang)"), std::string::npos) << gcc.text;
}

TEST_F(CompilerOfTheProgram, KeepsNothingWhereOthersCanWrite) {
    if (findProgram("g++", {}).empty()) GTEST_SKIP() << "no g++";
    ASSERT_EQ(render(" --set opt=O1", "").code, 0);
    ASSERT_EQ(compiled().size(), 1u);
    const fs::path kernel = compiled()[0];
    std::ifstream file(kernel, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    const auto numberOf = [&] {
        struct stat info {};
        stat(kernel.c_str(), &info);
        return info.st_ino;
    };
    const auto renewed = [&] {
        const auto before = numberOf();
        const auto r = render(" --set opt=O1", "");
        EXPECT_EQ(r.code, 0) << r.text;
        return numberOf() != before;
    };
    EXPECT_FALSE(renewed()) << "it is used again";
    fs::permissions(kernel, fs::perms::others_write, fs::perm_options::add);
    EXPECT_TRUE(renewed()) << "others can write the file";
    place(kernel, whole.substr(0, whole.size() / 2));
    EXPECT_TRUE(renewed()) << "it is cut off";
    std::string changed = whole;
    changed[changed.size() / 2] ^= 1;
    place(kernel, changed);
    EXPECT_TRUE(renewed()) << "it is damaged";
    EXPECT_FALSE(renewed());
    fs::permissions(kernels(), fs::perms::group_write, fs::perm_options::add);
    EXPECT_FALSE(renewed()) << "others can write the folder";
    const auto says = run("info", true, "XDG_CACHE_HOME=" + (folder / "cache").string());
    EXPECT_NE(says.text.find("can be written by other users, so kernels are compiled anew"),
              std::string::npos)
        << says.text;
}

}  // namespace
}  // namespace rayscope
