#include "renderer/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "renderer/base/fresh_file.h"
#include "renderer/base/reader.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t npos = std::string::npos;

using Write = std::function<Result<void>(std::FILE*)>;

Failure cannotRead(const std::string& path, const std::string& reason) {
    return {fmt::format("cannot read {}: {}", path, reason)};
}

Failure cannotWrite(const std::string& path, const std::string& reason) {
    return {fmt::format("cannot write {}: {}", path, reason)};
}

std::string lastError() {
    return errorText(errno);
}

/// Runs `write` and brings everything to disk.
Result<void> fill(Stream stream, const Write& write) {
    errno = 0;
    if (const Result<void> written = write(stream.get()); !written) return written;
    if (std::ferror(stream.get())) return Failure{errno != 0 ? lastError() : "the stream failed"};
    if (std::fflush(stream.get()) != 0) return Failure{lastError()};
    // what has a reader has no descriptor here, and cannot be synchronised
    if (const int file = fileno(stream.get()); file >= 0 && fsync(file) != 0)
        return Failure{lastError()};
    if (std::fclose(stream.release()) != 0) return Failure{lastError()};
    return {};
}

Result<void> writeBeside(const std::string& path, const std::string& target, const Write& write,
                         Existing existing, Privacy privacy) {
    FreshFile file(target, privacy);
    if (!file.problem().empty()) return cannotWrite(path, file.problem());
    Stream stream = file.stream();
    Result<void> done = stream ? fill(std::move(stream), write) : Failure{lastError()};
    if (done) done = file.place(existing);
    return done ? done : cannotWrite(path, done.reason());
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

/// Whether the name stands for a regular file or one that is yet to be made, not for a device, a
/// pipe or a descriptor.
Result<bool> isFile(const std::string& path, int descriptor) {
    struct stat info {};
    if (path.empty()) return Failure{"cannot write a file without a name"};
    if (descriptor >= 0) return false;
    if (stat(path.c_str(), &info) != 0) {
        if (errno != ENOENT) return cannotWrite(path, lastError());
        return true;
    }
    if (S_ISDIR(info.st_mode)) return cannotWrite(path, "it is a folder");
    if (access(path.c_str(), W_OK) != 0) return cannotWrite(path, lastError());
    return S_ISREG(info.st_mode) != 0;
}

/// A regular file, or why there is none.
struct Opened {
    Stream stream;
    std::size_t size = 0;
    std::string problem;
};

Opened openToRead(const std::string& path) {
    // opened before fstat(), so that both mean the same file, and without waiting for the writer of
    // a pipe
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return {{}, 0, lastError()};
    Stream stream(fdopen(fd, "rb"));
    struct stat info {};
    if (!stream || fstat(fd, &info) != 0) {
        const std::string reason = lastError();
        if (!stream) close(fd);
        return {{}, 0, reason};
    }
    if (!S_ISREG(info.st_mode)) return {{}, 0, "it is not a regular file"};
    return {std::move(stream), static_cast<std::size_t>(info.st_size), {}};
}

}  // namespace

Result<std::string> readFile(const std::string& path, std::size_t limit,
                             const std::function<std::string(int descriptor)>& refused) {
    const Opened file = openToRead(path);
    if (!file.problem.empty()) return cannotRead(path, file.problem);
    if (refused) {
        const std::string reason = refused(fileno(file.stream.get()));
        if (!reason.empty()) return cannotRead(path, reason);
    }
    if (file.size > limit) {
        return cannotRead(
            path, fmt::format("it has {} bytes, at most {} are accepted", file.size, limit));
    }
    std::string bytes(file.size, '\0');
    bytes.resize(std::fread(bytes.data(), 1, file.size, file.stream.get()));
    if (std::ferror(file.stream.get())) return cannotRead(path, lastError());
    return bytes;
}

std::string readStart(const std::string& path, std::size_t most) {
    const Opened file = openToRead(path);
    std::string bytes(std::min(most, file.size), '\0');
    if (!bytes.empty()) bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.stream.get()));
    return bytes;
}

Result<void> writeFile(const std::string& path, const Write& write, Existing existing,
                       Privacy privacy) {
    const int descriptor = descriptorOf(path);
    const Result<bool> file = isFile(path, descriptor);
    if (!file) return file.failure();
    if (*file) return writeBeside(path, behindLinks(path), write, existing, privacy);
    Stream stream(streamToReader(descriptor < 0 ? openForReader(path)
                                                : fcntl(descriptor, F_DUPFD_CLOEXEC, 0)));
    if (!stream) return cannotWrite(path, lastError());
    const Result<void> done = fill(std::move(stream), write);
    return done ? done : cannotWrite(path, done.reason());
}

Result<void> canBeWritten(const std::string& path) {
    const Result<bool> file = isFile(path, descriptorOf(path));
    if (!file) return file.failure();
    if (!*file) return {};
    const FreshFile tried(behindLinks(path));
    return tried.problem().empty() ? Result<void>() : cannotWrite(path, tried.problem());
}

Result<void> writeTextFile(const std::string& path, std::string_view text, Existing existing,
                           Privacy privacy) {
    const auto write = [&](std::FILE* file) -> Result<void> {
        std::fwrite(text.data(), 1, text.size(), file);
        return {};
    };
    return writeFile(path, write, existing, privacy);
}

}  // namespace rayscope
