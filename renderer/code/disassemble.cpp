#include "renderer/code/disassemble.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "renderer/base/run_program.h"
#include "renderer/base/temporary_file.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// At about 100 bytes per instruction, a kernel of half a million instructions.
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

constexpr const char* kNone =
    "SASS needs a disassembler: install NVIDIA's package cuda-nvdisasm or Debian's "
    "nvidia-cuda-toolkit, or set CUDA_HOME to a toolkit that has nvdisasm";

#ifndef RAYSCOPE_CUDA_BIN_DIR
#define RAYSCOPE_CUDA_BIN_DIR "/usr/local/cuda/bin"
#endif

std::vector<std::string> toolkitFolders() {
    std::vector<std::string> folders;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* home = std::getenv(name)) folders.push_back(std::string(home) + "/bin");
    }
    folders.push_back(RAYSCOPE_CUDA_BIN_DIR);
    folders.push_back("/usr/local/cuda/bin");
    return folders;
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

std::string disassembler() {
    for (const char* name : {"nvdisasm", "cuobjdump"}) {
        if (std::string path = findProgram(name, toolkitFolders()); !path.empty()) return path;
    }
    return {};
}

Result<Disassembly> disassemble(const std::string& cubin, const std::function<bool()>& goOn) {
    const std::string path = disassembler();
    if (path.empty()) return Failure{kNone};
    const std::string tool = fs::path(path).filename().string();
    const TemporaryFile file(cubin, ".cubin");
    if (!file.problem().empty())
        return Failure{fmt::format("no temporary file for {}: {}", tool, file.problem())};
    const char* wish = tool == "nvdisasm" ? "--print-code" : "--dump-sass";
    Result<ProgramOutput> ran = runProgram({path, wish, file.path()}, kMaxOutput, goOn);
    if (!ran) return ran.failure();
    if (ran->stopped) return Failure{fmt::format("{} has been stopped", tool)};
    if (!WIFEXITED(ran->status) || WEXITSTATUS(ran->status) != 0)
        return Failure{fmt::format("{} failed: {}", tool, firstLine(ran->text))};
    return Disassembly{std::move(ran->text), tool};
}

}  // namespace rayscope
