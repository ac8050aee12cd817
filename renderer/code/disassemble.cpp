#include "renderer/code/disassemble.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "renderer/backend/cubin_file.h"
#include "renderer/base/elapsed.h"
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

constexpr const char* kNoObjdump =
    "assembly needs a disassembler: install objdump (Debian's package binutils)";
/// An object of a few hundred kilobytes takes some tenths of a second.
constexpr double kMostHostMs = 30e3;

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

/// Of words that name the tool and what it is to do; the file follows.
Result<Disassembly> run(std::vector<std::string> words, const std::string& bytes,
                        const std::string& ending, const std::function<bool()>& goOn) {
    const std::string tool = fs::path(words[0]).filename().string();
    const TemporaryFile file(bytes, ending);
    if (!file.problem().empty())
        return Failure{fmt::format("no temporary file for {}: {}", tool, file.problem())};
    words.push_back(file.path());
    Result<ProgramOutput> ran = runProgram(words, kMaxOutput, goOn);
    if (!ran) return ran.failure();
    if (ran->stopped) return Failure{fmt::format("{} has been stopped", tool)};
    if (!WIFEXITED(ran->status) || WEXITSTATUS(ran->status) != 0)
        return Failure{fmt::format("{} failed: {}", tool, firstLine(ran->text))};
    return Disassembly{std::move(ran->text), tool};
}

Result<Disassembly> disassembleHost(const std::string& object, const std::function<bool()>& goOn) {
    const std::string path = findProgram("objdump", {});
    if (path.empty()) return Failure{kNoObjdump};
    const Clock::time_point start = Clock::now();
    return run({path, "--disassemble", "--section=.text", "--no-show-raw-insn", "--wide",
                "--disassembler-options=intel"},
               object, ".so",
               [&] { return millisecondsSince(start) < kMostHostMs && (!goOn || goOn()); });
}

}  // namespace

std::string disassembler() {
    for (const char* name : {"nvdisasm", "cuobjdump"}) {
        if (std::string path = findProgram(name, toolkitFolders()); !path.empty()) return path;
    }
    return {};
}

Result<Disassembly> disassemble(const std::string& code, const std::function<bool()>& goOn) {
    if (isHostObject(code)) return disassembleHost(code, goOn);
    const std::string path = disassembler();
    if (path.empty()) return Failure{kNone};
    const bool own = fs::path(path).filename() == "nvdisasm";
    return run({path, own ? "--print-code" : "--dump-sass"}, code, ".cubin", goOn);
}

}  // namespace rayscope
