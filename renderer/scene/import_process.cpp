#include "renderer/scene/import_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "renderer/base/text.h"
#include "renderer/scene/import_protocol.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

/// Memory of the other process: what it is at the start, and some times what it reads.
constexpr std::size_t kImportMegabytes = 1024, kImportTimes = 48, kMostImportMegabytes = 16384;
/// It may compute so long, and for each megabyte of the file so much longer; twice that it may
/// take where other programs compute as well.
constexpr std::size_t kImportSeconds = 20, kImportSecondsPerMegabyte = 2;

/// A file in memory, or none.
class ImportMemory {
public:
    explicit ImportMemory(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {}
    ~ImportMemory() {
        if (file_ >= 0) close(file_);
    }
    ImportMemory(const ImportMemory&) = delete;
    ImportMemory& operator=(const ImportMemory&) = delete;

    int file() const { return file_; }
    bool fill(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t written = write(file_, bytes.data(), bytes.size());
            if (written <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }
    std::string contents() const {
        struct stat status {};
        if (fstat(file_, &status) != 0) return {};
        std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
        std::size_t at = 0;
        while (at < bytes.size()) {
            const ssize_t got =
                pread(file_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
            if (got <= 0) break;
            at += static_cast<std::size_t>(got);
        }
        bytes.resize(at);
        return bytes;
    }

private:
    int file_;
};

/// Beside this program, or, of tests, a folder above. Empty: it is not there.
std::string importerPath() {
    std::error_code unknown;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    for (const fs::path& path :
         {folder / "rayscope-import", folder.parent_path() / "rayscope-import"}) {
        if (access(path.c_str(), X_OK) == 0) return path.string();
    }
    return {};
}

/// Starts it; -1: that failed.
pid_t startImporter(std::vector<std::string> words, int file, int result) {
    // above those that it gets, so that none is overwritten
    const int from[] = {fcntl(file, F_DUPFD_CLOEXEC, kImportResult + 1),
                        fcntl(result, F_DUPFD_CLOEXEC, kImportResult + 1)};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, from[0], kImportFile);
    posix_spawn_file_actions_adddup2(&actions, from[1], kImportResult);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    char* none = nullptr;
    pid_t process = -1;
    if (posix_spawn(&process, words[0].c_str(), &actions, nullptr, pointers.data(), &none) != 0)
        process = -1;
    posix_spawn_file_actions_destroy(&actions);
    for (const int descriptor : from) close(descriptor);
    return process;
}

/// Its status as waitpid() says. It is killed after so many seconds.
int endOf(pid_t process, std::size_t seconds) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::seconds(seconds);
    auto pause = std::chrono::microseconds(200);
    int status = 0;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (Clock::now() > until) {
            kill(process, SIGKILL);
            waitpid(process, &status, 0);
            return SIGXCPU;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(10'000));
    }
    return status;
}

std::string reasonOfEnd(int status, const std::string& result, std::size_t seconds) {
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        if (number == SIGXCPU || number == SIGKILL)
            return fmt::format("assimp, which reads it, was stopped after {} s", seconds);
        if (number == SIGSYS)
            return "assimp, which reads it, was stopped: it made a system call that is not allowed";
        if (number == SIGXFSZ) return "the result of assimp, which reads it, is too large";
        return fmt::format("assimp, which reads it, crashed: {}",
                           sigabbrev_np(number) ? sigabbrev_np(number) : "signal");
    }
    switch (WEXITSTATUS(status)) {
        case kImportNoMemory:
            return "there is not enough memory for it";
        case kImportLarge:
            return "the result of assimp, which reads it, is too large";
        default:
            return fmt::format(
                "it cannot be read (assimp): {}",
                result.empty() ? "it gave no reason" : printable(shortened(result, 200)));
    }
}

}  // namespace

Result<std::string> importedBytes(std::string_view bytes, const std::string& ending) {
    const std::string path = importerPath();
    if (path.empty())
        return Failure{fmt::format(
            "{} files are read by rayscope-import, which is not beside this program: install "
            "libassimp-dev and build again",
            ending)};
    const ImportMemory file("model"), result("mesh");
    if (!file.fill(bytes) || result.file() < 0) return Failure{"there is not enough memory for it"};
    const std::size_t size = bytes.size() >> 20;
    const std::size_t megabytes =
        std::min(kImportMegabytes + kImportTimes * size, kMostImportMegabytes);
    const std::size_t seconds = kImportSeconds + kImportSecondsPerMegabyte * size;
    const pid_t process =
        startImporter({path, ending.substr(1), std::to_string(megabytes), std::to_string(seconds)},
                      file.file(), result.file());
    if (process < 0)
        return Failure{fmt::format("rayscope-import does not start: {}", std::strerror(errno))};
    const int status = endOf(process, 2 * seconds);
    std::string made = result.contents();
    if (status != 0) return Failure{reasonOfEnd(status, made, seconds)};
    return made;
}

}  // namespace rayscope
