#include "renderer/files.h"

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

std::string writeBeside(const std::string& path, const std::string& target,
                        const std::function<std::string(std::FILE*)>& write) {
    static std::atomic<unsigned> count{0};
    const std::string temporary = fmt::format("{}.{}-{}.tmp", target, getpid(), count++);
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return cannotWrite(path, lastError());
    Stream stream(fdopen(fd, "wb"));
    std::string reason = stream ? fill(std::move(stream), write) : lastError();
    if (reason.empty() && std::rename(temporary.c_str(), target.c_str()) != 0) reason = lastError();
    if (reason.empty()) return {};
    unlink(temporary.c_str());
    return cannotWrite(path, reason);
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
                      const std::function<std::string(std::FILE* file)>& write) {
    struct stat info {};
    if (path.empty()) return "cannot write a file without a name";
    if (stat(path.c_str(), &info) != 0) {
        if (errno != ENOENT) return cannotWrite(path, lastError());
        return writeBeside(path, path, write);
    }
    if (S_ISDIR(info.st_mode)) return cannotWrite(path, "it is a folder");
    if (access(path.c_str(), W_OK) != 0) return cannotWrite(path, lastError());
    if (S_ISREG(info.st_mode)) {  // through links, which stay links
        std::error_code error;
        const std::string target = std::filesystem::canonical(path, error).string();
        return writeBeside(path, error ? path : target, write);
    }
    Stream stream(std::fopen(path.c_str(), "wbe"));
    if (!stream) return cannotWrite(path, lastError());
    const std::string reason = fill(std::move(stream), write);
    return reason.empty() ? reason : cannotWrite(path, reason);
}

std::string writeTextFile(const std::string& path, std::string_view text) {
    return writeFile(path, [&](std::FILE* file) {
        std::fwrite(text.data(), 1, text.size(), file);
        return std::string();
    });
}

}  // namespace rayscope
