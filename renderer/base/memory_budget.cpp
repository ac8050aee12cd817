#include "renderer/base/memory_budget.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace rayscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::size_t without(std::size_t all, std::size_t part) {
    return all > part ? all - part : 0;
}

/// The number after a word at the start of a line; kUnlimited if there is none. /proc/meminfo and
/// memory.stat are such files.
std::size_t numberAfter(const fs::path& path, std::string_view word) {
    std::ifstream file(path);
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(word)) continue;
        if (std::istringstream(line.substr(word.size())) >> number) return number;
    }
    return kUnlimited;
}

/// What the process's pages take, and its address space: /proc/self/statm, proc(5).
struct Pages {
    std::size_t resident = 0, mapped = 0;  ///< bytes
};
Pages pagesOfProcess() {
    std::ifstream file("/proc/self/statm");
    Pages pages;
    if (!(file >> pages.mapped >> pages.resident)) return {};
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return {pages.resident * size, pages.mapped * size};
}

/// What a control group leaves; file pages that it could drop count as free.
std::size_t leftInGroup(const fs::path& group) {
    const std::size_t most = numberAfter(group / "memory.max", "");
    const std::size_t now = numberAfter(group / "memory.current", "");
    if (most == kUnlimited || now == kUnlimited) return kUnlimited;
    const std::size_t files = numberAfter(group / "memory.stat", "inactive_file ");
    return without(most, without(now, files == kUnlimited ? 0 : files));
}

std::size_t leftInGroups() {
    std::ifstream file("/proc/self/cgroup");
    std::string line;
    while (std::getline(file, line) && !line.starts_with("0::/")) {
    }
    if (!file) return kUnlimited;
    const fs::path root = "/sys/fs/cgroup";
    std::size_t left = kUnlimited;
    for (fs::path group = root / line.substr(4); group != root && group.has_relative_path();
         group = group.parent_path())
        left = std::min(left, leftInGroup(group));
    return std::min(left, leftInGroup(root));  // a container's own
}

std::size_t leftOfAddresses(std::size_t mapped) {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
    return without(limit.rlim_cur, mapped);
}

}  // namespace

std::size_t availableMemory() {
    const std::size_t kilobytes = numberAfter("/proc/meminfo", "MemAvailable:");
    const std::size_t system = kilobytes == kUnlimited ? kUnlimited : kilobytes * 1024;
    return std::min({system, leftInGroups(), leftOfAddresses(pagesOfProcess().mapped)});
}

std::string bytesText(std::size_t bytes) {
    constexpr std::array<std::string_view, 5> kUnits{"bytes", "kB", "MB", "GB", "TB"};
    if (bytes < 1000) return fmt::format("{} bytes", bytes);
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
    return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

Result<std::size_t> bytesFrom(const std::string& text) {
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    const std::string_view unit(end, last);
    double scale = 0;
    for (const auto& [name, bytes] : {std::pair{"", 1.}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}) {
        if (unit == name) scale = bytes;
    }
    if (error != std::errc() || scale == 0 || !(value * scale >= 1 && value * scale < 1e18))
        return Failure{
            fmt::format("'{}' is no size of memory: write 500M or 8G, in powers of 1000", text)};
    return static_cast<std::size_t>(value * scale);
}

MemoryBudget& MemoryBudget::common() {
    static MemoryBudget budget;
    return budget;
}

std::size_t MemoryBudget::limit() {
    if (!known_.exchange(true)) {
        taken_ = pagesOfProcess().resident;
        const std::size_t all = availableMemory();
        std::size_t unset = 0;
        if (all != kUnlimited)
            limit_.compare_exchange_strong(unset, std::max<std::size_t>(all / 2, 1));
    }
    return limit_ != 0 ? limit_.load() : kUnlimited;
}

std::size_t MemoryBudget::left() {
    const std::size_t most = limit();
    const std::size_t taken = without(pagesOfProcess().resident, taken_);
    return std::min(without(most, taken), availableMemory());
}

Result<void> MemoryBudget::check(std::size_t bytes, const std::string& what) {
    const std::size_t most = left();
    if (bytes <= most) return {};
    return Failure{fmt::format("{} needs {} of memory, but {} may be used: --memory allows more",
                               what, bytesText(bytes), bytesText(most))};
}

}  // namespace rayscope
