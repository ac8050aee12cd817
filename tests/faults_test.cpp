// Faults of files and signals: full disks, folders that cannot be written, damaged files, programs
// that are ended in the middle. Nothing crashes, and nothing is lost that was there or is done.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "renderer/film/image_files.h"
#include "tests/pfm.h"
#include "tests/render_helper.h"
#include "tests/run_program.h"
#include "tests/run_time_compiler.h"
#include "tests/viewer_session.h"
#ifdef RAYSCOPE_CUDA
#include "renderer/compile/cache.h"
#endif

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;

/// A home in which nothing can be made, for root neither.
const char* const kNoHome =
    "HOME=/dev/null XDG_CACHE_HOME=/dev/null/a XDG_STATE_HOME=/dev/null/b "
    "XDG_CONFIG_HOME=/dev/null/c XDG_PICTURES_DIR=/dev/null/d ";

std::string textOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> namesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const fs::directory_entry& e : fs::directory_iterator(folder))
        names.push_back(e.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

/// The program with its standard output in `out` and its standard error in `error`.
class Child {
public:
    Child(const std::vector<std::string>& words, const fs::path& folder, int out, int error) {
        std::vector<char*> argv{const_cast<char*>(RAYSCOPE_PROGRAM)};
        for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
        argv.push_back(nullptr);
        id_ = fork();
        if (id_ != 0) return;
        for (const int number : {SIGINT, SIGTERM, SIGHUP})
            ::signal(number, SIG_DFL);  // nohup ignores them, and that is inherited
        setenv("TERM", "xterm", 1);
        if (chdir(folder.c_str()) == 0 && dup2(out, 1) >= 0 && dup2(error, 2) >= 0)
            execv(argv[0], argv.data());
        _exit(127);
    }
    ~Child() {
        if (id_ <= 0) return;
        kill(id_, SIGKILL);
        wait();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    void signal(int number) const { kill(id_, number); }
    /// The exit code, or 1000 + the signal that ended it.
    int wait() {
        int status = 0;
        waitpid(id_, &status, 0);
        id_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

private:
    pid_t id_ = -1;
};

/// A terminal, on which the program draws its bar of progress.
class Terminal {
public:
    Terminal() {
        if (openpty(&master_, &slave_, nullptr, nullptr, nullptr) != 0) master_ = slave_ = -1;
    }
    ~Terminal() {
        close(master_);
        close(slave_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    bool there() const { return master_ >= 0; }
    int end() const { return slave_; }
    /// Reads until these words have come; false where the program's end comes first.
    bool waitFor(const std::string& words) {
        char buffer[4096];
        while (shown_.find(words) == std::string::npos) {
            if (slave_ >= 0) close(std::exchange(slave_, -1));
            const ssize_t n = read(master_, buffer, sizeof buffer);
            if (n <= 0) return false;
            shown_.append(buffer, static_cast<size_t>(n));
        }
        return true;
    }
    /// All that was shown until the program's end.
    const std::string& rest() {
        waitFor("\xFF");
        return shown_;
    }

private:
    int master_ = -1, slave_ = -1;
    std::string shown_;
};

class Faults : public testing::Test {
protected:
    fs::path folder = fs::temp_directory_path() / ("rayscope_faults_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }

    /// Runs words of a shell in a folder of their own, where "rayscope" is the program.
    Outcome run(const std::string& words) const {
        return test::runShell("cd " + folder.string() + "; rayscope() { env -u DISPLAY " +
                              "-u WAYLAND_DISPLAY $environment " + RAYSCOPE_PROGRAM +
                              " \"$@\"; }; " + words);
    }
    json reportIn(const char* name) const {
        return json::parse(textOf(folder / name), nullptr, false);
    }

    struct Ended {
        int code;
        std::string said;
    };
    /// Ends a render by a signal when its first samples are there.
    Ended endRender(int number, const std::vector<std::string>& more) const {
        Terminal terminal;
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        std::vector<std::string> words{"render", "--backend", "cpu", "--json", "a.json"};
        words.insert(words.end(), more.begin(), more.end());
        Child child(words, folder, nowhere, terminal.end());
        close(nowhere);
        EXPECT_TRUE(terminal.waitFor(" % ")) << terminal.rest();
        child.signal(number);
        std::string said = terminal.rest();
        return {child.wait(), std::move(said)};
    }
};

// ---- signals ----

TEST(Film, OfAPassUnderWayIsAPictureOfItsSamples) {
    const Scene scene = sceneNamed("vt9");
    const auto renderer = makeCpuRenderer();
    renderer->setScene(scene);
    Settings settings = defaultSettings(Backend::cpu, scene);
    settings.threads = 1;
    settings.samples = 2;
    std::vector<Pixel> two(96 * 54), four = two, partial = two;
    Film f{96, 54};
    const std::unique_ptr<Session> session = renderer->open(f);
    const auto begin = [&](std::vector<Pixel>& pixels, int target) {
        f.pixels = pixels.data();
        session->setTarget(target);
        session->clear();
    };
    for (auto* pixels : {&two, &four}) {
        begin(*pixels, pixels == &two ? 2 : 4);
        while (!session->done()) session->advance(settings, scene.camera, 1e9);
    }
    begin(partial, 4);
    while (f.samples < 2) session->advance(settings, scene.camera, 0);
    for (int i = 0; i < 5; ++i) session->advance(settings, scene.camera, 0);
    ASSERT_EQ(f.samples, 2);
    int more = 0;
    for (size_t i = 0; i < partial.size(); ++i) {
        const Pixel& p = partial[i];
        const Pixel& whole = p.samples == 4 ? four[i] : two[i];
        more += p.samples == 4;
        ASSERT_EQ(p.samples, whole.samples) << i;
        ASSERT_EQ(p.r, whole.r) << i;
        ASSERT_EQ(p.g, whole.g) << i;
        ASSERT_EQ(p.b, whole.b) << i;
    }
    EXPECT_GT(more, 0);
    EXPECT_LT(more, 96 * 54);
    f.pixels = partial.data();
    const glm::dvec3 mean = meanRadiance(meanOf(f));
    f.pixels = two.data();
    const glm::dvec3 known = meanRadiance(meanOf(f));
    EXPECT_NEAR(mean.x, known.x, .1 * known.x) << "rows that are dark";
}

TEST_F(Faults, AnInterruptedRenderWritesWhatItHas) {
    if (!Terminal().there()) GTEST_SKIP() << "no terminal can be opened here";
    ASSERT_EQ(run("rayscope render --backend cpu --scene vt9 --size 64x36 --spp 64 --json b.json "
                  "> /dev/null")
                  .code,
              0);
    const json whole = reportIn("b.json");
    EXPECT_EQ(whole["complete"], true);
    EXPECT_FALSE(whole.contains("interrupted"));
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const Ended ended = endRender(
            number, {"--scene", "vt9", "--size", "64x36", "--spp", "1000000", "--out", "a.png"});
        EXPECT_EQ(ended.code, 1) << ended.said;
        EXPECT_NE(ended.said.find("rayscope: interrupted: the pixels have "), std::string::npos)
            << ended.said;
        EXPECT_NE(ended.said.find(" of 1000000 samples"), std::string::npos) << ended.said;
        const json j = reportIn("a.json");
        ASSERT_FALSE(j.is_discarded());
        EXPECT_EQ(j["complete"], false);
        EXPECT_GE(j["spp"], 1);
        EXPECT_LT(j["spp"], 1000000);
        const json& state = j["interrupted"];
        EXPECT_EQ(state["spp_asked"], 1000000);
        EXPECT_EQ(state["pixels_without_samples"], 0);
        EXPECT_GE(state["spp_mean"], j["spp"]);
        EXPECT_LE(state["spp_mean"], state["spp_most"]);
        EXPECT_NEAR(state["spp_mean"].get<double>() * 64 * 36, j["rays"]["camera"].get<double>(),
                    1);
        const double rays = j["rays"]["total"], kernelMs = j["kernel_ms"];
        EXPECT_NEAR(j["rays_per_second"], 1e3 * rays / kernelMs, 1);
        for (int c = 0; c < 3; ++c) {
            const double mean = j["mean_radiance"][c], known = whole["mean_radiance"][c];
            EXPECT_NEAR(mean, known, .1 * known) << "rows that are dark";
        }
        const auto capsule = readPngState((folder / "a.png").string());
        ASSERT_TRUE(capsule) << capsule.reason();
        const json info = json::parse(*capsule)["info"];
        EXPECT_EQ(info["complete"], false);
        EXPECT_EQ(info["spp"], j["spp"]);
        EXPECT_EQ(test::readPng((folder / "a.png").string()).width, 64);
        EXPECT_EQ(namesIn(folder), (std::vector<std::string>{"a.json", "a.png", "b.json"}));
        fs::remove(folder / "a.png");
        fs::remove(folder / "a.json");
    }
}

TEST_F(Faults, AFirstPassThatIsInterruptedSaysWhatIsBlack) {
    if (!Terminal().there()) GTEST_SKIP() << "no terminal can be opened here";
    // more than a minute of work, in pieces of some milliseconds
    const Ended ended = endRender(SIGTERM, {"--scene", "vt9", "--size", "1280x720", "--spp", "1024",
                                            "--set", "samples=1024", "--out", "a.pfm"});
    EXPECT_EQ(ended.code, 1) << ended.said;
    EXPECT_NE(ended.said.find(" have none and are black"), std::string::npos) << ended.said;
    const json j = reportIn("a.json");
    EXPECT_EQ(j["spp"], 0);
    EXPECT_EQ(j["interrupted"]["spp_most"], 1024);
    const std::string pfm = textOf(folder / "a.pfm");
    const size_t pixels = 1280 * 720, bytes = pixels * 3 * sizeof(float);
    ASSERT_GT(pfm.size(), bytes);
    std::vector<float> rgb(pixels * 3);
    std::memcpy(rgb.data(), pfm.data() + pfm.size() - bytes, bytes);
    long long black = 0;
    for (size_t i = 0; i < pixels; ++i) black += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] == 0;
    EXPECT_LT(black, pixels);
    EXPECT_EQ(j["interrupted"]["pixels_without_samples"], black);
}

// ---- standard output and standard error ----

TEST_F(Faults, WhatCannotBeSaidCostsNoFile) {
    const Outcome info = run("rayscope info 2>&1 >/dev/full");
    EXPECT_EQ(info.code, 1);
    EXPECT_EQ(info.text, "rayscope: cannot write standard output: No space left on device\n");
    const Outcome render =
        run("rayscope render --backend cpu --size 32x18 --spp 1 --out a.png --json a.json 2>&1 "
            ">/dev/full");
    EXPECT_EQ(render.code, 1);
    EXPECT_EQ(render.text, info.text);
    EXPECT_EQ(test::readPng((folder / "a.png").string()).width, 32);
    EXPECT_EQ(reportIn("a.json")["complete"], true);
    const Outcome ladder =
        run("rayscope ladder weekend --backend cpu --size 16x9 --time 0.01 --json b.json 2>&1 "
            ">/dev/full");
    EXPECT_EQ(ladder.code, 1);
    EXPECT_EQ(ladder.text, info.text);
    EXPECT_EQ(reportIn("b.json")["complete"], true);
    EXPECT_EQ(run("rayscope render --set nonsense=1 2>/dev/full").code, 2);
    EXPECT_EQ(
        run("rayscope render --backend cpu --size 32x18 --spp 1 --out c.png 2>/dev/full >&2").code,
        1);
    EXPECT_EQ(test::readPng((folder / "c.png").string()).width, 32);
}

TEST_F(Faults, APictureThatCannotBeWrittenIsInItsCheckpoint) {
    const std::string what = "rayscope render --backend cpu --scene cornell --size 32x24 --spp 6 ";
    ASSERT_EQ(run(what + "--out one.pfm --json one.json").code, 0);
    for (const char* full : {"full.pfm", "full.json"}) {
        fs::create_symlink("/dev/full", folder / full);
        const std::string files = full == std::string("full.pfm") ? "--out full.pfm --json a.json"
                                                                  : "--out a.pfm --json full.json";
        const Outcome r = run(what + files + " --checkpoint a.checkpoint 2>&1");
        EXPECT_EQ(r.code, 1) << r.text;
        EXPECT_NE(r.text.find("rayscope: --resume a.checkpoint goes on from here\n"), r.text.npos)
            << r.text;
        const Outcome rest =
            run("rayscope render --resume a.checkpoint --out b.pfm --json b.json 2>&1");
        EXPECT_EQ(rest.code, 0) << rest.text;
        test::expectEqualPictures(folder / "b.pfm", folder / "one.pfm", 6);
        EXPECT_EQ(reportIn("b.json")["rays"], reportIn("one.json")["rays"]);
        EXPECT_FALSE(fs::exists(folder / "a.checkpoint")) << "it is done";
    }
}

TEST_F(Faults, AReaderThatGoesCostsNoFile) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    const int said = open((folder / "said").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    Child child({"render", "--backend", "cpu", "--size", "32x18", "--spp", "1", "--out", "a.png"},
                folder, ends[1], said);
    close(ends[1]);
    close(said);
    EXPECT_EQ(child.wait(), 1);
    EXPECT_EQ(textOf(folder / "said"), "");
    EXPECT_EQ(test::readPng((folder / "a.png").string()).width, 32);
}

// ---- files that cannot be written ----

TEST_F(Faults, ThreadsThatCannotBeStartedAreASentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs all addresses";
#endif
    const Outcome r =
        run("ulimit -s 8192; ulimit -v 400000; rayscope render --backend cpu --threads 512 "
            "--size 8x8 --spp 1 2>&1");
    EXPECT_EQ(r.code, 1) << r.text;
    EXPECT_NE(r.text.find("of 512 threads"), std::string::npos) << r.text;
}

/// JSON takes memory to free its own, in destructors that must not throw.
TEST_F(Faults, MemoryThatRunsOutIsASentenceWhereverItDoes_long) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs all addresses";
#endif
    json record = {{"settings", json::object()}, {"rays_per_second", 1e9}};
    for (int i = 0; i < 300'000; ++i) record["more"].push_back(json::array({i}));
    std::ofstream(folder / "a.json") << record;
    int whole = 0, refused = 0;
    // of addresses, of which the program with its libraries takes some 100,000
    for (int kilobytes = 60'000; kilobytes < 260'000; kilobytes += 10'000) {
        const Outcome r = run(fmt::format(
            "ulimit -c 0; ulimit -v {}; rayscope compare a.json a.json 2>&1", kilobytes));
        if (r.code == 127 || r.text.starts_with("rayscope: error while loading")) continue;
        whole += r.code == 0;
        refused += r.text == "rayscope: there is not enough memory\n";
        EXPECT_TRUE(r.code == 0 || r.code == 1) << r.code << " " << r.text;
    }
    EXPECT_GT(whole, 0);
    EXPECT_GT(refused, 0);
}

TEST_F(Faults, AFileThatCannotGrowLeavesTheOldOne) {
    for (const char* name : {"a.png", "a.exr", "a.pfm", "a.json"}) {
        std::ofstream(folder / name) << "what was there";
        const bool report = std::string(name) == "a.json";
        // a kernel needs some 300 KB of memory that counts as a file, the pictures more than 2 MB
        const Outcome r =
            run(report ? "ulimit -f 1; rayscope info --json a.json 2>&1 >/dev/null"
                       : std::string("ulimit -f 1024; rayscope render --backend cpu --size ") +
                             "1280x720 --spp 1 --out " + name + " 2>&1 >/dev/null");
        EXPECT_EQ(r.code, 1) << name;
        EXPECT_EQ(r.text, std::string("rayscope: cannot write ") + name + ": File too large\n");
        EXPECT_EQ(textOf(folder / name), "what was there");
    }
    EXPECT_EQ(namesIn(folder), (std::vector<std::string>{"a.exr", "a.json", "a.pfm", "a.png"}));
}

TEST_F(Faults, AHomeThatCannotBeWrittenIsDoneWithout) {
    const std::string environment = std::string("environment='") + kNoHome + "'; ";
    const Outcome render =
        run(environment +
            "rayscope render --backend cpu --size 32x18 --spp 1 --out a.png 2>&1 "
            ">/dev/null");
    EXPECT_EQ(render.code, 0);
    EXPECT_EQ(render.text, "");
    EXPECT_EQ(run(environment + "rayscope info 2>&1 >/dev/null").text, "");
}

/// Studies whose threads cannot be started.
TEST_F(Faults, NothingMeasuredIsNoSuccess) {
    for (const char* command : {"sweep --x path", "switches"}) {
        std::ofstream(folder / "a.json") << "old";
        const Outcome r =
            run(std::string("ulimit -s 8192; ulimit -v 400000; rayscope ") + command +
                " --threads 512 --backend cpu --size 16x9 --time .05 --json a.json 2>&1");
        EXPECT_EQ(r.code, 1) << r.text;
        EXPECT_NE(r.text.find("rayscope: nothing was measured"), std::string::npos) << r.text;
        EXPECT_EQ(textOf(folder / "a.json"), "old") << command;
    }
}

/// 3.3 GB for the triangles alone, of 200 bytes each.
TEST_F(Faults, WhatNeedsTooMuchMemoryIsRefusedBeforeItIsMade) {
    const Outcome r =
        run("rayscope render --backend cpu --memory 1G --scene city-16777216 "
            "--size 16x9 --spp 1 --out a.png 2>&1");
    EXPECT_EQ(r.code, 1) << r.text;
    EXPECT_NE(r.text.find("rayscope: city-16777216 needs 3."), std::string::npos) << r.text;
    EXPECT_NE(r.text.find(" GB of memory, but "), std::string::npos) << r.text;
    EXPECT_NE(r.text.find(" may be used: --memory allows more"), std::string::npos) << r.text;
    EXPECT_FALSE(fs::exists(folder / "a.png"));
}

TEST_F(Faults, AReplacedPictureKeepsItsModeAndItsNames) {
    std::ofstream(folder / "a.png") << "old";
    fs::permissions(folder / "a.png", fs::perms(0600));
    fs::create_hard_link(folder / "a.png", folder / "b.png");
    const Outcome r = test::runShell("cd " + folder.string() + "; " + RAYSCOPE_PROGRAM +
                                     " render --backend cpu --size 16x9 --spp 1 --out a.png 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(fs::status(folder / "a.png").permissions(), fs::perms(0600));
    EXPECT_EQ(fs::hard_link_count(folder / "a.png"), 2u);
    EXPECT_EQ(textOf(folder / "b.png"), textOf(folder / "a.png"));
    EXPECT_EQ(textOf(folder / "b.png").substr(1, 3), "PNG");
}

TEST_F(Faults, AFullDiscIsNamedByEveryOutput) {
    for (const char* words : {"--version", "--help", "info", "render --help"}) {
        const Outcome r =
            test::runShell(std::string(RAYSCOPE_PROGRAM) + " " + words + " 2>&1 >/dev/full");
        EXPECT_EQ(r.code, 1) << words;
        EXPECT_NE(r.text.find("cannot write standard output: No space left on device"),
                  std::string::npos)
            << words << "\n"
            << r.text;
    }
}

TEST_F(Faults, ADamagedConfigurationIsOneSentence) {
    std::ofstream(folder / "cut.json") << R"({"trace": "a)";
    std::ofstream(folder / "zeros.json") << std::string(300, '\0');
    std::ofstream(folder / "long.json") << std::string(1 << 20, ' ');
    std::ofstream(folder / "empty.json");
    fs::create_directories(folder / "folder.json");
    fs::create_directories(folder / "home" / "rayscope" / "rayscope.json");
    const auto refused = [&](const std::string& words, const std::string& file) {
        const Outcome r = run(words + " 2>&1");
        EXPECT_EQ(r.code, 1) << words << "\n" << r.text;
        EXPECT_EQ(r.text.rfind("rayscope: ", 0), 0u) << r.text;
        EXPECT_NE(r.text.find(file), std::string::npos) << r.text;
        EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 1) << r.text;
    };
    for (const char* name :
         {"cut.json", "zeros.json", "long.json", "empty.json", "folder.json", "none.json"})
        refused(std::string("rayscope --config ") + name + " info", name);
    refused("environment=XDG_CONFIG_HOME=" + (folder / "home").string() + "; rayscope info",
            "rayscope.json");
}

// ---- the cache of kernels ----

#ifdef RAYSCOPE_CUDA

class KernelFaults : public Faults {
protected:
    fs::path cacheFolder = folder / "cache" / "rayscope" / "kernels";
    KernelCache cache{cacheFolder};

    static CompiledKernel kernel(int i) {
        CompiledKernel k;
        k.code = std::string(20'000, static_cast<char>('a' + i % 26));
        k.functions = {{Stage::trace, "_Zname", i, 0, 0, 0}};
        return k;
    }
    std::map<std::string, std::string> entries() const {
        std::map<std::string, std::string> all;
        for (const std::string& name : namesIn(cacheFolder)) all[name] = textOf(cacheFolder / name);
        return all;
    }
    std::vector<fs::file_time_type> writeTimes() const {
        std::vector<fs::file_time_type> times;
        for (const std::string& name : namesIn(cacheFolder))
            times.push_back(fs::last_write_time(cacheFolder / name));
        return times;
    }
    Outcome withCache(const std::string& words) const {
        return run("environment=XDG_CACHE_HOME=" + (folder / "cache").string() + "; " + words);
    }
};

TEST_F(KernelFaults, WhatStandsInThePlaceOfAnEntryStays) {
    cache.store("a", kernel(0));
    fs::create_directories(cache.pathOf("b") / "something");
    cache.store("b", kernel(1));
    EXPECT_FALSE(cache.load("b"));
    EXPECT_TRUE(fs::exists(cache.pathOf("b") / "something"));
    EXPECT_TRUE(cache.load("a"));
    EXPECT_EQ(namesIn(cacheFolder).size(), 2u) << "left a temporary file";
}

TEST_F(KernelFaults, WhatKilledProgramsLeftGoesWithTheOldest) {
    cache.store("a", kernel(0));
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(100);
    for (int i = 0; i < 1200; ++i) {
        const fs::path file = cacheFolder / (std::to_string(i) + (i % 2 ? ".kernel" : ".tmp"));
        std::ofstream(file) << i;
        fs::last_write_time(file, old + std::chrono::seconds(i));
    }
    cache.store("b", kernel(1));
    EXPECT_TRUE(cache.load("a"));
    EXPECT_TRUE(cache.load("b"));
    EXPECT_FALSE(fs::exists(cacheFolder / "0.tmp"));
    EXPECT_FALSE(fs::exists(cacheFolder / "1.kernel"));
    EXPECT_TRUE(fs::exists(cacheFolder / "1199.kernel"));
    EXPECT_LT(namesIn(cacheFolder).size(), 800u);
}

/// Stores and loads the same kernels as others do; the exit code says whether all were whole.
int useCache(const KernelCache& cache, auto kernel) {
    for (int i = 0; i < 60; ++i) {
        const std::string key = std::to_string(i % 4);
        const auto found = cache.load(key);
        if (found && found->code != kernel(i % 4).code) return 1;
        cache.store(key, kernel(i % 4));
    }
    return 0;
}

TEST_F(KernelFaults, ProgramsShareTheCache) {
    fs::create_directories(cacheFolder);
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i) {
        children.push_back(fork());
        if (children.back() == 0) _exit(useCache(cache, kernel));
    }
    // meanwhile there are always so many that each of them throws the oldest away
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(100);
    int left = 2, number = 0;
    while (left > 0) {
        for (int i = 0; i < 100; ++i, ++number) {
            const fs::path file = cacheFolder / (std::to_string(number % 1050) + "-old.kernel");
            std::ofstream(file) << number;
            std::error_code error;
            fs::last_write_time(file, old, error);
        }
        for (pid_t& child : children) {
            int status = 0;
            if (child < 0 || waitpid(child, &status, WNOHANG) != child) continue;
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
            child = -1;
            --left;
        }
    }
    for (int i = 0; i < 4; ++i) {
        const auto found = cache.load(std::to_string(i));
        ASSERT_TRUE(found) << i;
        EXPECT_EQ(found->code, kernel(i).code);
    }
    for (const std::string& name : namesIn(cacheFolder))
        EXPECT_TRUE(name.ends_with(".kernel")) << name;
}

TEST_F(KernelFaults, TheProgramGoesOnWithoutItsCache) {
    SKIP_WITHOUT_NVRTC();
    const std::string code = "rayscope code --arch sm_90";
    const Outcome first = withCache(code);
    ASSERT_EQ(first.code, 0) << first.text;
    const std::map<std::string, std::string> whole = entries();
    ASSERT_FALSE(whole.empty());
    const auto damage = [&](auto change) {
        std::map<std::string, std::string> damaged = whole;
        for (auto& [name, bytes] : damaged) {
            change(bytes);
            std::ofstream(cacheFolder / name, std::ios::binary) << bytes;
        }
        return damaged;
    };
    // cut, and still there where the disk is full
    const auto cut = damage([](std::string& bytes) { bytes.resize(bytes.size() / 2); });
    const Outcome full = withCache("ulimit -f 8; " + code);
    EXPECT_EQ(full.code, 0);
    EXPECT_EQ(full.text, first.text);
    EXPECT_TRUE(entries() == cut);
    // two at once where entries are damaged
    damage([](std::string& bytes) { bytes[bytes.size() / 3] ^= 1; });
    const Outcome both =
        withCache(code + " > one & " + code + " > other && wait $! && cat one other");
    EXPECT_EQ(both.code, 0);
    EXPECT_EQ(both.text, first.text + first.text);
    // what they left is whole: nobody compiles again
    const auto left = entries();
    const auto written = writeTimes();
    EXPECT_EQ(left.size(), whole.size());
    EXPECT_EQ(withCache(code).text, first.text);
    EXPECT_TRUE(entries() == left);
    EXPECT_TRUE(writeTimes() == written);
    // a file where the folder should be
    fs::remove_all(folder / "cache");
    std::ofstream(folder / "cache") << "a file";
    EXPECT_EQ(withCache(code).text, first.text);
    EXPECT_EQ(textOf(folder / "cache"), "a file");
}

#endif

// ---- the window ----

/// See ui/gl_fences.h.
TEST(FaultsWindow, NoFenceOfLlvmpipeIsDestroyedWhileItIsLocked_window) {
    if (const std::string reason = test::Session::missing(); !reason.empty())
        GTEST_SKIP() << reason;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer has to be loaded first";
#endif
    const fs::path counts =
        fs::temp_directory_path() / ("rayscope-late-unlocks-" + std::to_string(getpid()));
    test::Session session({"--backend", "cpu", "--scene", "vt9"}, 960, 600,
                          {"env", "LD_PRELOAD=" LATE_UNLOCKS, "LP_NUM_THREADS=2",
                           "LATE_UNLOCKS=" + counts.string(), RAYSCOPE_PROGRAM});
    for (const char* key : {"", "key t", "key p", "key F12", "key F12"}) {
        if (*key != 0) session.act(key);
        const long frame = session.status().value("frame", 0);
        ASSERT_TRUE(session.waitFor([&](const json& s) { return s["frame"] > frame + 25; }, 60))
            << session.output();
    }
    ASSERT_TRUE(session.quit()) << session.output();
    long late = 0, destroyed = 0, locked = -1;
    std::ifstream(counts) >> late >> destroyed >> locked;
    fs::remove(counts);
    if (late == 0) GTEST_SKIP() << "there is no llvmpipe, or its fences are others";
    EXPECT_EQ(locked, 0) << late << " late, " << destroyed << " destroyed";
}

TEST(FaultsWindow, FilesAreWholeOrAbsentAndNothingEndsIt_window) {
    if (const std::string reason = test::Session::missing(); !reason.empty())
        GTEST_SKIP() << reason;
    for (const char* variable : {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_PICTURES_DIR"})
        setenv(variable, "/dev/null/x", 1);
    test::Session session({"--backend", "cpu", "--scene", "vt9"}, 1280, 800);
    // the picture that comes first is coarse
    const auto started = [](const json& s) { return s["samples"] >= 1 && s["divisor"] == 1; };
    ASSERT_TRUE(session.waitFor(started, 30)) << session.output();
    const fs::path folder = session.folder();

    // what it remembers from now on has no place
    fs::remove_all(folder / "state");
    std::ofstream(folder / "state") << "a file where the folder should be";
    session.act("key Tab");
    ASSERT_TRUE(session.waitFor([](const json& s) { return !s["drawn"].contains("tab.scene"); }));

    // ended while a picture is being written, if that is seen in time
    const auto having = [&](const char* part) {
        std::vector<std::string> names;
        for (const std::string& name : namesIn(folder))
            if (name.find(part) != std::string::npos) names.push_back(name);
        return names;
    };
    const auto pictures = [&] { return having(".png"); };
    session.act("key F12");
    const auto start = std::chrono::steady_clock::now();
    while (pictures().empty() && having(".tmp").empty() &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(30))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(session.quit(SIGTERM)) << session.output();
    ASSERT_EQ(pictures().size(), 1u);
    EXPECT_TRUE(having(".tmp").empty());
    EXPECT_EQ(test::readPng((folder / pictures().front()).string()).width, 1280);
    EXPECT_NE(session.output().find((folder / "state" / "rayscope").string() + " cannot be made"),
              std::string::npos)
        << session.output();

    // damaged memory, and nobody to whom that can be said
    fs::remove(folder / "state");
    const fs::path memory = folder / "state" / "rayscope" / "window.json";
    fs::create_directories(memory.parent_path());
    std::ofstream(memory) << R"({"bookmarks": {"vt9": [)";
    fs::remove(folder / "program.log");
    fs::create_symlink("/dev/full", folder / "program.log");
    session.restart({"--backend", "cpu", "--scene", "vt9"});
    ASSERT_TRUE(session.waitFor(started, 30));
    EXPECT_TRUE(session.quit());
    EXPECT_EQ(textOf(memory.string() + ".damaged"), R"({"bookmarks": {"vt9": [)");
    EXPECT_TRUE(json::parse(textOf(memory), nullptr, false).is_object());
}

}  // namespace
}  // namespace rayscope
