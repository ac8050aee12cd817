#include "renderer/base/say.h"

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "renderer/base/text.h"

namespace rayscope {

namespace {

std::atomic<int> firstError{0};

void note(bool failed) {
    int none = 0;
    if (failed) firstError.compare_exchange_strong(none, errno != 0 ? errno : EIO);
}

}  // namespace

void sayText(std::string_view text) {
    errno = 0;
    note(std::fwrite(text.data(), 1, text.size(), stdout) != text.size());
}

int flushSaid() {
    errno = 0;
    note(std::fflush(stdout) != 0 || std::ferror(stdout) != 0);
    return firstError;
}

void complain(std::string_view sentence) {
    // a compiler's log has several lines
    const std::string text = fmt::format("rayscope: {}\n", printable(sentence, "\n\t"));
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace rayscope
