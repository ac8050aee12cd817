#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/backend/kernel_sources.h"
#include "renderer/choices/axes.h"
#include "renderer/code/compile_errors.h"
#include "ui/code_panel.h"
#include "ui/editor.h"

// What the Code tab does; code_panel.cpp draws it, code_pane.cpp the text over the picture.

namespace rayscope {

namespace {

/// In the current folder, where no other has been named.
constexpr const char* kKernelFolder = "rayscope-kernels";

/// Puts the source into the folder that is watched, where it is not there; the path of the file, or
/// a sentence.
Result<std::filesystem::path> sourceToEdit(const std::string& name, bool* fresh) {
    std::string folder = kernelSourceDirectory();
    *fresh = folder.empty();
    if (*fresh) folder = std::filesystem::absolute(kKernelFolder).string();
    auto copied = copyKernelSources(folder, *fresh ? std::string() : name);
    if (copied && *fresh) copied = setKernelSourceDirectory(folder);
    if (!copied) return copied.failure();
    return std::filesystem::path(folder) / name;
}

CodeWish wishFor(const Settings& settings, const Frame& frame) {
    const Scene& scene = frame.state.scene;
    CodeWish wish{withBackend(settings, Backend::cuda, scene), scene, kUsualArchitecture};
    if (frame.backends.has(Backend::cuda))
        wish.architecture = frame.backends.get(Backend::cuda).device().architecture;
    return wish;
}

}  // namespace

/// Of the present settings and A's: the whole code for this tab, the verdict for A | B.
std::optional<CodeReader::Wish> CodeTab::wish(const Frame& frame) const {
    const State& state = frame.state;
    const bool open = frame.shows(id());
    const bool gpus = state.settings.backend == Backend::cuda && state.pinned &&
                      state.pinned->settings.backend == Backend::cuda;
    if (!open && !(frame.shows("versus") && gpus)) return {};
    CodeReader::Wish wish{wishFor(state.settings, frame), {}, open, kernelSourcesVersion()};
    if (state.pinned) wish.a = wishFor(state.pinned->settings, frame);
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
    if (reader_.number() == before || usesCuda(frame.state)) return;
    // Without a GPU nobody else compiles what was saved.
    const std::vector<CompileError> errors = errorsIn(reader_.pair()->b->problem);
    if (!errors.empty()) frame.warn(rayscope::describe(errors.front()));
}

void CodeTab::noticeSources(Frame& frame) {
    if (frame.paused || !usesCuda(frame.state) || kernelSourceDirectory().empty()) return;
    const auto news = sources_.look(kernelSourcesVersion(), frame.host.kernel());
    if (news) news->bad ? frame.warn(news->text) : frame.say(news->text);
}

void CodeTab::step(Frame& frame) {
    read(frame);
    noticeSources(frame);
}

/// Opens the file that is shown in the user's editor.
void CodeTab::edit(Frame& frame) {
    bool fresh = false;
    const auto path = sourceToEdit(choice_.file, &fresh);
    if (!path) return frame.warn(path.reason());
    if (fresh) frame.say(fmt::format("Kernel sources are in {} now", kernelSourceDirectory()));
    frame.warn(openInEditor(path->string(), firstLine_));
}

void CodeTab::describe(const Frame&, nlohmann::json& status) const {
    nlohmann::json& code = status["code"];
    code = {{"busy", reader_.busy()},        {"pairs", reader_.number()},
            {"rows", text_.rows().size()},   {"changes", text_.changes()},
            {"found", text_.found().size()}, {"first_line", firstLine_}};
    if (const CodePair* pair = reader_.pair()) {
        code.update({{"problem", pair->b->problem},
                     {"relation", nameOf(pair->verdict.relation)},
                     {"kernels", pair->kernels},
                     {"architecture", pair->b->code.architecture}});
    }
}

}  // namespace rayscope
