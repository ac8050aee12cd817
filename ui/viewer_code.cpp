#include <fmt/format.h>

#include <filesystem>

#include "renderer/backend/kernel_sources.h"
#include "renderer/choices/axes.h"
#include "renderer/code/compile_errors.h"
#include "ui/editor.h"
#include "ui/viewer_class.h"

namespace rayscope {

namespace {

/// In the current folder, where no other has been named.
constexpr const char* kKernelFolder = "rayscope-kernels";

/// Puts the source into the folder that is watched, where it is not there; the path of the file, or
/// a sentence.
std::variant<std::filesystem::path, std::string> sourceToEdit(const std::string& name,
                                                              bool* fresh) {
    std::string folder = kernelSourceDirectory();
    *fresh = folder.empty();
    if (*fresh) folder = std::filesystem::absolute(kKernelFolder).string();
    std::string problem = copyKernelSources(folder, *fresh ? std::string() : name);
    if (problem.empty() && *fresh) problem = setKernelSourceDirectory(folder);
    if (!problem.empty()) return problem;
    return std::filesystem::path(folder) / name;
}

}  // namespace

CodeWish Viewer::codeWish(const Settings& settings) const {
    CodeWish wish{withBackend(settings, Backend::cuda, state_.scene), state_.scene,
                  kUsualArchitecture};
    if (backends_.has(Backend::cuda))
        wish.architecture = backends_.get(Backend::cuda).device().architecture;
    return wish;
}

/// Of the present settings and A's: the whole code for the Code tab, the verdict for A | B.
std::optional<CodeReader::Wish> Viewer::codeReading() const {
    const bool open = tab_ == SideTab::code && layout_.panels;
    const bool gpus = state_.settings.backend == Backend::cuda && state_.pinned &&
                      state_.pinned->settings.backend == Backend::cuda;
    if (!open && !(tab_ == SideTab::versus && layout_.panels && gpus)) return {};
    CodeReader::Wish wish{codeWish(state_.settings), {}, open, kernelSourcesVersion()};
    if (state_.pinned) wish.a = codeWish(state_.pinned->settings);
    return wish;
}

/// While nothing is measured, and when the renderer's own kernel has been compiled: the cache has
/// it then.
void Viewer::readCode() {
    const std::optional<CodeReader::Wish> wish = codeReading();
    codeCurrent_ = wish && reader_.isFor(*wish);
    if (!wish) return;  // of what is not seen nothing is read
    const bool measuring = lab_.running() || climb_.measuring() || versus_.racing();
    const KernelInfo kernel = this->kernel();
    if (measuring || (!kernel.ready && kernel.compileLog.empty())) return;
    const long before = reader_.number();
    reader_.step(*wish);
    if (reader_.number() == before || usesCuda(state_)) return;
    // Without a GPU nobody else compiles what was saved.
    const std::vector<CompileError> errors = errorsIn(reader_.pair()->b->problem);
    if (!errors.empty()) warn(describe(errors.front()));
}

void Viewer::noticeSources() {
    if (paused_ || !usesCuda(state_) || kernelSourceDirectory().empty()) return;
    const auto news = sourceWatch_.look(kernelSourcesVersion(), kernel());
    if (!news) return;
    news->bad ? warn(news->text) : say(news->text);
}

void Viewer::carryOutCodeRequests() {
    if (codeRequests_.edit.empty()) return;
    bool fresh = false;
    const auto path = sourceToEdit(codeRequests_.edit, &fresh);
    const int line = codeRequests_.line;
    codeRequests_ = {};
    if (const auto* problem = std::get_if<std::string>(&path)) return warn(*problem);
    if (fresh) say(fmt::format("Kernel sources are in {} now", kernelSourceDirectory()));
    warn(openInEditor(std::get<std::filesystem::path>(path).string(), line));
}

}  // namespace rayscope
