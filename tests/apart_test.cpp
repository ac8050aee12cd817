// Edited kernels of a CPU run in a process of their own, which does nothing but compute: whatever
// they do, this process lives on and says what it was.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "renderer/backend/kernel_isolation.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/files.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/cpu/loaded_object.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "renderer/cpu/kernels/paths.cpp";
/// Where a rectangle begins.
constexpr const char* kPlace = "    CountsOf<V> counts;\n    if constexpr (pools(V))\n";

class Apart : public testing::Test {
protected:
    void SetUp() override {
        runEditedKernelsBy(RAYSCOPE_PROGRAM);
        folder_ = fs::temp_directory_path() / ("rayscope-apart-" + std::to_string(getpid()));
        ASSERT_EQ(copyKernelSources(folder_.string()).reason(), "");
        scene_ = sceneNamed("vt9");
    }
    void TearDown() override {
        runEditedKernelsBy("");
        EXPECT_TRUE(setKernelSourceDirectory(kMine, ""));
        std::error_code error;
        fs::remove_all(folder_, error);
    }

    void useFolder() { ASSERT_EQ(setKernelSourceDirectory(kMine, folder_.string()).reason(), ""); }
    /// What a kernel does first, and what stands before all kernels.
    void edit(const std::string& statement, const std::string& before = {}) {
        std::string text = *readFile((folder_ / kFile).string(), 1 << 20);
        const size_t at = text.find(kPlace);
        ASSERT_NE(at, text.npos);
        text.insert(at, statement + "\n");
        std::ofstream(folder_ / kFile) << before << "\n" << text;
        useFolder();
    }

    Settings mine(std::vector<std::string> assignments = {}) const {
        Settings settings = cpuSettings(scene_, assignments);
        settings.source = kMine;
        return settings;
    }

    /// Why the edited kernel does not render; afterwards the session renders with what is built in.
    std::string problem(bool watched = false, std::vector<std::string> set = {"engine=megakernel"},
                        bool rendersNothing = true) {
        const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
        renderer->setScene(scene_);
        std::vector<Pixel> pixels(kWidth * kHeight);
        Film film{kWidth, kHeight, pixels.data()};
        const std::unique_ptr<Session> session = renderer->open(film);
        session->setWatched(watched);
        session->setTarget(4);
        session->clear();
        const Settings edited = mine(set);
        EXPECT_EQ(renderer->unsupported(edited), "");
        std::string said;
        for (int i = 0; i < 20000 && said.empty() && !session->done(); ++i) {
            const Clock::time_point before = Clock::now();
            session->advance(edited, scene_.camera, watched ? 16 : 1000);
            if (watched) {
                EXPECT_LT(millisecondsSince(before), 1000) << "the window waits";
            }
            said = session->kernel().compileLog;
        }
        EXPECT_FALSE(session->done()) << "nothing has happened";
        EXPECT_EQ(session->kernel().name, "") << "there is no kernel before";
        Settings builtIn = edited;
        builtIn.source = kBuiltIn;
        while (!session->done()) session->advance(builtIn, scene_.camera, 1000);
        const Rendered after{std::move(pixels), {}};
        const Rendered usual = renderCpu(scene_, builtIn, kWidth, kHeight, 4);
        // passes of a watched film have other samples, whose sums are rounded elsewhere
        if (rendersNothing) {
            EXPECT_LT(largestDifference(after, usual), 1e-5) << "the kernel has left something";
        }
        return said;
    }

    static constexpr int kWidth = 48, kHeight = 27;
    fs::path folder_;
    Scene scene_;
};

void expectSays(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), text.npos) << text;
}

TEST_F(Apart, MakesThePictureOfWhatIsBuiltIn_long) {
    useFolder();
    std::vector<std::vector<std::string>> all{
        {"engine=megakernel"},
        {"engine=megakernel", "precision=double"},
        {"engine=wavefront"},
        {"engine=wavefront", "precision=double", "kernels=separate", "ray_source=kernel",
         "material_order=sorted"},
        {"engine=regeneration", "samples_from=queue"}};
    for (const char* accel : {"brute", "bvh", "grid"}) {
        if (widestPackets() > 0) all.push_back({"engine=packets", std::string("accel=") + accel});
    }
    for (const std::vector<std::string>& set : all) {
        const Settings edited = mine(set);
        Settings builtIn = edited;
        builtIn.source = kBuiltIn;
        const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
        renderer->setScene(scene_);
        const Rendered a = renderWith(*renderer, builtIn, scene_.camera, 96, 54, 8);
        const Rendered b = renderWith(*renderer, edited, scene_.camera, 96, 54, 8);
        EXPECT_TRUE(sameBits(a, b)) << set.back();
        EXPECT_EQ(a.stats.rays.total(), b.stats.rays.total()) << set.back();
        EXPECT_EQ(a.stats.rays.depth, b.stats.rays.depth) << set.back();
    }
}

TEST_F(Apart, FollowsScenesFilmsAndThreads_long) {
    useFolder();
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    for (const char* name : {"vt9", "cornell", "vt46", "vt9"}) {
        const Scene scene = sceneNamed(name);
        renderer->setScene(scene);
        for (const int threads : {1, 3}) {
            Settings edited = cpuSettings(scene, {"engine=megakernel"});
            edited.threads = threads;
            Settings builtIn = edited;
            edited.source = kMine;
            const int width = 40 * threads;
            EXPECT_TRUE(sameBits(renderWith(*renderer, edited, scene.camera, width, 30, 3),
                                 renderWith(*renderer, builtIn, scene.camera, width, 30, 3)))
                << name;
        }
    }
}

/// It samples itself: almost all of the time is in a loop of a few instructions that is planted.
TEST_F(Apart, IsSampled_long) {
    edit("for (volatile int i = 0; i < 3000000;) i = i + 1;");
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene_);
    const Settings edited = mine({"engine=megakernel"});
    const auto render = [&] { renderWith(*renderer, edited, scene_.camera, kWidth, kHeight, 512); };
    render();
    const auto sampled = renderer->sampleHost(render);
    ASSERT_TRUE(sampled) << sampled.reason();
    EXPECT_GT(sampled->inside(), 50u);
    EXPECT_LT(sampled->outside, sampled->inside());
    std::vector<std::uint64_t> counts;
    for (const auto& at : sampled->at) counts.push_back(at.samples);
    std::ranges::sort(counts, std::greater());
    counts.resize(std::min<size_t>(counts.size(), 8));
    std::uint64_t few = 0;
    for (const std::uint64_t count : counts) few += count;
    EXPECT_GT(static_cast<double>(few), .8 * static_cast<double>(sampled->inside()));
    // and only while that is asked for
    render();
    const auto again = renderer->sampleHost([] {});
    ASSERT_TRUE(again) << again.reason();
    EXPECT_EQ(again->inside() + again->outside, 0u);
}

TEST_F(Apart, IsNeverInThisProcess_long) {
    EXPECT_THROW(LoadedObject(CompiledKernel{}, kMine), std::logic_error);
    BuildResult built{{}, CompiledKernel{}};
    built.request.source = kMine;
    const HostKernel kernel(std::move(built));
    EXPECT_THROW(kernel.object(), std::logic_error);
    EXPECT_NE(kernel.apart(), nullptr);
}

TEST_F(Apart, NamesAWriteOutside_long) {
    edit("*reinterpret_cast<volatile int*>(std::uintptr_t{64}) = 1;", "#include <cstdint>");
    expectSays(problem(), "source=mine: its kernel has crashed: it read or wrote where");
}

TEST_F(Apart, NamesAWriteIntoTheScene_long) {
    edit("const_cast<volatile unsigned char*>(launch.scene)[0] = 1;");
    expectSays(problem(), "its kernel has crashed: it read or wrote where");
}

TEST_F(Apart, NamesAnEndlessLoopWhileTheWindowLives_long) {
    edit("for (volatile int i = 0;; i = i + 1) {}");
    expectSays(problem(true), "its kernel was ended: it did not get on for 5 s");
}

TEST_F(Apart, NamesAnEndlessRecursion_long) {
    edit("deep(1);",
         "__attribute__((noinline)) inline int deep(volatile int n) {\n"
         "    volatile char much[4096];\n    much[n & 4095] = 1;\n"
         "    return deep(n + 1) + much[0];\n}");
    expectSays(problem(), "its kernel has crashed: it read or wrote where");
}

TEST_F(Apart, NamesFiles_long) {
    edit("if (std::FILE* file = std::fopen(\"/etc/passwd\", \"r\")) std::fclose(file);",
         "#include <cstdio>");
    expectSays(problem(), "its kernel was ended: it asked the system for a file");
}

TEST_F(Apart, NamesWritingToATerminal_long) {
    edit("::write(2, \"x\", 1);", "#include <unistd.h>");
    expectSays(problem(), "its kernel was ended: it asked the system for a file or a terminal");
}

TEST_F(Apart, NamesTheNetwork_long) {
    edit("::socket(AF_INET, SOCK_STREAM, 0);", "#include <sys/socket.h>");
    expectSays(problem(), "its kernel was ended: it asked the system for the network");
}

TEST_F(Apart, NamesProcesses_long) {
    edit("::fork();", "#include <unistd.h>");
    expectSays(problem(), "its kernel was ended: it asked the system for another process");
}

TEST_F(Apart, NamesMuchMemory_long) {
    edit("char* volatile much = static_cast<char*>(std::malloc(10ull << 30));\nmuch[0] = 1;",
         "#include <cstdlib>");
    expectSays(problem(), "its kernel was ended: it asked the system for more memory");
}

TEST_F(Apart, NamesMuchMemoryInPieces_long) {
    edit(
        "for (int i = 0; i < 1000; ++i) {\n"
        "    char* volatile some = static_cast<char*>(std::malloc(1 << 20));\n    some[0] = 1;\n}",
        "#include <cstdlib>");
    expectSays(problem(), "its kernel was ended: it asked the system for more memory");
}

TEST_F(Apart, NamesMuchMemoryOfItsObject_long) {
    edit("much[launch.x0] = 1;", "static volatile char much[10ull << 30];");
    expectSays(problem(), "source=mine: its kernel");
}

TEST_F(Apart, NamesCodeThatRunsWhileItIsLoaded_long) {
    edit("started = started + 1;",
         "#include <unistd.h>\nstatic volatile int started = static_cast<int>(::getppid());");
    expectSays(problem(), "its kernel is not loaded: it has code that runs while it is loaded");
}

TEST_F(Apart, NamesADivisionTrap_long) {
    edit("volatile int none = 0;\nnone = 7 / none;");
    expectSays(problem(), "its kernel has crashed: it divided an integer by 0");
}

TEST_F(Apart, NamesExits_long) {
    edit("::_exit(7);", "#include <unistd.h>");
    expectSays(problem(), "its kernel has ended its process (exit code 7)");
}

TEST_F(Apart, NamesAborts_long) {
    edit("std::abort();", "#include <cstdlib>");
    expectSays(problem(), "its kernel has crashed: Aborted");
}

TEST_F(Apart, NamesSignalsToOthers_long) {
    edit("::kill(1, 9);", "#include <signal.h>");
    expectSays(problem(), "its kernel was ended: it asked the system for power over processes");
}

/// A system call without a function of a library.
std::string called(long number, const std::string& a = "0", const std::string& b = "0",
                   const std::string& c = "0") {
    return "{ long result; char word = 'd'; (void)word;\n"
           "asm volatile(\"syscall\" : \"=a\"(result) : \"a\"(" +
           std::to_string(number) + "L), \"D\"(" + a + "), \"S\"(" + b + "), \"d\"(" + c +
           ") : \"rcx\", \"r11\", \"memory\"); }";
}

/// On the socket that it says with that a pass is done. The first one may be believed: what is then
/// in the film are its own pixels.
TEST_F(Apart, NamesWordsOnItsChannel_long) {
    edit(called(1, "5L", "&word", "1L"));
    const Clock::time_point begun = Clock::now();
    expectSays(problem(false, {"engine=megakernel"}, false),
               "its kernel was ended: it wrote to what is not its own");
    EXPECT_LT(millisecondsSince(begun), 15e3);
}

TEST_F(Apart, NamesThreadsThatEnd_long) {
    edit(called(60));
    expectSays(problem(),
               "its kernel was ended: it asked the system for what kernels may not have");
}

/// The system's calls of 32 bits, and those of x32.
TEST_F(Apart, NamesCallsOfAnotherArchitecture_long) {
    edit("{ int result; asm volatile(\"int $0x80\" : \"=a\"(result) : \"a\"(20)); }");
    expectSays(problem(),
               "its kernel was ended: it asked the system for what kernels may not have");
    edit(called(0x40000000 + 39));
    expectSays(problem(),
               "its kernel was ended: it asked the system for what kernels may not have");
}

TEST_F(Apart, RefusesMuchMemoryOfItsObject_long) {
    edit("much[launch.x0] = 1;", "static volatile char much[200 << 20];");
    expectSays(problem(), "its kernel is not loaded: it has 200 MB of variables");
}

/// The loader takes the last of two entries: a check of the first one would be for nothing.
TEST_F(Apart, RefusesEntriesBesideTheLinkers_long) {
    edit("", "asm(\".section .dynamic,\\\"aw\\\",@dynamic\\n.quad 7,0\\n.text\");");
    expectSays(problem(), "its kernel is not loaded: its object has two entries of a kind");
}

TEST_F(Apart, TakesNoFilesInAssembly_long) {
    edit("", "asm(\".data\\nstolen: .inc\" \"bin \\\"/etc/passwd\\\"\\n.text\");");
    expectSays(problem(), "its assembly takes files");
    edit("", "asm(\".data\\n.include \\\"/etc/passwd\\\"\\n.text\");");
    expectSays(problem(), "its assembly takes files");
}

TEST_F(Apart, IsEndedWhenTheProgramIsInterrupted_long) {
    edit("for (volatile int i = 0;; i = 1 - i) {}");
    endEditedKernelsWhen([] { return true; });
    const Clock::time_point begun = Clock::now();
    expectSays(problem(), "its kernel was ended: the program is interrupted");
    EXPECT_LT(millisecondsSince(begun), 15e3);
    endEditedKernelsWhen({});
}

TEST_F(Apart, SaysWhatDoesNotCompile_long) {
    edit("this is no statement;");
    expectSays(problem(), "error");
}

TEST_F(Apart, IncludesNoFilesFromElsewhere_long) {
    edit("", "#include \"/etc/passwd\"");
    expectSays(problem(), "outside of the kernels' folder");
}

TEST_F(Apart, IncludesNoFilesFromElsewhereByAMacro_long) {
    const fs::path other = fs::temp_directory_path() / "rayscope-apart-other.h";
    std::ofstream(other) << "// somebody's\n";
    edit("", "#define OTHER \"" + other.string() + "\"\n#include OTHER");
    expectSays(problem(), "outside of the kernels' folder");
    fs::remove(other);
}

TEST_F(Apart, GoesOnWithTheLastGoodKernel_long) {
    useFolder();
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene_);
    std::vector<Pixel> pixels(kWidth * kHeight);
    Film film{kWidth, kHeight, pixels.data()};
    const std::unique_ptr<Session> session = renderer->open(film);
    session->setWatched(true);
    const Settings settings = mine({"engine=megakernel"});
    const auto advanceUntil = [&](auto is) {
        const Clock::time_point start = Clock::now();
        while (millisecondsSince(start) < 20e3 && !is(session->kernel()))
            session->advance(settings, scene_.camera, 16);
        EXPECT_TRUE(is(session->kernel()));
    };
    session->clear();
    advanceUntil([&](const KernelInfo& k) { return k.ready && film.samples > 0; });
    edit("*reinterpret_cast<volatile int*>(64) = 1;");
    advanceUntil([](const KernelInfo& k) { return !k.compileLog.empty(); });
    session->clear();
    while (film.samples < 3) session->advance(settings, scene_.camera, 16);
    EXPECT_EQ(session->kernel().source, kMine);
    expectSays(session->kernel().compileLog, "has crashed");
    std::string text = *readFile((folder_ / kFile).string(), 1 << 20);
    const std::string bad = "*reinterpret_cast<volatile int*>(64) = 1;";
    std::ofstream(folder_ / kFile) << text.replace(text.find(bad), bad.size(), "");
    useFolder();
    advanceUntil([](const KernelInfo& k) { return k.ready && k.compileLog.empty(); });
}

}  // namespace
}  // namespace rayscope
