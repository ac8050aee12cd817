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

/// What the header's buttons leave of the rest of the line.
float room(bool source) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    float width = ImGui::GetContentRegionAvail().x - gap - buttonWidth("Copy");
    if (source) width -= gap + buttonWidth("Edit");
    return std::max(width, 1.f);
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

}  // namespace

void CodeTab::drawFileChoice(const Ui& ui, const CodePair& pair) {
    const std::vector<KernelSource>& files = pair.b->files;
    if (files.empty()) return;
    std::vector<Option> options;
    int now = 0;
    for (const KernelSource& file : files) {
        if (file.name == choice_.file) now = static_cast<int>(options.size());
        options.push_back({file.name, shortName(file.name)});
    }
    choice_.file = files[static_cast<size_t>(now)].name;
    ImGui::SetNextItemWidth(std::min(ui.theme.units(kFileUnits), kFileShare * room(true)));
    if (const auto chosen = combo(ui, "code.file", options, now)) {
        choice_.file = files[static_cast<size_t>(*chosen)].name;
        goTo_ = 0;
    }
    ImGui::SameLine();
}

void CodeTab::drawSearch(const Ui& ui) {
    const bool source = choice_.form == CodeForm::source;
    ImGui::SetNextItemWidth(std::min(ui.theme.units(kSearchUnits), room(source)));
    const bool entered =
        ImGui::InputTextWithHint("##code-search", "search", search_.data(), search_.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue);
    note(ui, "code.search");
    if (entered) ImGui::SetKeyboardFocusHere(-1);  // so that Enter goes on to the next
    const bool other = choice_.search != search_.data();
    choice_.search = search_.data();
    if (!entered && !other) return;
    // The rows of this frame are those of the text before.
    found_ = other ? 0 : found_;
    if (const auto next = text_.next(found_); entered && next) goTo_ = found_ = *next;
}

void CodeTab::drawHeader(const Ui& ui, const CodePair& pair) {
    const bool source = choice_.form == CodeForm::source;
    if (source) drawFileChoice(ui, pair);
    drawSearch(ui);
    ImGui::SameLine();
    if (button(ui, "Copy", "code.copy")) ImGui::SetClipboardText(text_.all().c_str());
    if (source) {
        ImGui::SameLine();
        const bool scene = choice_.file == kBakedSource;  // made from the scene
        if (button(ui, "Edit", "code.edit", {.enabled = !scene},
                   "Opens the file in your editor; saving it compiles the kernel again.\n"
                   "RAYSCOPE_EDITOR=\"code -g {file}:{line}\" names one."))
            ui.frame.then([this, &frame = ui.frame] { edit(frame); });
    }
    ImGui::SameLine();
    std::string said;
    if (!choice_.search.empty())
        said = fmt::format("{} found", text_.found().size());
    else if (choice_.diff && !source && pair.a)
        said = fmt::format("{} lines differ", text_.changes());
    ImGui::TextUnformatted(said.c_str());
}

/// The lines of the file on which the compiler found errors.
std::vector<int> CodeTab::wrongLines(const CodePair& pair) const {
    std::vector<int> lines;
    if (choice_.form != CodeForm::source || pair.b->problem.empty()) return lines;
    for (const CompileError& error : errorsIn(pair.b->problem)) {
        if (error.file == choice_.file) lines.push_back(error.line);
    }
    return lines;
}

void CodeTab::drawText(const Ui& ui, const CodePair& pair) {
    const float digit = textSize(ui.theme.mono, "0").x;
    const RowStyle style{std::ceil(ui.theme.mono.size * 1.2f), digit, 6 * digit, choice_.form};
    const std::vector<int> wrong = wrongLines(pair);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("code", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    const float middle = .4f * ImGui::GetWindowHeight();
    if (goTo_) ImGui::SetScrollY(std::max(0.f, static_cast<float>(*goTo_) * style.height - middle));
    goTo_.reset();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(text_.rows().size()), style.height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const CodeRow& row = text_.rows()[static_cast<size_t>(i)];
            const bool isWrong = std::find(wrong.begin(), wrong.end(), row.b) != wrong.end();
            const bool found = std::binary_search(text_.found().begin(), text_.found().end(),
                                                  static_cast<size_t>(i));
            drawRow(ui, row, style, isWrong, found);
        }
    }
    firstLine_ = 1 + static_cast<int>((ImGui::GetScrollY() + middle) / style.height);
    noteWindow(ui, "code.text");
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

/// Empty where there is something to show.
std::string CodeTab::reasonForNothing(const CodePair& pair) const {
    if (choice_.form == CodeForm::source)
        return pair.b->files.empty() ? pair.b->problem : std::string();
    if (!pair.b->problem.empty()) return "There is none: it does not compile.";
    if (choice_.form == CodeForm::sass && !pair.b->noSass.empty()) return pair.b->noSass;
    if (choice_.diff && pair.a && text_.changes() == 0)
        return "No line differs but for numbers of registers and labels.";
    return {};
}

void CodeTab::drawPane(const Ui& ui, const CodePair& pair) {
    if (!ui.frame.state.pinned) choice_.diff = false;
    text_.show(pair, reader_.number(), choice_);
    if (goToLine_) goTo_ = text_.rowOfLine(*goToLine_);
    goToLine_.reset();
    const Rect& free = ui.layout.free;
    const float height = std::floor(kHeightShare * free.height);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
    beginPane("Code text", {free.x, free.y + free.height - height, free.width, height});
    drawHeader(ui, pair);
    const std::string reason = reasonForNothing(pair);
    reason.empty() ? drawText(ui, pair) : paragraph(reason, colors::text);
    endPanel(ui, "panel.code_text");
    ImGui::PopStyleColor();
}

}  // namespace rayscope
