#include "renderer/base/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

extern char** environ;

namespace rayscope {

namespace {

constexpr int kPollMs = 100;

/// Tells a program that runProgram() starts by whom: a process's number.
constexpr char kStarter[] = "RAYSCOPE_STARTER";

std::vector<std::string> environmentOfChild() {
    std::vector<std::string> variables{fmt::format("{}={}", kStarter, getpid())};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (std::strncmp(*variable, kStarter, sizeof kStarter - 1) != 0)
            variables.emplace_back(*variable);
    }
    return variables;
}

std::vector<char*> argumentsOf(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return arguments;
}

Failure doesNotStart(const std::string& program, int error) {
    return {fmt::format("{} does not start: {}", program, std::strerror(error))};
}

/// Waits until the child exits; one that was told to end, and does not, is killed. As waitpid()
/// says.
int waitFor(pid_t child, bool told) {
    constexpr int kPatience = 20;  ///< times kPollMs
    int status = -1;
    for (int i = 0; told && i < kPatience; ++i) {
        if (waitpid(child, &status, WNOHANG) == child) {
            kill(-child, SIGKILL);  // what it has started and left
            return status;
        }
        poll(nullptr, 0, kPollMs);
    }
    if (told) kill(-child, SIGKILL);  // with what it has started
    waitpid(child, &status, 0);
    return status;
}

/// Reads until the child closes its output or has to end.
ProgramOutput collect(pid_t child, int pipe, std::size_t limit, const std::function<bool()>& goOn) {
    ProgramOutput output;
    char buffer[4096];
    while (output.text.size() < limit) {
        output.stopped = goOn && !goOn();
        if (output.stopped) break;
        pollfd ready{pipe, POLLIN, 0};
        if (poll(&ready, 1, kPollMs) <= 0) continue;
        const ssize_t n = ::read(pipe, buffer, sizeof buffer);
        if (n <= 0) break;
        output.text.append(buffer, static_cast<std::size_t>(n));
    }
    close(pipe);
    const bool told = output.stopped || output.text.size() >= limit;
    if (told) kill(-child, SIGTERM);
    output.status = waitFor(child, told);
    return output;
}

bool runnable(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<ProgramOutput> runProgram(const std::vector<std::string>& words, std::size_t limit,
                                 const std::function<bool()>& goOn) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return Failure{fmt::format("no pipe: {}", std::strerror(errno))};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawnattr_t attributes;  // own process group: Ctrl-C does not reach it, `goOn` ends it
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t child = -1;
    const std::vector<std::string> variables = environmentOfChild();
    const int error = posix_spawn(&child, words[0].c_str(), &actions, &attributes,
                                  argumentsOf(words).data(), argumentsOf(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return doesNotStart(words[0], error);
    }
    return collect(child, ends[0], limit, goOn);
}

void endWithStarter() {
    const char* const starter = std::getenv(kStarter);
    if (starter == nullptr) return;
    const pid_t number = std::atoi(starter);
    unsetenv(kStarter);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != number) prctl(PR_SET_PDEATHSIG, 0);  // somebody else has started this one
}

Result<void> startProgram(const std::vector<std::string>& words) {
    pid_t child = -1;
    const int error = posix_spawnp(&child, words[0].c_str(), nullptr, nullptr,
                                   argumentsOf(words).data(), environ);
    if (error != 0) return doesNotStart(words[0], error);
    std::thread([child] { waitpid(child, nullptr, 0); }).detach();
    return {};
}

Result<void> feedProgram(const std::vector<std::string>& words, const std::string& file) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, file.c_str(), O_RDONLY, 0);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int error = posix_spawn(&child, words[0].c_str(), &actions, nullptr,
                                  argumentsOf(words).data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return doesNotStart(words[0], error);
    int status = -1;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return Failure{fmt::format("{} has failed", words[0])};
}

std::string findProgram(const std::string& name, const std::vector<std::string>& folders) {
    std::vector<std::string> all;
    if (const char* path = std::getenv("PATH")) {
        std::istringstream parts(path);
        for (std::string folder; std::getline(parts, folder, ':');) {
            if (!folder.empty()) all.push_back(folder);
        }
    }
    all.insert(all.end(), folders.begin(), folders.end());
    for (const std::string& folder : all) {
        if (const std::string path = folder + "/" + name; runnable(path)) return path;
    }
    return {};
}

}  // namespace rayscope
