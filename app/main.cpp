#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "app/commands.h"
#include "app/program.h"
#include "commit.h"
#include "renderer/base/run_program.h"
#include "renderer/base/version.h"

namespace rayscope {

/// If mpirun has started this program, the one beside it that knows MPI takes its place. Returns an
/// exit code where several processes would do the same work.
static int handOver(char** argv) {
    const char* const count = std::getenv("OMPI_COMM_WORLD_SIZE");
    const int ranks = count != nullptr ? std::atoi(count) : 0;
    if (ranks < 2) return 0;
    std::error_code unknown;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const std::string other = (self.parent_path() / "rayscope-mpi").string();
    execv(other.c_str(), argv);
    return refuse(
        {1, fmt::format("mpirun has started {} of this program, which would all do the same "
                        "work, and {} is missing, which shares it: install libopenmpi-dev "
                        "and build again",
                        ranks, other)});
}

}  // namespace rayscope

int main(int argc, char** argv) {
    if (const int code = rayscope::handOver(argv); code != 0) return code;
    rayscope::endWithStarter();
    rayscope::builtFrom = {kCommit, kCleanTree};
    return rayscope::runProgram(argc, argv);
}
