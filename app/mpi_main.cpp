// rayscope-mpi: the commands, whose work the ranks of mpirun share. It has no window, and so needs
// none of its libraries.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/keep.h"
#include "app/program.h"
#include "commit.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/run_program.h"
#include "renderer/base/say.h"
#include "renderer/base/version.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/mpi/mpi_team.h"

namespace rayscope {

int runView(const Options&, bool) {
    return refuse({2, "rayscope-mpi has no window: name a command (--help lists them)"});
}

int runView(LessonWish, const Options& window) {
    return runView(window, true);
}

namespace {

/// Set for programs that a rank starts, which are no ranks.
constexpr const char* kInside = "RAYSCOPE_INSIDE_RANK";

/// Of two ranks that are told to end, one may hear it a little later; one that is lost never
/// answers, and mpirun kills a second after it has told them.
bool patient() {
    constexpr double kPatienceMs = 300;
    static std::optional<Clock::time_point> told;
    if (goOn()) return true;
    if (!told) told = Clock::now();
    return millisecondsSince(*told) < kPatienceMs;
}

int runRanks(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // as runProgram() does: MPI makes files, too
    const std::unique_ptr<Team> ranks = makeMpiTeam();
    useTeam(*ranks);
    watchForInterrupt();
    if (!ranks->leads()) keepQuiet();
    int code = runProgram(argc, argv);
    const auto others = [](const std::string& sentence) { complain(sentence); };
    code = ranks->dismiss(code, complaints(), others, patient);
    std::fflush(stdout);
    if (!ranks->dismissed()) _exit(code);  // who is lost would be waited for
    return code;
}

}  // namespace

}  // namespace rayscope

int main(int argc, char** argv) {
    rayscope::builtFrom = {kCommit, kCleanTree};
    rayscope::endWithStarter();
    if (std::getenv(rayscope::kInside) != nullptr) return rayscope::runProgram(argc, argv);
    setenv(rayscope::kInside, "1", 1);
    return rayscope::runRanks(argc, argv);
}
