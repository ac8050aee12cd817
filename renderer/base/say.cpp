#include "renderer/base/say.h"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>

#include "renderer/base/reader.h"
#include "renderer/base/text.h"

namespace rayscope {

namespace {

/// What is kept until there is more, but for a terminal.
constexpr std::size_t kMostHeld = std::size_t{1} << 16;

std::atomic<bool> quiet{false};
std::mutex mutex;
std::string complained;  ///< under the mutex

/// Standard output. Its end, at the latest, writes what is held.
class Output {
public:
    ~Output() { flush(); }

    void add(std::string_view text) {
        const std::lock_guard lock(mutex_);
        if (error_ != 0) return;
        held_ += text;
        if (held_.size() > kMostHeld || isatty(STDOUT_FILENO) != 0) write();
    }
    int flush() {
        const std::lock_guard lock(mutex_);
        write();
        return error_;
    }

private:
    void write() {
        if (error_ == 0) error_ = writeToReader(STDOUT_FILENO, held_);
        held_.clear();
    }

    std::mutex mutex_;
    std::string held_;
    int error_ = 0;
};

Output& output() {
    static Output standard;
    return standard;
}

}  // namespace

void sayText(std::string_view text) {
    if (!quiet) output().add(text);
}

int flushSaid() {
    return output().flush();
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
    writeToReader(STDERR_FILENO, text);
}

void keepQuiet() {
    quiet = true;
}

std::string complaints() {
    const std::lock_guard lock(mutex);
    return complained;
}

}  // namespace rayscope
