// The soak: for an hour or less, what users do and what they do not, at random, in the real window.
// See CONTRIBUTING.md. The exit code says whether all was well; 77: there is no X server to try it
// in.

#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"
#include "tests/soak_hands.h"
#include "tests/soak_watch.h"

namespace rayscope::test {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kWidth = 960, kHeight = 600;
constexpr int kHomeEvery = 15;  ///< actions between samples of memory
/// Actions between visits to the largest scene: one at the start, and some in each third of an
/// hour.
constexpr int kLargestEvery = 300;
constexpr int kLargestEdits = 12;
constexpr double kOneEditSeconds = .7;  ///< what follows more closely counts as one edit
constexpr double kStartSeconds = 180, kHomeSeconds = 120;
/// What engines kept of paths has gone by then.
constexpr double kSettleSeconds = 2.5;
/// Without a frame for as long a window hangs. Sanitizers and shared cores get more time.
constexpr double kFrozenSeconds = 10, kLooseFrozenSeconds = 90;
/// Actions that are remembered, and of these told with a slow second.
constexpr std::size_t kRecent = 25, kTold = 6;

struct Options {
    std::string program = RAYSCOPE_PROGRAM, backend = "cpu", wrapper;
    double seconds = 3600;
    std::uint64_t seed = 1, first = 0;
    bool anyRate = false, anyMemory = false;  ///< are reported, not judged
};

std::vector<std::string> wordsOf(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

std::vector<std::string> programOf(const Options& options) {
    std::vector<std::string> words = wordsOf(options.wrapper);
    words.push_back(std::filesystem::absolute(options.program).string());
    return words;
}

double megabytes(double bytes) {
    return bytes / (1 << 20);
}

class Soak {
public:
    explicit Soak(const Options& options)
        : options_(options),
          session_({"--backend", options.backend, "--scene", "vt9"}, kWidth, kHeight,
                   programOf(options)),
          clipboard_(session_.display()),
          hands_{session_, clipboard_, [this](double seconds) { wait(seconds); },
                 [this](bool off) { offScreen(off); }, options.backend == "cuda"},
          number_(options.first) {}

    /// True where all was well.
    bool run();

private:
    double elapsed() const { return since(start_); }
    std::uint64_t done() const { return number_ - options_.first; }
    static double since(Clock::time_point moment) {
        return std::chrono::duration<double>(Clock::now() - moment).count();
    }
    void begin();
    void act();
    void observe();
    void wait(double seconds);
    void offScreen(bool off);
    std::string notAtHome() const;
    void goHome();
    void visitLargest();
    void waitFor(const char* what, const std::function<bool()>& there);
    void sampleMemory();
    void deleteFiles();
    void end();
    void judge(const char* name, const std::vector<double>& samples);
    void sayMinute();
    void sayTable() const;
    void sayFailure() const;

    Options options_;
    Session session_;
    Clipboard clipboard_;
    Hands hands_;
    FrameWatch frames_;
    std::vector<double> host_, heap_, device_;
    std::map<std::string, int> counts_;
    std::deque<std::string> recent_;
    std::vector<std::string> problems_;
    Clock::time_point start_ = Clock::now(), lastFrame_ = start_;
    double lastTime_ = -1;
    std::uint64_t number_;  ///< of the next action
    int minutes_ = 0;
    bool off_ = false;
    json home_;             ///< the status at the start
    std::string homeText_;  ///< the state then, to be pasted
};

bool Soak::run() {
    try {
        begin();
        while (elapsed() < options_.seconds) {
            if (done() == 0 || number_ % kLargestEvery == 0) visitLargest();
            act();
            if (number_ % kHomeEvery == 0) goHome();
            sayMinute();
        }
        goHome();
        end();
    } catch (const std::exception& error) {
        problems_.push_back(error.what());
    }
    sayTable();
    if (problems_.empty()) return true;
    sayFailure();
    return false;
}

void Soak::begin() {
    const bool drawn =
        session_.waitFor([](const json& s) { return s["samples"] >= 1; }, kStartSeconds);
    if (!drawn) throw std::runtime_error("the program has shown no picture");
    hands_.show();
    wait(1);
    home_ = hands_.status;
    const auto scene = findScene(home_["scene"]);
    if (!scene) throw std::runtime_error(scene.reason());
    State state{*scene, {}, {}, {}};
    state.camera = state.scene->camera;
    state.settings = settingsIn(home_, state.scene);
    homeText_ = toJson(state).dump();
    start_ = Clock::now();
    fmt::print("soak: seed {}, {:.0f} s, {} ({})\n", options_.seed, options_.seconds,
               options_.backend, fmt::join(programOf(options_), " "));
}

/// What an action does depends on the seed, its number and what is drawn.
void Soak::act() {
    hands_.random = Random(options_.seed * 0x2545f4914f6cdd1d + number_++);
    const Action& action = chosen(hands_.random);
    ++counts_[action.name];
    recent_.push_back(fmt::format("{:7.1f} s {}", elapsed(), action.name));
    if (recent_.size() > kRecent) recent_.pop_front();
    action.run(hands_);
    wait(.1 * hands_.random.between(0, 5));
}

void Soak::observe() {
    clipboard_.serve();
    if (!session_.running())
        throw std::runtime_error(fmt::format("the program has ended: {}", session_.exitCode()));
    hands_.look();
    const json& status = hands_.status;
    if (status.empty()) return;
    if (status["time"] != lastTime_) lastFrame_ = Clock::now();
    lastTime_ = status["time"];
    if (off_) return;
    const double limit = options_.anyRate ? kLooseFrozenSeconds : kFrozenSeconds;
    if (since(lastFrame_) > limit)
        throw std::runtime_error(fmt::format("no frame for {:.0f} s", since(lastFrame_)));
    if (status["toast"].get<std::string>().find("has failed") != std::string::npos)
        throw std::runtime_error(status["toast"]);
    const auto rate = frames_.look(status);
    if (!rate || *rate >= kLeastRate || options_.anyRate) return;
    const auto newest = recent_.end() - std::min<std::ptrdiff_t>(std::ssize(recent_), kTold);
    fmt::print(
        "slow: {:.1f} a second {:.0f} s from the start, before action {}, after{}: {} {}x{} {}\n",
        *rate, elapsed(), number_, fmt::join(newest, recent_.end(), ","),
        status["scene"].get<std::string>(), status["window"][0].dump(), status["window"][1].dump(),
        describe(hands_.settings()));
}

void Soak::wait(double seconds) {
    const auto begin = Clock::now();
    do {
        observe();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (since(begin) < seconds);
}

void Soak::offScreen(bool off) {
    off_ = off;
    lastFrame_ = Clock::now();
    frames_.skip();
}

/// What still differs from the start, where memory is compared; empty: nothing.
std::string Soak::notAtHome() const {
    const json& s = hands_.status;
    for (const char* key : {"window", "panels", "paused", "tab"}) {
        if (s[key] != home_[key]) return key;
    }
    if (s["timeline"]["shown"] != home_["timeline"]["shown"]) return "timeline";
    if (s["drawn"].contains("panel.keys")) return "help";
    if (s["doing"] != "" || s["tour"] != -1) return "doing";
    for (const char* key : {"scene", "settings", "camera", "pinned", "view"}) {
        if (s[key] != home_[key]) return key;
    }
    if (s["why"]["busy"] || s["samples"] < 2) return "busy";
    return {};
}

/// Back to the start as a user gets there, so that samples of memory can be compared.
void Soak::goHome() {
    const auto began = Clock::now();
    recent_.push_back(fmt::format("{:7.1f} s home", elapsed()));
    std::string rest;
    do {
        if (since(began) > kHomeSeconds)
            throw std::runtime_error("no way back to the start: " + rest);
        rest = notAtHome();
        if (rest == "busy") {
        } else if (rest == "window") {
            session_.resize(kWidth, kHeight);
        } else if (rest == "panels") {
            hands_.keys("key Escape key Tab");
        } else if (rest == "paused") {
            hands_.keys("key Escape key space");
        } else if (rest == "timeline") {
            hands_.keys("key Escape key t");
        } else if (rest == "tab") {
            hands_.press("tab." + home_["tab"].get<std::string>());
        } else if (rest == "help" || rest == "doing") {
            hands_.keys("key Escape");
        } else if (!rest.empty()) {
            hands_.keys("key Escape");
            hands_.paste(homeText_);
        }
        wait(.4);
        rest = notAtHome();
    } while (!rest.empty());
    wait(kSettleSeconds);
    sampleMemory();
    deleteFiles();
}

/// From the start: the largest scene, and edits of it until no more are kept to be taken back. Else
/// memory would seem to grow where a run comes by there late for the first time.
void Soak::visitLargest() {
    recent_.push_back(fmt::format("{:7.1f} s largest", elapsed()));
    hands_.press("tab.scene");
    waitFor("the Scene tab", [this] { return hands_.status["drawn"].contains("scene.count"); });
    const json& count = hands_.status["drawn"]["scene.count"];  // a slider: its right end
    session_.act(fmt::format("mousemove {:.0f} {:.0f} sleep .1 mousedown 1 sleep .1 mouseup 1",
                             count[0].get<double>() + count[2].get<double>() - 2,
                             count[1].get<double>() + count[3].get<double>() / 2));
    hands_.press("button.fill");
    const auto spheres = [this] { return hands_.status["editor"]["spheres"].get<int>(); };
    waitFor("the largest scene", [&] { return spheres() == kMaxSpheres; });
    waitFor("edits of it", [&] {
        session_.act(fmt::format("mousemove {} {} sleep .1 click 1", kWidth / 2, kHeight / 2));
        wait(.2);
        hands_.press("button.delete");
        wait(kOneEditSeconds);
        return spheres() <= kMaxSpheres - kLargestEdits;
    });
}

void Soak::waitFor(const char* what, const std::function<bool()>& there) {
    const auto began = Clock::now();
    while (!there()) {
        if (since(began) > kHomeSeconds)
            throw std::runtime_error(fmt::format("no way to {}", what));
        wait(.1);
    }
}

void Soak::sampleMemory() {
    const json& memory = hands_.status["memory"];
    host_.push_back(memory["host"]);
    heap_.push_back(memory["heap"]);
    if (memory.contains("device")) device_.push_back(memory["device"]);
}

/// Pictures, traces and tables that were saved.
void Soak::deleteFiles() {
    for (const auto& entry : std::filesystem::directory_iterator(session_.folder())) {
        const std::string name = entry.path().filename().string();
        if (entry.is_regular_file() && name.starts_with("rayscope-"))
            std::filesystem::remove(entry.path());
    }
}

void Soak::end() {
    if (!session_.quit(SIGINT, kHomeSeconds))
        problems_.push_back("Ctrl-C does not end it with code 0");
    if (const std::string line = complaintIn(session_.output()); !line.empty())
        problems_.push_back("the program complains: " + line);
    if (!options_.anyRate && frames_.slowSeconds() > 0)
        problems_.push_back(fmt::format("{} of {} s had less than {:.0f} frames",
                                        frames_.slowSeconds(), frames_.seconds(), kLeastRate));
    if (options_.anyMemory) return;
    judge("host", host_);
    judge("device", device_);
}

void Soak::judge(const char* name, const std::vector<double>& samples) {
    const auto growth = growthOf(samples);
    if (growth && growth->grows())
        problems_.push_back(fmt::format(
            "{} memory grows: {:.0f} MB in the middle third, {:.0f} MB in the last, "
            "{:.0f} MB more are allowed",
            name, megabytes(growth->middle), megabytes(growth->last), megabytes(growth->allowed)));
}

void Soak::sayMinute() {
    if (elapsed() < 60. * (minutes_ + 1)) return;
    ++minutes_;
    fmt::print(
        "{:3} min: {} actions, {} frames, longest {:.0f} ms, lowest {:.1f} a second, {} of "
        "{} s below {:.0f}, host {:.0f} MB, heap {:.0f} MB{}\n",
        minutes_, done(), frames_.frames(), frames_.longestMs(), frames_.lowestRate(),
        frames_.slowSeconds(), frames_.seconds(), kLeastRate,
        host_.empty() ? 0 : megabytes(host_.back()), heap_.empty() ? 0 : megabytes(heap_.back()),
        device_.empty() ? "" : fmt::format(", device {:.0f} MB", megabytes(device_.back())));
}

void Soak::sayTable() const {
    fmt::print("\nactions       {} in {:.0f} s, seed {}\n", done(), elapsed(), options_.seed);
    for (const auto& [name, count] : counts_) fmt::print("  {:<11} {}\n", name, count);
    fmt::print("frames        {}, longest {:.0f} ms\n", frames_.frames(), frames_.longestMs());
    fmt::print("rate          lowest {:.1f} a second, {} of {} s below {:.0f}{}\n",
               frames_.lowestRate(), frames_.slowSeconds(), frames_.seconds(), kLeastRate,
               options_.anyRate ? " (not judged)" : "");
    for (const auto& [name, samples] :
         {std::pair{"host", &host_}, {"heap", &heap_}, {"device", &device_}}) {
        if (samples->empty()) continue;
        const std::size_t third = samples->size() / 3;
        fmt::print(
            "{:<6} memory {:.0f} MB at first, {:.0f} after a third, {:.0f} after two, {:.0f} "
            "at the end; {} samples{}\n",
            name, megabytes(samples->front()), megabytes((*samples)[third]),
            megabytes((*samples)[2 * third]), megabytes(samples->back()), samples->size(),
            options_.anyMemory || !growthOf(*samples) ? " (not judged)" : "");
    }
}

void Soak::sayFailure() const {
    for (const std::string& problem : problems_) fmt::print("FAILED: {}\n", problem);
    fmt::print("the last actions with seed {}:\n", options_.seed);
    for (const std::string& action : recent_) fmt::print("  {}\n", action);
    json status = hands_.status;
    status.erase("drawn");
    fmt::print("the last status: {}\nthe program's output:\n{}\n", status.dump(),
               session_.output());
}

int soak(int count, char** words) {
    Options options;
    CLI::App app("Random actions in the real window, in an X server of its own");
    app.add_option("program", options.program, "the program")->capture_default_str();
    app.add_option("--seconds", options.seconds, "how long")->capture_default_str();
    app.add_option("--seed", options.seed, "of the actions")->capture_default_str();
    app.add_option("--first", options.first, "action: some before one that a run has told of");
    app.add_option("--backend", options.backend, "to begin with; cuda: both are used")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->capture_default_str();
    app.add_option("--wrapper", options.wrapper, "words before the program's name");
    // Sanitizers are slow, and other programs may share the cores.
    app.add_flag("--any-rate", options.anyRate, "report frame rates without judging them");
    // AddressSanitizer keeps what was freed for a while, and shadow memory only grows.
    app.add_flag("--any-memory", options.anyMemory, "report memory without judging it");
    CLI11_PARSE(app, count, words);
    if (const std::string reason = Session::missing(); !reason.empty()) {
        fmt::print("skipped: {}\n", reason);
        return 77;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    setenv("MESA_DEBUG", "1", 0);  // Mesa then prints what OpenGL was used wrongly for
    return Soak(options).run() ? 0 : 1;
}

}  // namespace
}  // namespace rayscope::test

int main(int count, char** words) {
    return rayscope::test::soak(count, words);
}
