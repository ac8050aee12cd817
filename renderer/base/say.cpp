#include "renderer/base/say.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>

#include "renderer/base/text.h"

namespace rayscope {

namespace {

std::atomic<int> firstError{0};
std::atomic<bool> quiet{false};
std::mutex mutex;
std::string complained;  ///< under the mutex

void note(bool failed) {
    int none = 0;
    if (failed) firstError.compare_exchange_strong(none, errno != 0 ? errno : EIO);
}

}  // namespace

void sayText(std::string_view text) {
    if (quiet) return;
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
    const std::string shown = printable(sentence, "\n\t");
    {
        const std::lock_guard lock(mutex);
        complained += shown + "\n";
    }
    if (quiet) return;
    const std::string text = fmt::format("rayscope: {}\n", shown);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void keepQuiet() {
    quiet = true;
}

std::string complaints() {
    const std::lock_guard lock(mutex);
    return complained;
}

}  // namespace rayscope
