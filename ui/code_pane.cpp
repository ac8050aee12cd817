#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/code/compile_errors.h"
#include "ui/code_panel.h"

namespace rayscope {

namespace {

/// Of the picture's height.
constexpr float kHeightShare = .6f;
constexpr float kFileUnits = 210, kSearchUnits = 120;  ///< where there is room
constexpr float kFileShare = .55f;

const ImVec4& colorOf(CodeColor color) {
    switch (color) {
        case CodeColor::operation:
            return colors::accent;
        case CodeColor::comment:
            return colors::dim;
        case CodeColor::label:
            return colors::warning;
        case CodeColor::plain:
            break;
    }
    return colors::text;
}

/// "core/path.h"
const char* shortName(const std::string& file) {
    constexpr std::string_view folder = "renderer/";
    return file.c_str() + (file.starts_with(folder) ? folder.size() : 0);
}

float buttonWidth(const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

/// What the header's buttons leave of the rest of the line.
float room(bool source) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    float width = ImGui::GetContentRegionAvail().x - gap - buttonWidth("Copy");
    if (source) width -= gap + buttonWidth("Edit");
    return std::max(width, 1.f);
}

void fileCombo(const Ui& ui, const CodePair& pair, CodeTab& tab) {
    const std::vector<KernelSource>& files = pair.b->files;
    if (files.empty()) return;
    const auto named = [&](const KernelSource& file) { return file.name == tab.choice.file; };
    if (std::none_of(files.begin(), files.end(), named)) tab.choice.file = files.front().name;
    ImGui::SetNextItemWidth(std::min(ui.theme.units(kFileUnits), kFileShare * room(true)));
    if (ImGui::BeginCombo("##code-file", shortName(tab.choice.file), ImGuiComboFlags_HeightLarge)) {
        for (const KernelSource& file : files) {
            if (ImGui::Selectable(shortName(file.name), file.name == tab.choice.file)) {
                tab.choice.file = file.name;
                tab.goTo = 0;
            }
            ui.drawn[fmt::format("code.file.{}", file.name)] = {itemRect()};
        }
        ImGui::EndCombo();
    } else {
        ui.drawn["code.file"] = {itemRect()};
    }
    ImGui::SameLine();
}

void searchField(const Ui& ui, CodeTab& tab) {
    const bool source = tab.choice.form == CodeForm::source;
    ImGui::SetNextItemWidth(std::min(ui.theme.units(kSearchUnits), room(source)));
    const bool entered =
        ImGui::InputTextWithHint("##code-search", "search", tab.search.data(), tab.search.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue);
    ui.drawn["code.search"] = {itemRect()};
    if (entered) ImGui::SetKeyboardFocusHere(-1);  // so that Enter goes on to the next
    const bool other = tab.choice.search != tab.search.data();
    tab.choice.search = tab.search.data();
    if (!entered && !other) return;
    // The rows of this frame are those of the text before.
    tab.found = other ? 0 : tab.found;
    if (const auto next = tab.text.next(tab.found); entered && next) tab.goTo = tab.found = *next;
}

void header(const Ui& ui, const CodePair& pair, CodeTab& tab, CodeRequests& requests) {
    const bool source = tab.choice.form == CodeForm::source;
    if (source) fileCombo(ui, pair, tab);
    searchField(ui, tab);
    ImGui::SameLine();
    if (ImGui::Button("Copy")) ImGui::SetClipboardText(tab.text.all().c_str());
    ui.drawn["code.copy"] = {itemRect()};
    if (source) {
        ImGui::SameLine();
        const bool scene = tab.choice.file == kBakedSource;  // made from the scene
        ImGui::BeginDisabled(scene);
        if (ImGui::Button("Edit")) {
            requests.edit = tab.choice.file;
            requests.line = tab.firstLine;
        }
        ImGui::EndDisabled();
        ui.drawn["code.edit"] = {itemRect(), !scene};
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip(
                "Opens the file in your editor; saving it compiles the kernel again.\n"
                "RAYSCOPE_EDITOR=\"code -g {file}:{line}\" names one.");
    }
    ImGui::SameLine();
    std::string said;
    if (!tab.choice.search.empty())
        said = fmt::format("{} found", tab.text.found().size());
    else if (tab.choice.diff && !source && pair.a)
        said = fmt::format("{} lines differ", tab.text.changes());
    ImGui::TextUnformatted(said.c_str());
}

/// What one line is drawn with.
struct RowStyle {
    float height, digit, gutter;
    CodeForm form;
};

void background(const CodeRow& row, bool wrong, bool found, ImVec2 at, float height) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float left = ImGui::GetWindowPos().x, right = left + ImGui::GetWindowSize().x;
    const auto fill = [&](const ImVec4& color, float opacity) {
        list.AddRectFilled({left, at.y}, {right, at.y + height}, packed(color, opacity));
    };
    if (row.kind == DiffKind::removed || wrong) fill(colors::warning, .20f);
    if (row.kind == DiffKind::added) fill(colors::accent, .18f);
    if (found) fill(colors::text, .12f);
}

void drawRow(const Ui& ui, const CodeRow& row, const RowStyle& style, bool wrong, bool found) {
    const Face& face = ui.theme.mono;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    background(row, wrong, found, at, style.height);
    float x = at.x;
    if (row.folded > 0) {
        drawText(list, face, {x + style.gutter, at.y}, packed(colors::dim),
                 fmt::format("{} lines are the same", row.folded));
    } else {
        const int number = row.kind == DiffKind::removed ? row.a : row.b;
        const std::string text = fmt::format("{:>5}", number);
        drawText(list, face, {x, at.y}, packed(colors::dim, .6f), text);
        x += style.gutter;
        for (const CodeSpan& span : spansOf(row.text, style.form)) {
            const std::string part(span.text);
            drawText(list, face, {x, at.y}, packed(colorOf(span.color)), part);
            x += textSize(face, part).x;
        }
    }
    ImGui::Dummy({x - at.x + style.digit, style.height});
}

/// The lines of the file on which the compiler found errors.
std::vector<int> wrongLines(const CodePair& pair, const CodeTab& tab) {
    std::vector<int> lines;
    if (tab.choice.form != CodeForm::source || pair.b->problem.empty()) return lines;
    for (const CompileError& error : errorsIn(pair.b->problem)) {
        if (error.file == tab.choice.file) lines.push_back(error.line);
    }
    return lines;
}

void text(const Ui& ui, const CodePair& pair, CodeTab& tab) {
    const float digit = textSize(ui.theme.mono, "0").x;
    const RowStyle style{std::ceil(ui.theme.mono.size * 1.2f), digit, 6 * digit, tab.choice.form};
    const std::vector<CodeRow>& rows = tab.text.rows();
    const std::vector<int> wrong = wrongLines(pair, tab);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("code", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    if (tab.goTo) {
        const float y = static_cast<float>(*tab.goTo) * style.height;
        ImGui::SetScrollY(std::max(0.f, y - .4f * ImGui::GetWindowHeight()));
        tab.goTo.reset();
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows.size()), style.height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const CodeRow& row = rows[static_cast<size_t>(i)];
            const bool isWrong = std::find(wrong.begin(), wrong.end(), row.b) != wrong.end();
            const bool found = std::binary_search(tab.text.found().begin(), tab.text.found().end(),
                                                  static_cast<size_t>(i));
            drawRow(ui, row, style, isWrong, found);
        }
    }
    tab.firstLine =
        1 + static_cast<int>((ImGui::GetScrollY() + .4f * ImGui::GetWindowHeight()) / style.height);
    ui.drawn["code.text"] = {windowRect()};
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

/// Why there is nothing to show; empty where there is.
std::string nothing(const CodePair& pair, const CodeTab& tab) {
    if (tab.choice.form == CodeForm::source)
        return pair.b->files.empty() ? pair.b->problem : std::string();
    if (!pair.b->problem.empty()) return "There is none: it does not compile.";
    if (tab.choice.form == CodeForm::sass && !pair.b->noSass.empty()) return pair.b->noSass;
    if (tab.choice.diff && pair.a && tab.text.changes() == 0)
        return "No line differs but for numbers of registers and labels.";
    return {};
}

}  // namespace

void drawCodePane(const Ui& ui, const CodeFacts& facts, CodeTab& tab, CodeRequests& requests) {
    const CodePair& pair = *facts.reader.pair();
    if (!facts.state.pinned) tab.choice.diff = false;
    tab.text.show(pair, facts.reader.number(), tab.choice);
    if (tab.goToLine) {
        tab.goTo = tab.text.rowOfLine(*tab.goToLine);
        tab.goToLine.reset();
    }
    const Rect& free = ui.layout.free;
    const float height = std::floor(kHeightShare * free.height);
    ImGui::SetNextWindowPos({free.x, free.y + free.height - height});
    ImGui::SetNextWindowSize({free.width, height});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
    ImGui::Begin("Code text", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoNav);
    header(ui, pair, tab, requests);
    const std::string reason = nothing(pair, tab);
    if (reason.empty()) {
        text(ui, pair, tab);
    } else {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(reason.c_str());
        ImGui::PopTextWrapPos();
    }
    ui.drawn["panel.code_text"] = {windowRect()};
    ImGui::End();
    ImGui::PopStyleColor();
}

}  // namespace rayscope
