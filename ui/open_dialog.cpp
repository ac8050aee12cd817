#include "ui/open_dialog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <span>

#include "renderer/base/run_program.h"
#include "renderer/base/text.h"
#include "renderer/scene/field.h"
#include "renderer/scene/made_meshes.h"
#include "renderer/scene/numbered.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles = "files";
constexpr float kDialogWidth = 560, kDialogShare = .8f;  ///< of the height
constexpr std::size_t kMostListed = 2000, kLongestPath = 4096;

/// Of scenes, models, states and pictures.
constexpr std::array kOpened{".json", ".glb", ".gltf", ".obj",  ".ply", ".png",
                             ".hdr",  ".exr", ".jpg",  ".jpeg", ".film"};

std::vector<std::string> desktopDialog(const fs::path& folder) {
    const std::string start = (folder / "").string();
    if (const std::string zenity = findProgram("zenity", {}); !zenity.empty())
        return {zenity, "--file-selection", "--title=Open a scene, a model, a state or a picture",
                "--filename=" + start};
    if (const std::string kdialog = findProgram("kdialog", {}); !kdialog.empty())
        return {kdialog, "--getopenfilename", start};
    return {};
}

const Numbered* familyOf(std::string_view prefix) {
    for (const std::span<const Numbered> some : {numberedFields(), numberedMeshes()}) {
        for (const Numbered& family : some)
            if (family.prefix == prefix) return &family;
    }
    return nullptr;
}

}  // namespace

bool opens(const std::string& path) {
    std::string ending = fs::path(path).extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(kOpened, ending) != kOpened.end();
}

FolderContents contentsOf(const fs::path& folder) {
    FolderContents contents;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with('.')) continue;
        std::error_code unknown;
        const bool isFolder = entry->is_directory(unknown);
        if (!isFolder && !opens(name)) continue;
        auto& list = isFolder ? contents.folders : contents.files;
        if (list.size() < kMostListed) list.push_back(name);
    }
    std::ranges::sort(contents.folders);
    std::ranges::sort(contents.files);
    return contents;
}

void OpenDialog::chord(const Chord& chord, Frame& frame) {
    if (chord.letter == 'o') begin(kFiles, frame);
}

void OpenDialog::key(const KeyPress& press, Frame&) {
    if (press.key == Key::escape) shown_.clear();
}

void OpenDialog::begin(const std::string& what, Frame& frame) {
    if (folder_.empty()) folder_ = outputFolder();
    if (const Numbered* family = familyOf(what)) {
        shown_ = what;
        count_ = std::clamp(count_, family->fewest, family->most);
        return;
    }
    if (chosen_.valid()) return;  // the desktop's is there already
    if (auto words = desktopDialog(folder_); !words.empty()) {
        goOn_ = std::make_shared<std::atomic<bool>>(true);
        frame.say("Choose a file in the desktop's dialog");
        chosen_ = std::async(std::launch::async, [words, goOn = goOn_]() -> std::string {
            const auto run = runProgram(words, kLongestPath, [&] { return goOn->load(); });
            if (!run || run->stopped || run->status != 0) return {};
            // warnings of its toolkit may stand before
            return lastLine(run->text);
        });
        return;
    }
    shown_ = kFiles;
    enter(folder_);
}

void OpenDialog::enter(const fs::path& folder) {
    folder_ = folder.lexically_normal();
    contents_ = contentsOf(folder_);
    typed_ = folder_.string();
}

void OpenDialog::act(Frame& frame) {
    if (!frame.scenes.asked.empty()) begin(std::exchange(frame.scenes.asked, {}), frame);
    if (!chosen_.valid() || chosen_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return;
    const std::string path = chosen_.get();
    if (path.empty()) return;
    folder_ = fs::path(path).parent_path();
    frame.host.open(path);
}

void OpenDialog::close(Frame&) {
    if (goOn_) *goOn_ = false;
}

void OpenDialog::draw(const Ui& ui) {
    if (shown_.empty()) return;
    const Rect& free = ui.layout.free;
    const float screen = ui.layout.status.width;
    const float width = std::min(ui.theme.units(kDialogWidth), screen);
    const float left = std::clamp(free.x + (free.width - width) / 2, 0.f, screen - width);
    const Rect area{left, free.y, width, std::max(free.height * kDialogShare, 1.f)};
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
    if (shown_ == kFiles) {
        beginPane("Open", area);
        if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
        drawFiles(ui);
    } else {
        beginPanel("Make", area);
        if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
        drawMade(ui);
    }
    endPanel(ui, "panel.open");
    ImGui::PopStyleColor();
}

void OpenDialog::drawFiles(const Ui& ui) {
    strongLine(ui, "Open a scene, a model, a state or a picture", colors::accent);
    const auto open = [&](const std::string& path) {
        shown_.clear();
        ui.frame.then([&host = ui.frame.host, path] { host.open(path); });
    };
    std::array<char, kLongestPath> text{};
    typed_.copy(text.data(), text.size() - 1);
    ImGui::SetNextItemWidth(-buttonWidth("Close") - ImGui::GetStyle().ItemSpacing.x);
    const bool entered =
        ImGui::InputText("##path", text.data(), text.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    typed_ = text.data();
    note(ui, "open.path");
    ImGui::SameLine();
    if (button(ui, "Close", "open.close")) return shown_.clear();
    std::error_code error;
    if (entered && fs::is_directory(typed_, error)) enter(typed_);
    if (entered && fs::is_regular_file(typed_, error)) return open(typed_);
    ImGui::BeginChild("files");
    fs::path wanted;
    if (folder_.has_relative_path() && entry(ui, "..", "open.parent", false))
        wanted = folder_.parent_path();
    for (const std::string& name : contents_.folders)
        if (entry(ui, name + "/", "open." + name, false)) wanted = folder_ / name;
    for (const std::string& name : contents_.files)
        if (entry(ui, name, "open." + name, false)) open((folder_ / name).string());
    if (contents_.files.empty()) textLine("Nothing here that can be opened.", colors::dim);
    ImGui::EndChild();
    if (!wanted.empty()) enter(wanted);
}

void OpenDialog::drawMade(const Ui& ui) {
    const Numbered* family = familyOf(shown_);
    if (family == nullptr) return;
    strongLine(ui, fmt::format("{}N", family->prefix), colors::accent);
    textLine(fmt::format("N is a number of {}, from {} to {}", family->what, family->fewest,
                         family->most),
             colors::dim);
    const NumberRange range{family->fewest, family->most, {}, true};
    numberControl(ui, "open.count", range, fieldWidth(ui.theme, range), count_, [] {});
    const std::string name = fmt::format("{}{}", family->prefix, count_);
    if (button(ui, fmt::format("Open {}", name).c_str(), "open.made", {shareOfLine(2)})) {
        shown_.clear();
        ui.frame.then([&host = ui.frame.host, name] { host.open(name); });
    }
    ImGui::SameLine();
    if (button(ui, "Close", "open.close", {-1})) shown_.clear();
}

void OpenDialog::describe(const Frame&, nlohmann::json& status) const {
    if (!shown_.empty()) status["open"] = shown_;
}

}  // namespace rayscope
