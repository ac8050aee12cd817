#include "app/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "renderer/backend/kernel_isolation.h"
#include "renderer/base/reader.h"
#include "renderer/base/say.h"

namespace rayscope {

/// The exit code: at least 1 if not all of standard output could be written.
static int finish(int code) {
    const int error = flushSaid();
    if (error == 0) return code;
    if (error != EPIPE) {  // a reader that has gone knows
        complain(fmt::format("cannot write standard output: {}", errorText(error)));
    }
    return code != 0 ? code : 1;
}

/// What other processes of this program compile and try is none of the command line's business.
static int run(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const std::string first = words.empty() ? std::string() : words.front();
    if (words.size() == 3 && first == kBuildKernelCommand) return buildKernel(words[1], words[2]);
    if (words.size() == 3 && first == kRunKernelCommand) runKernelApart(words[1], words[2]);
    runEditedKernelsBy("/proc/self/exe");
    endEditedKernelsWhen(interrupted);
    if (first == kTryKernelsCommand) {
        endWithParent();
        argv[1] = argv[0];
        return runCommandLine(argc - 1, argv + 1);
    }
    // render may end as its kernel does
    if (first != "render") isolateEditedKernels("/proc/self/exe");
    return runCommandLine(argc, argv);
}

/// Memory may run out in a destructor too, where an exception ends the program: JSON takes some
/// to free its own.
[[noreturn]] static void giveUp() {
    try {
        if (const std::exception_ptr error = std::current_exception())
            std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        constexpr std::string_view kSentence = "rayscope: there is not enough memory\n";
        [[maybe_unused]] const auto n = write(STDERR_FILENO, kSentence.data(), kSentence.size());
        _exit(1);
    } catch (...) {
    }
    std::abort();
}

int runProgram(int argc, char** argv) {
    // a file that grows too large (ulimit -f) fails like one on a full disk
    std::signal(SIGXFSZ, SIG_IGN);
    std::set_terminate(giveUp);
    // if a standard stream is closed, no file opened later may take its place; writing still fails
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY);
    }
    try {
        return finish(run(argc, argv));
    } catch (const std::bad_alloc&) {
        return finish(refuse({1, "there is not enough memory"}));
    } catch (const std::exception& error) {
        return finish(refuse({1, error.what()}));
    }
}

}  // namespace rayscope
