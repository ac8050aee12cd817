#include "tests/viewer_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <png.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace rayscope::test {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void pause(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string readText(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool found(const char* program) {
    return std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) == 0;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const std::string& output,
                 const std::vector<std::string>& environment) {
    id_ = fork();
    if (id_ != 0) return;
    ::signal(SIGINT, SIG_DFL);  // a job in the background ignores it, and so would the window
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(file, 1);
    dup2(file, 2);
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    std::vector<char*> words;
    for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
}

Process::~Process() {
    if (!running()) return;
    kill(id_, SIGTERM);
    if (wait(5) >= 0) return;
    kill(id_, SIGKILL);
    wait(5);
}

void Process::signal(int number) {
    kill(id_, number);
}

bool Process::running() {
    return wait(0) < 0;
}

int Process::wait(double seconds) {
    const auto start = Clock::now();
    while (code_ < 0) {
        int status = 0;
        if (waitpid(id_, &status, WNOHANG) == id_) {
            code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        } else if (secondsSince(start) >= seconds) {
            break;
        } else {
            pause(.002);
        }
    }
    return code_;
}

Pixels readPng(const std::string& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return {};
    image.format = PNG_FORMAT_RGB;
    Pixels pixels{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    pixels.rgb.resize(PNG_IMAGE_SIZE(image));
    if (png_image_finish_read(&image, nullptr, pixels.rgb.data(), 0, nullptr) == 0) return {};
    return pixels;
}

std::vector<double> blockMeans(const Pixels& pixels, int block) {
    std::vector<double> means;
    for (int y = 0; y + block <= pixels.height; y += block) {
        for (int x = 0; x + block <= pixels.width; x += block) {
            double sum = 0;
            for (int row = y; row < y + block; ++row) {
                const size_t first = (static_cast<size_t>(row) * pixels.width + x) * 3;
                for (int i = 0; i < block * 3; ++i) sum += pixels.rgb[first + i];
            }
            means.push_back(sum / (block * block * 3));
        }
    }
    return means;
}

double meanDifference(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size() || a.empty()) return INFINITY;
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
    return sum / static_cast<double>(a.size());
}

std::string Session::missing() {
    if (!VirtualDisplay::available()) return "Xvfb is not installed (package xvfb)";
    if (!found("xdotool")) return "xdotool is not installed (package xdotool)";
    return {};
}

Session::Session(const std::vector<std::string>& arguments, int width, int height,
                 std::vector<std::string> program)
    : size_(fmt::format("{}x{}", width, height)), words_(std::move(program)) {
    std::string pattern = fs::temp_directory_path() / "rayscope-viewer-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    start(arguments);
}

Session::~Session() {
    program_.reset();
    std::error_code error;
    fs::remove_all(folder_, error);
    fs::remove(statusFile(), error);
}

void Session::start(const std::vector<std::string>& arguments) {
    std::error_code error;
    fs::remove(statusFile(), error);
    // The program writes its screenshots into the current folder.
    std::vector<std::string> words{"env", "-C", folder_};
    words.insert(words.end(), words_.begin(), words_.end());
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (std::find(arguments.begin(), arguments.end(), "--size") == arguments.end()) {
        words.insert(words.end(), {"--size", size_});
    }
    program_ = std::make_unique<Process>(
        words, folder_ + "/program.log",
        std::vector<std::string>{"DISPLAY=" + display(), "XDG_STATE_HOME=" + folder_ + "/state",
                                 "RAYSCOPE_STATUS=" + statusFile(), withoutLeakCheck()});
}

/// Written in every frame, so in memory where there is a folder for that: a disk that is busy would
/// hold the window up.
std::string Session::statusFile() const {
    const std::string memory = "/dev/shm";
    if (access(memory.c_str(), W_OK) != 0) return folder_ + "/status.json";
    return memory + "/" + fs::path(folder_).filename().string() + ".json";
}

std::string withoutLeakCheck() {
    const char* asan = std::getenv("ASAN_OPTIONS");
    return fmt::format("ASAN_OPTIONS={}:detect_leaks=0", asan != nullptr ? asan : "");
}

bool Session::quit(int number, double seconds) {
    // It may run under another program, which need not pass the signal on.
    const pid_t id = status().value("pid", 0);
    id > 0 ? void(kill(id, number)) : program_->signal(number);
    return program_->wait(seconds) == 0;
}

void Session::restart(const std::vector<std::string>& arguments) {
    program_.reset();
    start(arguments);
}

nlohmann::json setting(const nlohmann::json& status, const char* axis) {
    return status.at("settings").value(axis, nlohmann::json());
}

nlohmann::json Session::status() {
    const auto json = nlohmann::json::parse(readText(statusFile()), nullptr, false);
    return json.is_object() ? json : nlohmann::json::object();
}

bool Session::waitFor(const std::function<bool(const nlohmann::json&)>& condition, double seconds) {
    const auto start = Clock::now();
    while (secondsSince(start) < seconds && program_->running()) {
        const nlohmann::json now = status();
        if (!now.empty() && condition(now)) return true;
        pause(.005);
    }
    return false;
}

std::string Session::output() const {
    return readText(folder_ + "/program.log");
}

void Session::act(const std::string& words) {
    const std::string command = fmt::format("DISPLAY={} xdotool {} 2>/dev/null", display(), words);
    if (std::system(command.c_str()) != 0) fmt::print(stderr, "failed: {}\n", command);
}

void Session::moveTo(const std::string& name) {
    const nlohmann::json drawn = status()["drawn"];
    if (!drawn.contains(name)) return;
    const nlohmann::json& rect = drawn[name];
    act(fmt::format("mousemove {:.0f} {:.0f}", rect[0].get<double>() + rect[2].get<double>() / 2,
                    rect[1].get<double>() + rect[3].get<double>() / 2));
}

void Session::waitForFrames() {
    const long frame = status().value("frame", 0L);
    waitFor([&](const auto& s) { return s["frame"] >= frame + 2; });
}

bool Session::click(const std::string& name) {
    // A list that opens finds its place in the first frames.
    nlohmann::json before;
    long frameBefore = -1;
    const auto still = [&](const auto& s) {
        if (!s["drawn"].contains(name)) return false;
        const nlohmann::json now = s["drawn"][name];
        const bool same = now == before && s["frame"] > frameBefore;
        if (now != before) frameBefore = s["frame"];
        before = now;
        return same;
    };
    if (!waitFor(still)) return false;
    moveTo(name);
    // A frame must pass between arriving, pressing and letting go, as it does for a hand.
    waitForFrames();
    act("mousedown 1");
    waitForFrames();
    act("mouseup 1");
    waitForFrames();
    return true;
}

std::string Session::screenshot(const std::string& key) {
    const std::string before = status().value("screenshot", "");
    act("key " + key);
    waitFor([&](const auto& s) { return s["screenshot"] != before; });
    const std::string after = status().value("screenshot", "");
    return after != before ? after : "";
}

void Session::resize(int width, int height) {
    act(fmt::format("search --name Rayscope windowsize {} {}", width, height));
}

}  // namespace rayscope::test
