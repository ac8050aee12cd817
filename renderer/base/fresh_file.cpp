#include "renderer/base/fresh_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "renderer/base/hash.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirst = ".rayscope-", kLast = ".tmp";
/// After which a file of another machine's program counts as left.
constexpr std::time_t kAbandonedSeconds = 86400;

std::string reasonOf(int error) {
    return std::strerror(error);
}

/// Of this machine and its processes' numbers: containers and other machines share folders.
std::string machineName() {
    std::array<char, HOST_NAME_MAX + 1> host{};
    gethostname(host.data(), host.size() - 1);
    std::error_code unknown;
    const std::string numbers = fs::read_symlink("/proc/self/ns/pid", unknown).string();
    return fmt::format("{:08x}", fnv1a(host.data() + numbers) & 0xFFFFFFFFu);
}

/// ".rayscope-MACHINE-PROCESS-N.tmp": short, as one made from the target's name could be longer
/// than the file system allows.
std::string nameOfNext() {
    static std::atomic<unsigned> count{0};
    return fmt::format("{}{}-{}-{}{}", kFirst, machineName(), getpid(), count++, kLast);
}

/// Whether a file of such a name is nobody's any more.
bool isLeft(const fs::path& path) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid())
        return false;
    if (std::time(nullptr) - info.st_mtime > kAbandonedSeconds) return true;
    const std::string name = path.filename().string();
    const std::string mine = std::string(kFirst) + machineName() + "-";
    if (!name.starts_with(mine)) return false;
    pid_t process = 0;
    std::from_chars(name.data() + mine.size(), name.data() + name.size(), process);
    return process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

/// What killed programs have left; looked for once in each folder.
void removeLeft(const std::string& folder) {
    static std::mutex mutex;
    static std::set<std::string> seen;
    const std::lock_guard lock(mutex);
    if (!seen.insert(folder).second) return;
    std::error_code error;
    for (fs::directory_iterator e(folder, error), end; !error && e != end; e.increment(error)) {
        const std::string name = e->path().filename().string();
        if (!name.starts_with(kFirst) || !name.ends_with(kLast)) continue;
        std::error_code gone;
        if (isLeft(e->path())) fs::remove(e->path(), gone);
    }
}

/// Gives the file the mode and the owner of the one that it replaces; false where that may not be.
bool takeAttributes(int descriptor, const struct stat& old, Privacy privacy) {
    struct stat now {};
    if (fstat(descriptor, &now) != 0) return false;
    const bool others = now.st_uid != old.st_uid || now.st_gid != old.st_gid;
    if (others && fchown(descriptor, old.st_uid, old.st_gid) != 0) return false;
    const mode_t taken = privacy == Privacy::own ? S_IWGRP | S_IWOTH : 0;
    return fchmod(descriptor, old.st_mode & 07777 & ~taken) == 0;
}

}  // namespace

FreshFile::FreshFile(std::string target, Privacy privacy)
    : target_(std::move(target)), privacy_(privacy) {
    const fs::path parent = fs::path(target_).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    std::error_code unknown;
    if (!fs::exists(folder, unknown)) {
        problem_ = fmt::format("there is no folder {}", folder);
        return;
    }
    removeLeft(folder);
    const mode_t mode = privacy == Privacy::own ? 0600 : 0666;
    descriptor_ = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    // EISDIR: a kernel that does not know it; the others: a file system that does not
    if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        openNamed(folder);
    else if (descriptor_ < 0)
        problem_ = reasonOf(errno);
}

FreshFile::~FreshFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!name_.empty()) unlink(name_.c_str());
}

void FreshFile::openNamed(const std::string& folder) {
    const mode_t mode = privacy_ == Privacy::own ? 0600 : 0666;
    while (true) {  // a killed process with the same number may have left one
        const std::string path = (fs::path(folder) / nameOfNext()).string();
        descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor_ < 0 && errno == EEXIST) continue;
        descriptor_ < 0 ? problem_ = reasonOf(errno) : name_ = path;
        return;
    }
}

Stream FreshFile::stream() {
    const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    Stream stream(copy < 0 ? nullptr : fdopen(copy, "wb"));
    if (!stream && copy >= 0) close(copy);
    return stream;
}

/// To be renamed in the next moment.
Result<void> FreshFile::giveName() {
    if (!name_.empty()) return {};
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    while (true) {
        const std::string path = (fs::path(target_).parent_path() / nameOfNext()).string();
        if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            name_ = path;
            return {};
        }
        if (errno != EEXIST) return Failure{reasonOf(errno)};
    }
}

/// Of a file that has several names, or whose owner only it can have: its bytes are replaced.
Result<void> FreshFile::copyInto(const std::string& target) const {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    const int from = open(self.c_str(), O_RDONLY | O_CLOEXEC);
    const int to = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    std::array<char, 1 << 16> bytes;
    off_t size = 0;
    bool good = from >= 0 && to >= 0;
    while (good) {
        const ssize_t n = read(from, bytes.data(), bytes.size());
        if (n == 0) break;
        for (ssize_t done = 0; good && done < n;) {
            const ssize_t written =
                write(to, bytes.data() + done, static_cast<std::size_t>(n - done));
            good = written >= 0 || errno == EINTR;
            if (written > 0) done += written;
        }
        good = good && n > 0;
        size += n;
    }
    good = good && ftruncate(to, size) == 0 && fsync(to) == 0;
    const int error = errno;
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    return good ? Result<void>() : Failure{reasonOf(error)};
}

Result<void> FreshFile::place(Existing existing) {
    struct stat old {};
    const bool there = stat(target_.c_str(), &old) == 0;
    if (existing == Existing::kept) {
        const std::string from =
            name_.empty() ? fmt::format("/proc/self/fd/{}", descriptor_) : name_;
        if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0)
            return {};
        if (errno == EEXIST || there) return Failure{reasonOf(EEXIST)};
        // a file system without hard links
    } else if (there && (old.st_nlink > 1 || !takeAttributes(descriptor_, old, privacy_))) {
        return copyInto(target_);
    }
    if (const auto named = giveName(); !named) return named;
    if (std::rename(name_.c_str(), target_.c_str()) != 0) return Failure{reasonOf(errno)};
    name_.clear();
    return {};
}

}  // namespace rayscope
