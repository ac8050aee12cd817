#include "ui/source_watch.h"

#include <fmt/format.h>

#include "renderer/code/compile_errors.h"

namespace rayscope {

namespace {

/// The renderer notices a change in its own next frame at the latest.
constexpr int kFrames = 2;

std::string failure(const std::string& log) {
    const std::vector<CompileError> errors = errorsIn(log);
    return fmt::format("{}: the last good kernel goes on",
                       errors.empty() ? "The kernel does not compile" : describe(errors.front()));
}

}  // namespace

std::optional<SourceWatch::News> SourceWatch::look(unsigned version, const KernelInfo& kernel) {
    if (version_ != version) {
        frames_ = version_ ? 1 : 0;
        version_ = version;
        return {};
    }
    if (frames_ == 0 || frames_++ < kFrames) return {};
    if (kernel.compileLog.empty() && !kernel.ready) return {};
    frames_ = 0;
    if (!kernel.compileLog.empty()) return News{failure(kernel.compileLog), true};
    return News{kernel.compileMs > 0
                    ? fmt::format("Kernel compiled again in {:.2g} s", kernel.compileMs / 1e3)
                    : "Kernel compiled again, as it was before"};
}

}  // namespace rayscope
