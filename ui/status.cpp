#include "ui/status.h"

#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

namespace rayscope {

namespace {

constexpr double kWriteSeconds = .05;
constexpr double kLongestSeconds = 1;

/// The second number of /proc/self/statm is the resident set, in pages; 0 where there is none.
double residentBytes() {
    std::ifstream file("/proc/self/statm");
    double all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// What malloc() has given out and not taken back; 0 where that is not known.
double heapBytes() {
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
#else
    return 0;
#endif
}

}  // namespace

StatusFile::StatusFile() {
    if (const char* path = std::getenv("RAYSCOPE_STATUS")) path_ = path;
}

void StatusFile::beginFrame(double now) {
    if (path_.empty()) return;
    frames_.push_back(now);
    while (frames_.size() > 2 && frames_[1] < now - kLongestSeconds) frames_.pop_front();
}

double StatusFile::longestFrameMs() const {
    double longest = 0;
    for (std::size_t i = 1; i < frames_.size(); ++i)
        longest = std::max(longest, frames_[i] - frames_[i - 1]);
    return longest * 1e3;
}

std::optional<double> StatusFile::deviceBytes(const std::string& pciBusId) {
    if (!std::exchange(gpuTried_, true) && !pciBusId.empty()) {
        auto opened = GpuSensors::open(pciBusId);
        if (opened) gpu_.emplace(*std::move(opened));
    }
    return gpu_ ? gpu_->usedBytes() : std::nullopt;
}

void StatusFile::write(nlohmann::json status, const std::string& pciBusId, double now) {
    next_ = now + kWriteSeconds;
    status.update({{"pid", getpid()},
                   {"time", now},
                   {"longest_frame_ms", longestFrameMs()},
                   {"memory", {{"host", residentBytes()}, {"heap", heapBytes()}}}});
    if (const auto bytes = deviceBytes(pciBusId)) status["memory"]["device"] = *bytes;
    const std::string part = path_ + ".part";
    std::ofstream file(part);
    file << status.dump();
    file.close();
    if (file) std::rename(part.c_str(), path_.c_str());
}

}  // namespace rayscope
