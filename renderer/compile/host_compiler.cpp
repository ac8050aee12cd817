#include "renderer/compile/host_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/base/text.h"
#include "renderer/compile/cache.h"
#include "renderer/compile/cache_entry.h"
#include "renderer/compile/header_cache.h"
#include "renderer/compile/kernel_sources.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// The slowest kernel of ours compiles in some 10 s on one slow core, in less than 1 GiB.
constexpr int kCompileSeconds = 60;
/// Until a compiler has said its version.
constexpr int kAnswerSeconds = 5;
/// The largest file that a compiler may write.
constexpr long long kCompilerFile = 256ll << 20;
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
    const Clock::time_point begun = Clock::now();
    const auto ran = runProgram({path, "--version"}, kMaxLog,
                                [&] { return millisecondsSince(begun) < 1e3 * kAnswerSeconds; });
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

/// The files that a rule of make names, "kernel.so: main.cpp a\ b.h \\": blanks and # have a
/// backslash before them, $ another $, lines go on behind a backslash.
std::vector<std::string> prerequisitesIn(std::string_view rule) {
    std::vector<std::string> names;
    std::string name;
    const auto end = [&] {
        if (!name.empty()) names.push_back(std::exchange(name, {}));
    };
    for (std::size_t i = 0; i < rule.size(); ++i) {
        const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\0';
        if (c == '\\' && (next == ' ' || next == '#'))
            name += rule[++i];
        else if (c == '\\' && next == '\n')
            end();
        else if (c == '$' && next == '$')
            name += rule[++i];
        else if (c == ' ' || c == '\t' || c == '\n')
            end();
        else
            name += c;
    }
    end();
    // the target comes first
    if (!names.empty() && names.front().ends_with(':')) names.erase(names.begin());
    return names;
}

/// What assembly may not say, as it takes files, or can put together what does. No compiler writes
/// it.
bool takesFilesInAssembly(std::string_view text) {
    for (const char* word : {".incbin", ".include", ".macro", ".altmacro", ".irp"}) {
        const auto same = [](char a, char b) { return std::tolower(a) == b; };
        const std::string_view wanted = word;
        if (std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end())
            return true;
    }
    return false;
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

/// Whether they are others than those of this program; but for the scene, which is our own text.
bool isEdited(const KernelProgram& program, const std::vector<KernelSource>& sources) {
    const std::vector<KernelSource> own = sourcesOf(program, embeddedKernelSources());
    return std::ranges::any_of(sources, [&](const KernelSource& source) {
        return source.name != kBakedSource && std::ranges::find(own, source) == own.end();
    });
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
    static constexpr const char* kAssembly = "kernel.s";

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
        // assembly that somebody else has edited may take any file
        const bool edited = !headers && isEdited(program, sources);
        const std::string searched = headers.value_or(folder.path());
        Result<std::string> log =
            run(command(program, folder.path(), searched, edited), {folder.path(), searched}, goOn);
        if (!log) return log.failure();
        if (edited) {
            const auto text = readFile((root / kAssembly).string(), kCompilerFile);
            if (!text) return text.failure();
            if (takesFilesInAssembly(*text))
                return Failure{
                    "its assembly takes files, or has macros, which kernels may not have"};
            const auto linked = run(assembleCommand(program, folder.path()), {folder.path()}, goOn);
            if (!linked) return linked.failure();
        }
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

    /// The compiler with limits, whose files go with the folder.
    std::vector<std::string> limited(const KernelProgram& program,
                                     const std::string& folder) const {
        std::vector<std::string> words;
        if (const std::string limiter = findProgram("prlimit", {"/usr/bin"}); !limiter.empty()) {
            words = {limiter, fmt::format("--as={}", kCompilerBytes),
                     fmt::format("--cpu={}", kCompileSeconds),
                     fmt::format("--fsize={}", kCompilerFile), "--core=0"};
        }
        std::vector<std::string> settings = inEnglish();
        if (!settings.empty()) settings.push_back("TMPDIR=" + folder);  // goes with the folder
        words.insert(words.end(), settings.begin(), settings.end());
        for (std::string& word : optionsOf(program)) words.push_back(std::move(word));
        return words;
    }

    /// `headers`: the folder where they are searched for. `onlyAssembly`: the rest is that of
    /// assembleCommand().
    std::vector<std::string> command(const KernelProgram& program, const std::string& folder,
                                     const std::string& headers, bool onlyAssembly) const {
        std::vector<std::string> words = limited(program, folder);
        words.insert(words.end(), {"-I" + headers, fmt::format("-ffile-prefix-map={}/=", headers),
                                   "-MD", "-MF", folder + "/" + kIncluded});
        if (onlyAssembly) {
            words.insert(words.end(), {"-S", "-o", folder + "/" + kAssembly, folder + "/" + kMain});
            return words;
        }
        addLinking(words, folder, kMain);
        return words;
    }

    std::vector<std::string> assembleCommand(const KernelProgram& program,
                                             const std::string& folder) const {
        std::vector<std::string> words = limited(program, folder);
        addLinking(words, folder, kAssembly);
        return words;
    }

    static void addLinking(std::vector<std::string>& words, const std::string& folder,
                           const std::string& from) {
        words.insert(words.end(),
                     {"-shared", "-nostartfiles", "-nodefaultlibs", "-o", folder + "/" + kObject,
                      folder + "/" + from, "-lm", "-lc", "-lgcc"});
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
        for (const std::string& word : prerequisitesIn(*names)) {
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
    static Result<std::string> run(const std::vector<std::string>& command,
                                   const std::set<std::string>& folders, const GoOn& goOn) {
        const Clock::time_point begun = Clock::now();
        bool wanted = true;
        const auto ran = runProgram(command, std::size_t{1} << 20, [&] {
            wanted = !goOn || goOn();
            return wanted && millisecondsSince(begun) < 1e3 * kCompileSeconds;
        });
        if (!ran) return ran.failure();
        std::string log = fitToBeShown(ran->text, folders);
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
