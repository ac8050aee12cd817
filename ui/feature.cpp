#include "ui/feature.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <utility>

#include "renderer/base/files.h"
#include "renderer/base/free_memory.h"
#include "renderer/devices/starting.h"

namespace rayscope {

namespace {

constexpr float kHeadingGap = 10;
/// Panels that are narrower than this look like slips of paper; plots need the room.
constexpr float kLeastEms = 18;

float headingsWidth(const Theme& theme, const Tabs& tabs) {
    float width = 0;
    for (const Tab* tab : tabs)
        width +=
            textSize(theme.strong, tab->label()).x + (width > 0 ? theme.units(kHeadingGap) : 0);
    return width;
}

/// At the panel's top however far its contents are scrolled; in several lines where one is too
/// short.
void drawHeadings(const Ui& ui, const Tabs& tabs, const Tab& open) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetScrollY());
    const ImGuiStyle& style = ImGui::GetStyle();
    // whether there is a scrollbar or not, so that no tab changes its place
    const float room = windowRect().width - 2 * style.WindowPadding.x - style.ScrollbarSize;
    const float gap = ui.theme.units(kHeadingGap);
    float x = 0;
    for (const Tab* tab : tabs) {
        const ImVec2 size = textSize(ui.theme.strong, tab->label());
        const bool fits = x > 0 && x + gap + size.x <= room;
        if (fits) ImGui::SameLine(0, gap);
        x = fits ? x + gap + size.x : size.x;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (clickArea(tab->label().c_str(), {size.x, ui.theme.strong.size}))
            ui.frame.then([&host = ui.frame.host, id = tab->id()] { host.showTab(id); });
        note(ui, "tab." + tab->id());
        const ImVec4& color = tab == &open             ? colors::accent
                              : ImGui::IsItemHovered() ? colors::text
                                                       : colors::dim;
        drawText(*ImGui::GetWindowDrawList(), ui.theme.strong, at, packed(color), tab->label());
    }
}

namespace fs = std::filesystem;

/// Of user-dirs.dirs, which has some lines.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

bool writable(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder, error) && access(folder.c_str(), W_OK) == 0;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string textOf(const fs::path& path) {
    const auto file = readFile(path.string(), kMaxBytes);
    return file ? *file : "";
}

}  // namespace

std::string outputFolder() {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    if (!error && writable(here)) return here.string();
    const std::string home = variable("HOME"), config = variable("XDG_CONFIG_HOME");
    const fs::path configured = config.empty() ? fs::path(home) / ".config" : fs::path(config);
    for (const fs::path& folder :
         {fs::path(variable("XDG_PICTURES_DIR")),
          fs::path(picturesFolderIn(textOf(configured / "user-dirs.dirs"), home)),
          fs::path(home) / "Pictures", fs::path(home)}) {
        if (writable(folder)) return folder.string();
    }
    return here.string();
}

std::string picturesFolderIn(const std::string& userDirs, const std::string& home) {
    // XDG_PICTURES_DIR="$HOME/Bilder", or an absolute path; see xdg-user-dirs.
    const std::string key = "XDG_PICTURES_DIR=\"", inHome = "$HOME";
    std::istringstream lines(userDirs);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(key, 0) != 0) continue;
        std::string folder = line.substr(key.size(), line.find('"', key.size()) - key.size());
        if (folder.rfind(inHome, 0) == 0) folder.replace(0, inHome.size(), home);
        return folder;
    }
    return {};
}

std::string OutputFiles::freshPath(const std::string& ending) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return freshStem(fmt::format("rayscope-{:%Y%m%d-%H%M%S}", local), {ending}) + ending;
}

std::string freshStem(const std::string& folder, const std::string& stem,
                      const std::vector<std::string>& endings, const std::set<std::string>& given) {
    const std::string first = (fs::path(folder) / stem).string();
    const auto taken = [&](const std::string& candidate) {
        return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
            std::error_code error;
            return fs::exists(candidate + ending, error) || given.contains(candidate + ending);
        });
    };
    std::string fresh = first;
    for (int n = 2; taken(fresh); ++n) fresh = fmt::format("{}-{}", first, n);
    return fresh;
}

std::string OutputFiles::freshStem(const std::string& stem,
                                   const std::vector<std::string>& endings) {
    const std::string fresh = rayscope::freshStem(outputFolder(), stem, endings, given_);
    for (const std::string& ending : endings) given_.insert(fresh + ending);
    return fresh;
}

void Errands::send(Work work, bool quick) {
    if (quick) return afterwards([work] { work()(); });
    running_.push_back(std::async(std::launch::async, [work = std::move(work)] {
        Then then = work();
        trimHeap();
        return then;
    }));
}

void Errands::afterwards(Then then) {
    if (running_.empty()) return then();
    std::promise<Then> done;
    done.set_value(std::move(then));
    running_.push_back(done.get_future());
}

void Errands::finish() {
    while (!running_.empty() &&
           running_.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        const Then then = running_.front().get();
        running_.pop_front();
        then();
    }
}

void drawSidePanel(const Ui& ui, const Tabs& tabs, Tab& open) {
    const bool visible = beginPanel(("side." + open.id()).c_str(), ui.layout.throughput);
    drawHeadings(ui, tabs, open);
    // What is scrolled beneath the headings is neither seen nor clicked.
    const Rect panel = windowRect();
    ImGui::PushClipRect({panel.x, ImGui::GetCursorScreenPos().y}, panel.high(), true);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetScrollY());
    if (visible) open.drawPanel(ui);
    ImGui::PopClipRect();
    endPanel(ui, "panel." + open.id());
}

float panelWidth(const Theme& theme, const Tabs& tabs, float contents) {
    const ImGuiStyle& style = ImGui::GetStyle();
    float needed = std::max(contents, headingsWidth(theme, tabs));
    for (const Tab* tab : tabs) needed = std::max(needed, tab->width(theme));
    // Where the window is low, the Kernel panel gets a scrollbar.
    needed += 2 * style.WindowPadding.x + style.ScrollbarSize;
    return std::ceil(std::max(needed, kLeastEms * theme.em()));
}

Settings defaultsOf(const Frame& frame) {
    Settings settings = startingSettings(frame.state.settings.backend, frame.state.scene);
    settings.seed = frame.state.settings.seed;
    if (settings.display == Display::interop && !frame.backends.unsupported(settings).empty())
        settings.display = Display::copy;
    return settings;
}

bool usesCuda(const State& state) {
    return state.settings.backend == Backend::cuda ||
           (state.pinned && state.pinned->settings.backend == Backend::cuda);
}

Backend WindowFeature::processor(const Frame& frame) const {
    return usesCuda(frame.state) ? Backend::cuda : Backend::cpu;
}

}  // namespace rayscope
