#include "renderer/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace rayscope {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t npos = std::string::npos;

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, Close>;

std::string cannotWrite(const std::string& path, const std::string& reason) {
    return fmt::format("cannot write {}: {}", path, reason);
}

std::string lastError() {
    return std::strerror(errno);
}

/// Runs `write` and brings everything to the disk; the reason of a failure or an empty string.
std::string fill(Stream stream, const std::function<std::string(std::FILE*)>& write) {
    errno = 0;
    const std::string reason = write(stream.get());
    if (!reason.empty()) return reason;
    if (std::ferror(stream.get())) return errno != 0 ? lastError() : "the stream failed";
    if (std::fflush(stream.get()) != 0) return lastError();
    // pipes and devices cannot be synchronised, which is no failure
    if (fsync(fileno(stream.get())) != 0 && errno != EINVAL && errno != EROFS) return lastError();
    if (std::fclose(stream.release()) != 0) return lastError();
    return {};
}

/// A new file in the folder of the target, whose name a longer one than its own must not spoil; or
/// an empty string.
std::string makeTemporary(const fs::path& target, Stream& stream) {
    static std::atomic<unsigned> count{0};
    while (true) {  // a killed process with the same id may have left one
        const std::string name = fmt::format(".rayscope-{}-{}.tmp", getpid(), count++);
        const std::string path = (target.parent_path() / name).string();
        const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return {};
        stream.reset(fdopen(fd, "wb"));
        return path;
    }
}

/// Renames the file, without replacing a target that is to be kept; 0, or -1 and errno.
int giveName(const std::string& temporary, const std::string& target, Existing existing) {
    if (existing == Existing::replaced) return std::rename(temporary.c_str(), target.c_str());
    if (link(temporary.c_str(), target.c_str()) == 0) return unlink(temporary.c_str());
    std::error_code unknown;
    if (errno == EEXIST || fs::exists(target, unknown)) return -1;
    return std::rename(temporary.c_str(), target.c_str());  // a file system without hard links
}

std::string writeBeside(const std::string& path, const std::string& target,
                        const std::function<std::string(std::FILE*)>& write, Existing existing) {
    Stream stream;
    const std::string temporary = makeTemporary(target, stream);
    if (temporary.empty()) return cannotWrite(path, lastError());
    std::string reason = stream ? fill(std::move(stream), write) : lastError();
    if (reason.empty() && giveName(temporary, target, existing) != 0) reason = lastError();
    if (reason.empty()) return {};
    unlink(temporary.c_str());
    return cannotWrite(path, reason);
}

/// Where a chain of links leads, whether or not anything is there.
std::string behindLinks(const std::string& path) {
    constexpr int kMostLinks = 40;
    fs::path target = path;
    std::error_code error;
    for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(target, error)); ++i)
        target = target.parent_path() / fs::read_symlink(target, error);
    return target.string();
}

/// The descriptor that a name such as /dev/stdout or /proc/self/fd/3 stands for, or -1. Opening
/// such a name would truncate the file.
int descriptorOf(const std::string& path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
        const std::string number = path.starts_with(folder) ? path.substr(folder.size()) : "";
        if (!number.empty() && number.size() < 5 && number.find_first_not_of("0123456789") == npos)
            return std::stoi(number);
    }
    return -1;
}

}  // namespace

std::variant<FileBytes, std::string> readFile(const std::string& path, std::size_t limit) {
    // opened before it is looked at, so that it stays the same file; a pipe without a writer must
    // not hold the program
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return fmt::format("cannot read {}: {}", path, lastError());
    const Stream stream(fdopen(fd, "rb"));
    struct stat info {};
    if (!stream || fstat(fd, &info) != 0) {
        const std::string reason = lastError();
        if (!stream) close(fd);
        return fmt::format("cannot read {}: {}", path, reason);
    }
    if (!S_ISREG(info.st_mode))
        return fmt::format("cannot read {}: it is not a regular file", path);
    const std::size_t size = static_cast<std::size_t>(info.st_size);
    if (size > limit) {
        return fmt::format("cannot read {}: it has {} bytes, at most {} are accepted", path, size,
                           limit);
    }
    FileBytes file{std::string(size, '\0')};
    file.bytes.resize(std::fread(file.bytes.data(), 1, size, stream.get()));
    if (std::ferror(stream.get())) return fmt::format("cannot read {}: {}", path, lastError());
    return file;
}

std::string writeFile(const std::string& path,
                      const std::function<std::string(std::FILE* file)>& write, Existing existing) {
    struct stat info {};
    if (path.empty()) return "cannot write a file without a name";
    const int descriptor = descriptorOf(path);
    if (descriptor < 0 && stat(path.c_str(), &info) != 0) {
        if (errno != ENOENT) return cannotWrite(path, lastError());
        return writeBeside(path, behindLinks(path), write, existing);
    }
    if (S_ISDIR(info.st_mode)) return cannotWrite(path, "it is a folder");
    if (descriptor < 0 && access(path.c_str(), W_OK) != 0) return cannotWrite(path, lastError());
    if (S_ISREG(info.st_mode)) return writeBeside(path, behindLinks(path), write, existing);
    Stream stream(descriptor < 0 ? std::fopen(path.c_str(), "wbe")
                                 : fdopen(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "wb"));
    if (!stream) return cannotWrite(path, lastError());
    const std::string reason = fill(std::move(stream), write);
    return reason.empty() ? reason : cannotWrite(path, reason);
}

std::string writeTextFile(const std::string& path, std::string_view text, Existing existing) {
    const auto write = [&](std::FILE* file) {
        std::fwrite(text.data(), 1, text.size(), file);
        return std::string();
    };
    return writeFile(path, write, existing);
}

}  // namespace rayscope
