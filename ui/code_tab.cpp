#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "renderer/compile/kernel_sources.h"
#include "renderer/base/run_program.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/code/compile_errors.h"
#include "ui/code_panel.h"

// What the Code tab does; code_panel.cpp draws it.

namespace rayscope {

namespace {

/// In the current folder, where no other has been named.
std::string folderOf(const std::string& source) {
    const std::string name = "rayscope-kernels" + (source == "mine" ? "" : "-" + source);
    return std::filesystem::absolute(name).string();
}

/// Puts a file into the folder of the source, where it is not there; a folder without a name is
/// made, with all files. The path of the file, or a sentence.
Result<std::filesystem::path> fileToEdit(int source, const std::string& name) {
    std::string folder = sourceFolder(source);
    const bool fresh = folder.empty();
    if (fresh) folder = folderOf("mine");
    auto copied = copyKernelSources(folder, fresh ? std::string() : name);
    if (copied && fresh) copied = setKernelSourceDirectory(source, folder);
    if (!copied) return copied.failure();
    return std::filesystem::path(folder) / name;
}

CodeWish wishFor(const Settings& settings, const Frame& frame) {
    const Scene& scene = frame.state.scene;
    CodeWish wish{settings, scene, kUsualArchitecture};
    if (settings.backend == Backend::cuda && frame.backends.has(Backend::cuda))
        wish.architecture = frame.backends.get(Backend::cuda).device().architecture;
    return wish;
}

/// True where there was something to replace.
bool replace(std::string& text, const std::string& what, const std::string& by) {
    const size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), by);
    return at != std::string::npos;
}

/// The renderer notices a change in its own next frame at the latest.
constexpr int kFrames = 2;

std::string failure(const KernelInfo& kernel, int source) {
    const std::vector<CompileError> errors = errorsIn(kernel.compileLog);
    const std::string& log = kernel.compileLog;
    const std::string what =
        errors.empty() ? log.substr(0, log.find('\n')) : describe(errors.front());
    return goesOn(kernel, source) ? what + ": the last good kernel goes on" : what;
}

}  // namespace

bool goesOn(const KernelInfo& kernel, int source) {
    return !kernel.name.empty() && kernel.source == source;
}

std::optional<SourceWatch::News> SourceWatch::look(int source, unsigned version,
                                                   const KernelInfo& kernel) {
    const std::pair now{source, version};
    if (seen_ != now) {
        frames_ = seen_ && seen_->first == source ? 1 : 0;
        seen_ = now;
        return {};
    }
    if (frames_ == 0 || frames_++ < kFrames) return {};
    if (kernel.compileLog.empty() && !kernel.ready) return {};
    frames_ = 0;
    if (!kernel.compileLog.empty()) return News{failure(kernel, source), true};
    return News{kernel.compileMs > 0
                    ? fmt::format("Kernel compiled again in {:.2g} s", kernel.compileMs / 1e3)
                    : "Kernel compiled again, as it was before"};
}

std::vector<std::string> editorWords(const std::string& setting, const std::string& file,
                                     int line) {
    std::vector<std::string> words;
    std::istringstream parts(setting);
    bool named = false;
    for (std::string word; parts >> word;) {
        replace(word, "{line}", std::to_string(line));
        named = replace(word, "{file}", file) || named;
        words.push_back(word);
    }
    if (words.empty()) words.emplace_back("xdg-open");
    if (!named) words.push_back(file);
    return words;
}

/// Of the present settings and A's: the whole code for this tab, the verdict for A | B.
std::optional<CodeReader::Wish> CodeTab::wish(const Frame& frame) const {
    const State& state = frame.state;
    const bool open = frame.shows(id());
    const bool alike = state.pinned && state.settings.backend == state.pinned->settings.backend;
    if (!open && !(frame.shows("versus") && alike)) return {};
    CodeReader::Wish wish{wishFor(state.settings, frame), {}, open};
    if (state.pinned) wish.a = wishFor(state.pinned->settings, frame);
    // The CPU does not trace with a lesson's kernels.
    const LessonWish* const lesson = lesson_ != nullptr ? lesson_->wish() : nullptr;
    if (lesson != nullptr && !frame.backends.has(Backend::cuda) && !state.pinned &&
        lesson->state.scene == state.scene)
        wish.b = wishFor(lesson->b, frame);
    return wish;
}

/// While nothing is measured, and when the renderer's own kernel has been compiled: the cache has
/// it then.
void CodeTab::read(Frame& frame) {
    const std::optional<CodeReader::Wish> wish = this->wish(frame);
    current_ = wish && reader_.isFor(*wish);
    if (!wish) return;  // of what is not seen nothing is read
    const KernelInfo kernel = frame.host.kernel();
    if (frame.host.measuring() || (!kernel.ready && kernel.compileLog.empty())) return;
    const long before = reader_.number();
    reader_.step(*wish);
    if (reader_.number() == before || wish->b.settings.backend == frame.state.settings.backend) return;
    // nobody else compiles what was saved
    const std::vector<CompileError> errors = errorsIn(reader_.pair()->b->problem);
    if (!errors.empty()) frame.warn(rayscope::describe(errors.front()));
}

void CodeTab::noticeSources(Frame& frame) {
    const int source = frame.state.settings.source;
    if (frame.paused || source == kBuiltIn) return;
    const auto news = sources_.look(source, kernelSourcesVersion(source), frame.host.kernel());
    if (news) news->bad ? frame.warn(news->text) : frame.say(news->text);
}

/// Of exactly what was read; nullptr where nothing has been counted.
const HotWork* CodeTab::counted(const ReadCode* read) const {
    return read != nullptr ? hot_.of(*read) : nullptr;
}

/// The present settings, and A's where they have not been counted yet.
void CodeTab::countAsked(Frame& frame) {
    const State& state = frame.state;
    const auto ask = [&](const Settings& settings) {
        if (settings.backend != state.settings.backend) return;
        const int gpu = settings.backend == Backend::cuda
                            ? frame.backends.get(Backend::cuda).device().number
                            : 0;
        hot_.ask({State{state.scene, state.camera, settings, {}}, frame.framebuffer.width,
                  frame.framebuffer.height, gpu});
    };
    const CodePair* pair = reader_.pair();
    if (state.pinned && (pair == nullptr || counted(pair->a.get()) == nullptr))
        ask(state.pinned->settings);
    ask(state.settings);
}

/// What was counted elsewhere: RAYSCOPE_HOT names a report of `rayscope hot`.
void CodeTab::readReport(Frame& frame) {
    reportRead_ = true;
    const char* file = std::getenv("RAYSCOPE_HOT");
    if (file == nullptr) return;
    std::ifstream in(file);
    Result<HotReport> read = readHotReport({std::istreambuf_iterator<char>(in), {}});
    if (!read) return frame.warn(fmt::format("{}: {}", file, read.reason()));
    hot_.keep(read->state, std::move(read->work));
}

void CodeTab::count(Frame& frame) {
    if (!reportRead_ && frame.shows(id())) readReport(frame);
    if (std::exchange(countAsked_, false)) countAsked(frame);
    const bool measuring = frame.host.measuring() || frame.host.working();
    hot_.step(!measuring && !frame.steering.moving(frame.now));
}

void CodeTab::step(Frame& frame) {
    read(frame);
    count(frame);
    noticeSources(frame);
}

/// Opens the file that is shown in the user's editor. What is built in is not edited: the user's
/// own takes its place.
void CodeTab::edit(Frame& frame) {
    int& source = frame.state.settings.source;
    const int edited = source == kBuiltIn ? kMine : source;
    const auto path = fileToEdit(edited, choice_.file);
    if (!path) return frame.warn(path.reason());
    if (source != edited)
        frame.say(
            fmt::format("source=mine now: kernels are compiled from {}", sourceFolder(edited)));
    source = edited;
    const char* setting = std::getenv("RAYSCOPE_EDITOR");
    const auto started =
        startProgram(editorWords(setting != nullptr ? setting : "", path->string(), firstLine_));
    if (!started)
        frame.warn(started.reason() + " (RAYSCOPE_EDITOR names the editor: code -g {file}:{line})");
}

void CodeTab::goTo(const std::string& file, int line) {
    choice_.form = CodeForm::source;
    choice_.file = file;
    goToLine_ = line;
}

void CodeTab::offer(SetAside aside, Frame& frame) {
    if (aside.name.empty()) return;
    offered_ = std::move(aside);
    shownPatch_.clear();
    frame.warn(fmt::format("What was opened has edited kernels (source={}): {}", offered_.name,
                           offered_.patches.empty()
                               ? "they are not in the file, and those built in are used"
                               : "the Code tab shows them"));
}

/// From here on they are files of the user's, in a folder of their own.
void CodeTab::use(const std::string& name, Frame& frame) {
    namespace fs = std::filesystem;
    std::string fresh = name;
    std::error_code error;
    const auto taken = [&] {
        const Result<int> known = sourceNamed(fresh);
        return known && (!sourceFolder(*known).empty() || fs::exists(folderOf(fresh), error));
    };
    for (int n = 2; taken(); ++n) fresh = fmt::format("{}_{}", name, n);
    const Result<int> source = sourceNamed(fresh);
    if (!source) return frame.warn(source.reason());
    const std::string folder = folderOf(fresh);
    Result<void> done = writePatched(folder, offered_.patches.at(name));
    if (done) done = setKernelSourceDirectory(*source, folder);
    if (!done) return frame.warn(done.reason());
    State& state = frame.state;
    if (offered_.ofB == name) state.settings.source = *source;
    if (offered_.ofA == name && state.pinned) state.pinned->settings.source = *source;
    offered_.patches.erase(name);
    shownPatch_.clear();
    frame.say(fmt::format("source={} now: kernels are compiled from {}", fresh, folder));
}

void CodeTab::describe(const Frame&, nlohmann::json& status) const {
    using nlohmann::json;
    json& code = status["code"];
    code = {{"counting", hot_.busy()},    {"busy", reader_.busy()},
            {"pairs", reader_.number()},  {"rows", text_.rows().size()},
            {"changes", text_.changes()}, {"found", text_.found().size()},
            {"first_line", firstLine_},   {"offered", json::array()}};
    for (const auto& [name, patch] : offered_.patches) code["offered"].push_back(name);
    if (const CodePair* pair = reader_.pair()) {
        const HotWork* hot = counted(pair->b.get());
        code.update({{"hot", hot != nullptr ? hot->hot.lines.size() : 0},
                     {"problem", pair->b->problem},
                     {"relation", nameOf(pair->verdict.relation)},
                     {"kernels", pair->kernels},
                     {"architecture", pair->b->code.architecture}});
    }
}

}  // namespace rayscope
