#include "renderer/compile/host_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>

#include "renderer/base/elapsed.h"
#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/base/text.h"
#include "renderer/compile/cache.h"
#include "renderer/compile/cache_entry.h"
#include "renderer/compile/header_cache.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// The slowest kernel of ours compiles in some 10 s on one slow core, in less than 1 GiB.
constexpr int kCompileSeconds = 60;
constexpr long long kCompilerBytes = 4ll << 30;
constexpr std::size_t kMaxLog = std::size_t{64} << 10;

constexpr const char* kNames[] = {"g++", "clang++"};

/// A compiler on this machine.
struct Found {
    std::string path;     ///< empty: there is none
    std::string version;  ///< "g++ 12.2.0"
};

/// The version of the compiler at a path if it is `which`; else nothing.
Found identified(const std::string& path, HostCompiler which) {
    if (path.empty()) return {};
    const auto ran = runProgram({path, "--version"}, kMaxLog, {});
    if (!ran || ran->status != 0) return {};
    const std::string first = ran->text.substr(0, ran->text.find('\n'));
    const bool clang = first.find("clang") != std::string::npos;
    if (clang != (which == HostCompiler::clang)) return {};
    // the last word that begins with a digit, "g++ (Debian 12.2.0-14) 12.2.0"
    std::istringstream words(first);
    std::string version;
    for (std::string word; words >> word;) {
        if (word[0] >= '0' && word[0] <= '9' && (version.empty() || !clang)) version = word;
    }
    if (version.empty()) return {};
    return {path, fmt::format("{} {}", kNames[static_cast<int>(which)], printable(version))};
}

Found find(HostCompiler which) {
    if (const char* wanted = std::getenv("CXX"); wanted != nullptr && *wanted != '\0') {
        const std::string path = *wanted == '/' ? wanted : findProgram(wanted, {});
        if (Found found = identified(path, which); !found.path.empty()) return found;
    }
    return identified(findProgram(kNames[static_cast<int>(which)], {}), which);
}

const Found& found(HostCompiler which) {
    static const Found gcc = find(HostCompiler::gcc);
    if (which == HostCompiler::gcc) return gcc;
    static const Found clang = find(HostCompiler::clang);
    return clang;
}

/// The versions that prebuilt kernels were made with: a line for each compiler.
std::string prebuiltVersion(HostCompiler which) {
    const fs::path folder = prebuiltFolder();
    if (folder.empty()) return {};
    std::ifstream file(folder / kPrebuiltBy);
    const std::string name = kNames[static_cast<int>(which)];
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + " ")) return line;
    }
    return {};
}

/// Those that every kernel is compiled with, and that tell nobody anything. Without contraction, so
/// that layouts agree to the bit; with speculative square roots, so that blocks of spheres become
/// vector code.
const std::vector<std::string>& commonFlags() {
    static const std::vector<std::string> flags{"-std=c++20",
                                                "-fPIC",
                                                "-fvisibility=hidden",
                                                "-fno-exceptions",
                                                "-fno-rtti",
                                                "-ffp-contract=off",
                                                "-fno-math-errno",
                                                "-fno-trapping-math",
                                                "-g1",
                                                "-w",
                                                "-pipe"};
    return flags;
}

/// What stands before a compiler whose output is read (compile_errors.cpp).
std::vector<std::string> inEnglish() {
    const std::string env = findProgram("env", {"/usr/bin"});
    return env.empty() ? std::vector<std::string>{} : std::vector<std::string>{env, "LC_ALL=C"};
}

/// The folders that a compiler looks for headers in by itself, each with a slash at its end. It
/// prints each in a line of its own, after a blank.
std::vector<std::string> searchedBy(const std::string& compiler) {
    std::vector<std::string> words = inEnglish();
    words.insert(words.end(), {compiler, "-E", "-v", "-x", "c++", "/dev/null"});
    const auto ran = runProgram(words, kMaxLog, {});
    std::istringstream lines(ran ? ran->text : std::string());
    std::vector<std::string> folders;
    for (std::string line; std::getline(lines, line);) {
        std::error_code error;
        if (line.starts_with(" /") && fs::is_directory(line.substr(1), error))
            folders.push_back(fs::canonical(line.substr(1), error).string() + "/");
    }
    return folders;
}

/// The file that instantiates the program's kernels.
std::string mainText(const KernelProgram& program) {
    std::string text = fmt::format("#include \"{}\"\n", program.source);
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
        text += fmt::format(
            "extern \"C\" __attribute__((visibility(\"default\"))) const auto {} =\n    &{};\n",
            hostSymbol(i), program.kernels[i].name);
    }
    return text;
}

/// Whether a line includes a file of any name, or takes its bytes. What a macro names is found
/// once it is compiled (includesOwn()); the names of what assembly includes are not.
bool takesFiles(std::string_view line) {
    const auto after = [&line](std::string_view word) {
        const bool found = line.starts_with(word);
        if (found) line.remove_prefix(word.size());
        while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
        return found;
    };
    after("");
    if (line.find("incbin") != line.npos) return true;
    if (!after("#")) return false;
    if (after("embed")) return true;
    if (!after("include_next") && !after("include") && !after("import")) return false;
    return line.starts_with("\"/") || line.starts_with("</") || line.find("..") != line.npos;
}

Result<void> checkIncludes(const KernelSource& source) {
    std::istringstream lines(source.text);
    for (std::string line; std::getline(lines, line);) {
        if (takesFiles(line))
            return Failure{
                fmt::format("{}: error: what is outside of the kernels' folder is not "
                            "included ({})",
                            source.name, printable(shortened(line, 100)))};
    }
    return {};
}

/// Sources that somebody edited may include any file, and print anything. Paths are relative to
/// the folders.
std::string fitToBeShown(const std::string& log, const std::set<std::string>& folders) {
    std::string text = printable(shortened(log, kMaxLog), "\n\t");
    for (const std::string& folder : folders) {
        for (size_t at = 0; (at = text.find(folder + "/", at)) != std::string::npos;)
            text.erase(at, folder.size() + 1);
    }
    return text;
}

class CxxCompiler : public Compiler {
public:
    explicit CxxCompiler(HostCompiler which) : which_(which) {}

    Result<std::string> version() const override {
        if (const Found& here = found(which_); !here.path.empty()) return here.version;
        if (std::string made = prebuiltVersion(which_); !made.empty()) return made;
        return Failure{missingCompiler(which_)};
    }

    Result<CompiledKernel> compile(const KernelProgram& program,
                                   const std::vector<KernelSource>& sources,
                                   const GoOn& goOn) const override {
        const Clock::time_point begun = Clock::now();
        if (const std::string missing = missingCompiler(which_); !missing.empty())
            return Failure{missing};
        for (const KernelSource& s : sources) {
            if (const auto own = checkIncludes(s); !own) return own.failure();
        }
        // those of other engines are parsed in a tenth of a second
        std::optional<std::string> headers;
        if (which_ == HostCompiler::gcc && program.source == kHostPackets)
            headers = HeaderCache::folderFor(program, sources, optionsOf(program));
        Result<CompiledKernel> compiled = compileWith(headers, program, sources, goOn);
        if (!compiled && headers && (!goOn || goOn())) {
            HeaderCache::discard(*headers);
            compiled = compileWith({}, program, sources, goOn);
        }
        if (compiled) compiled->compileMs = millisecondsSince(begun);
        return compiled;
    }

private:
    static constexpr const char* kMain = "main.cpp";
    static constexpr const char* kObject = "kernel.so";
    static constexpr const char* kIncluded = "included";

    /// `headers`: the folder with the precompiled header, if there is one.
    Result<CompiledKernel> compileWith(const std::optional<std::string>& headers,
                                       const KernelProgram& program,
                                       const std::vector<KernelSource>& sources,
                                       const GoOn& goOn) const {
        const TemporaryFolder folder;
        if (!folder.problem().empty()) return Failure{folder.problem()};
        const fs::path root = folder.path();
        std::vector<KernelSource> files{{kMain, mainText(program)}};
        if (!headers) files.insert(files.end(), sources.begin(), sources.end());
        if (const auto written = writeSources(folder.path(), files); !written)
            return written.failure();
        Result<std::string> log =
            run(program, folder.path(), headers.value_or(folder.path()), goOn);
        if (!log) return log.failure();
        // where there is a precompiled header nothing is edited
        if (const auto own = headers ? Result<void>() : includesOwn(root); !own)
            return own.failure();
        Result<std::string> object = readFile((root / kObject).string(), kMaxEntryBytes);
        if (!object) return object.failure();
        CompiledKernel compiled{.code = *std::move(object), .functions = {}, .log = *log};
        for (std::size_t i = 0; i < program.kernels.size(); ++i)
            compiled.functions.push_back({program.kernels[i].stage, hostSymbol(i)});
        return compiled;
    }

    /// The compiler, and what its code depends on.
    std::vector<std::string> optionsOf(const KernelProgram& program) const {
        std::vector<std::string> words{found(which_).path};
        words.insert(words.end(), commonFlags().begin(), commonFlags().end());
        if (which_ == HostCompiler::gcc) words.push_back("-fno-gnu-unique");
        words.insert(words.end(), program.flags.begin(), program.flags.end());
        return words;
    }

    /// `headers`: the folder where they are searched for.
    std::vector<std::string> command(const KernelProgram& program, const std::string& folder,
                                     const std::string& headers) const {
        std::vector<std::string> words;
        if (const std::string limiter = findProgram("prlimit", {"/usr/bin"}); !limiter.empty()) {
            words = {limiter, fmt::format("--as={}", kCompilerBytes),
                     fmt::format("--cpu={}", kCompileSeconds), "--core=0"};
        }
        for (std::string& word : inEnglish()) words.push_back(std::move(word));
        for (std::string& word : optionsOf(program)) words.push_back(std::move(word));
        words.insert(words.end(), {"-shared", "-nostartfiles", "-nodefaultlibs", "-I" + headers,
                                   fmt::format("-ffile-prefix-map={}/=", headers), "-MD", "-MF",
                                   folder + "/" + kIncluded, "-o", folder + "/" + kObject,
                                   folder + "/" + kMain, "-lm", "-lc", "-lgcc"});
        return words;
    }

    /// Fails if a kernel includes a file that is neither a kernel's nor one of the compiler's own
    /// headers: sources that somebody else has edited may ask for any.
    Result<void> includesOwn(const fs::path& root) const {
        const auto names = readFile((root / kIncluded).string(), kMaxEntryBytes);
        if (!names) return names.failure();
        std::vector<std::string> folders = ownFolders();
        std::error_code error;
        folders.push_back(fs::canonical(root, error).string() + "/");
        if (error) return Failure{fmt::format("{}: {}", root.string(), error.message())};
        std::istringstream words(names->substr(names->find(':') + 1));
        for (std::string word; words >> word;) {
            if (word == "\\") continue;
            const std::string path = fs::weakly_canonical(word, error).string();
            if (std::ranges::none_of(folders, [&](const auto& f) { return path.starts_with(f); }))
                return Failure{
                    fmt::format("{} is included, which is outside of the kernels' folder",
                                printable(shortened(word, 200)))};
        }
        return {};
    }

    /// The folders that the compiler looks for headers in by itself.
    const std::vector<std::string>& ownFolders() const {
        static std::mutex mutex;
        static std::map<HostCompiler, std::vector<std::string>> known;
        const std::lock_guard lock(mutex);
        if (!known.contains(which_)) known[which_] = searchedBy(found(which_).path);
        return known[which_];
    }

    /// The compiler's log.
    Result<std::string> run(const KernelProgram& program, const std::string& folder,
                            const std::string& headers, const GoOn& goOn) const {
        const Clock::time_point begun = Clock::now();
        bool wanted = true;
        const auto ran = runProgram(command(program, folder, headers), std::size_t{1} << 20, [&] {
            wanted = !goOn || goOn();
            return wanted && millisecondsSince(begun) < 1e3 * kCompileSeconds;
        });
        if (!ran) return ran.failure();
        std::string log = fitToBeShown(ran->text, {folder, headers});
        if (WIFEXITED(ran->status) && WEXITSTATUS(ran->status) == 0) return log;
        if (!wanted) return Failure{"the compiler was ended: its kernel is not wanted any more"};
        if (ran->stopped)
            return Failure{
                fmt::format("the compiler was ended: it took more than {} s", kCompileSeconds)};
        return Failure{log.empty() ? "the compiler ended without a word" : log};
    }

    const HostCompiler which_;
};

/// A ray that is copied as vectors waits for its parts to be put together, written and read again:
/// without that vt9 is 6 % faster, cornell 12 % (g++ 12, Zen 4).
constexpr const char* kNoVectorRecords[] = {"-fno-tree-slp-vectorize", "-fno-slp-vectorize"};

std::vector<std::string> vectorFlags(const Variant& v) {
    switch (v.vectors) {
        case Vectors::scalar:
            return {v.compiler == HostCompiler::clang ? "-fno-vectorize"
                                                      : "-fno-tree-loop-vectorize"};
        case Vectors::bits128:
            return {"-mprefer-vector-width=128"};
        case Vectors::bits256:
            return {"-mprefer-vector-width=256"};
        case Vectors::bits512:
            return {"-mprefer-vector-width=512"};
        default:
            return {};
    }
}

}  // namespace

const Compiler& hostCompiler(HostCompiler which) {
    static const CxxCompiler gcc(HostCompiler::gcc), clang(HostCompiler::clang);
    return which == HostCompiler::gcc ? gcc : clang;
}

std::string missingCompiler(HostCompiler which) {
    if (!found(which).path.empty()) return {};
    if (which == HostCompiler::clang) return "needs clang++: install clang";
    return found(HostCompiler::clang).path.empty() ? "needs a C++ compiler: install g++"
                                                   : "needs g++ (or compiler=clang)";
}

std::vector<std::string> hostFlags(const Variant& v) {
    // paths that are followed one by one are no faster with -O3, and card is 9 % slower (g++ 12,
    // Zen 4)
    const bool packets = v.engine == Engine::packets;
    static constexpr const char* kLevels[] = {"-O0", "-O1", "-O2", "-O3"};
    std::vector<std::string> flags{v.opt != Opt::native ? kLevels[static_cast<int>(v.opt)]
                                   : packets            ? "-O3"
                                                        : "-O2"};
    if (v.isa > 1) flags.push_back(fmt::format("-march=x86-64-v{}", v.isa));
    if (packets && v.isa == 4) flags.push_back("-mprefer-vector-width=512");
    if (!packets && v.opt == Opt::native) {
        for (std::string& flag : vectorFlags(v)) flags.push_back(std::move(flag));
        flags.push_back(kNoVectorRecords[static_cast<int>(v.compiler)]);
    }
    if (v.math == Math::fast)
        flags.insert(flags.end(), {"-ffast-math", "-fno-finite-math-only", "-ffp-contract=fast"});
    return flags;
}

std::string hostSymbol(std::size_t i) {
    return fmt::format("rayscopeKernel{}", i);
}

Result<void> notePrebuilt(const std::string& folder) {
    std::string text;
    for (const HostCompiler which : {HostCompiler::gcc, HostCompiler::clang}) {
        if (!found(which).path.empty()) text += found(which).version + "\n";
    }
    return writeTextFile((fs::path(folder) / kPrebuiltBy).string(), text);
}

}  // namespace rayscope
