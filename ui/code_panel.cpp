#include "ui/code_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "renderer/code/compile_errors.h"
#include "renderer/code/patch.h"
#include "ui/format.h"

namespace rayscope {

namespace {

struct FormButton {
    CodeForm form;
    const char* label;
    const char* name;
    const char* help;
};
constexpr FormButton kForms[] = {
    {CodeForm::source, "Source", "code.source",
     "The files that NVRTC compiles, with the scene in them where it is baked."},
    {CodeForm::ptx, "PTX", "code.ptx",
     "What NVRTC makes of them: code for no GPU in particular, the same for code=ptx."},
    {CodeForm::sass, "SASS", "code.sass",
     "The machine code, by nvdisasm or cuobjdump of the CUDA toolkit."}};
/// A CPU has no PTX.
constexpr FormButton kHostForms[] = {
    {CodeForm::source, "Source", "code.source",
     "The files that the compiler reads, with the scene in them where it is baked."},
    {CodeForm::sass, "Assembly", "code.sass",
     "The machine code, by objdump: the kernel and the functions that it calls, each instruction "
     "with the line that it is from."}};

/// Of the kernel of this name among those that were read; nothing where the side has none.
std::optional<size_t> placeOf(const ReadCode* read, const std::string& name) {
    if (read == nullptr) return {};
    const std::vector<KernelFacts>& kernels = read->code.kernels;
    const auto found = std::ranges::find(kernels, name, &KernelFacts::name);
    if (found == kernels.end()) return {};
    return static_cast<size_t>(found - kernels.begin());
}

/// A label, and a number of each side: B's alone where nothing is pinned.
void row(const Ui& ui, const char* label, const std::string& a, const std::string& b, bool two) {
    const float width = ImGui::GetContentRegionAvail().x;
    std::vector<Column> sides{{b, width, two ? colors::accent : colors::text}};
    if (two) sides.push_back({a, .76f * width, colors::text});
    columns(ui, ui.theme.small, label, sides, 2);
}

std::string numberOf(int value) {
    return value < 0 ? "\u2014" : formatCount(static_cast<unsigned long long>(value));
}

struct KernelRow {
    const char *label, *help;
    int (*of)(const KernelFacts&);
    bool ofHost = false;  ///< a CPU has it, too
};
constexpr KernelRow kKernelRows[] = {
    {"registers", "Of a thread.", [](const KernelFacts& k) { return k.registers; }},
    {"bytes spilled",
     "Stored to and loaded from local memory by a thread, in the code, because registers do not "
     "suffice.",
     [](const KernelFacts& k) { return k.spillBytes; }},
    {"bytes of stack",
     "Of a thread, or of a call on a CPU: the frame of the kernel and the largest of a function "
     "that it calls.",
     [](const KernelFacts& k) { return k.stackBytes; }, true},
    {"bytes shared", "Of a block.", [](const KernelFacts& k) { return k.code.sharedBytes; }},
    {"bytes of code",
     "With what pads it. What does not fit into the instruction cache is fetched again.",
     [](const KernelFacts& k) { return k.code.codeBytes; }, true},
    {"instructions", "In the machine code, not as often as they run.",
     [](const KernelFacts& k) { return k.code.instructions; }}};

void kernelRows(const Ui& ui, const CodePair& pair, const std::string& name) {
    const bool two = pair.a != nullptr;
    if (two) row(ui, "", "A", "B", true);
    const auto text = [&](const ReadCode* read, const KernelRow& line) {
        const auto place = placeOf(read, name);
        return place ? numberOf(line.of(read->code.kernels[*place])) : std::string();
    };
    for (const KernelRow& line : kKernelRows) {
        if (pair.b->host() && !line.ofHost) continue;
        row(ui, line.label, text(pair.a.get(), line), text(pair.b.get(), line), two);
        hint(ui, line.help);
    }
}

/// Of the kernel in this form; of none where the side has no such kernel.
std::vector<MixRow> mixOf(const ReadCode* read, CodeForm form, const std::string& name, bool host) {
    const auto place = placeOf(read, name);
    const bool has = place && *place < read->listings(form).size();
    return rayscope::mixRows(has ? read->listings(form)[*place] : Listing{}, host);
}

void mixRows(const Ui& ui, const CodePair& pair, const std::string& name) {
    const CodeForm form = pair.b->bestForm();
    const bool host = pair.b->host();
    const auto a = mixOf(pair.a.get(), form, name, host), b = mixOf(pair.b.get(), form, name, host);
    paragraph(fmt::format("Instructions of {}", nameOf(form, host)), colors::dim);
    for (size_t k = 0; k < b.size(); ++k) {
        if (a[k].count == 0 && b[k].count == 0) continue;
        row(ui, b[k].name.c_str(), numberOf(a[k].count), numberOf(b[k].count), pair.a != nullptr);
    }
    if (form == CodeForm::ptx) {
        hint(ui,
             "One line of PTX may become many instructions or none. With a disassembler those of "
             "the machine code are counted.");
    }
}

void verdictLine(const Ui& ui, const CodeVerdict& verdict) {
    if (verdict.sentence.empty()) return;
    paragraph(verdict.sentence,
              verdict.relation == CodeRelation::noise ? colors::accent : colors::text);
    note(ui, "code.verdict");
}

constexpr float kFileUnits = 210, kSearchUnits = 120;  ///< where there is room
constexpr float kFileShare = .55f;

/// By CodeColor.
const ImVec4* const kColors[] = {&colors::text, &colors::accent, &colors::dim, &colors::warning};

/// "core/path.h"
const char* shortName(const std::string& file) {
    constexpr std::string_view folder = "renderer/";
    return file.c_str() + (file.starts_with(folder) ? folder.size() : 0);
}

/// What the header's buttons leave of the rest of the line.
float room(bool source, const std::string& said) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    float width = ImGui::GetContentRegionAvail().x - gap - buttonWidth("Copy");
    if (source) width -= gap + buttonWidth("Edit");
    if (!said.empty()) width -= gap + ImGui::CalcTextSize(said.c_str()).x;
    return std::max(width, 1.f);
}

/// What one line is drawn with.
struct RowStyle {
    float height, digit, gutter;
    CodeForm form;
    float hot = 0;  ///< width of what was executed; 0: not known
};

// In digits: "  15.4  17.5 ", a bar, "   6.1  long scoreboard", under their titles.
constexpr int kHotDigits = 20, kBarAt = 13, kBarDigits = 6, kTimeDigits = 8, kReasonDigits = 21;
constexpr const char *kHotTitles = " instr lanes", *kSampledTitles = "  time error";
constexpr const char* kTimeTitle = "  time";
constexpr const char* kReasonTitle = "waiting most for";
/// Of a pane in which there is room for reasons.
constexpr int kWideDigits = 110;

/// Of what is known of a line.
int hotDigits(const HotText& hot, int paneDigits) {
    if (!hot.any()) return 0;
    if (!hot.timed()) return kHotDigits;
    return kHotDigits + kTimeDigits + (paneDigits >= kWideDigits ? kReasonDigits : 0);
}

/// The share of the warps' time, and what they wait for most.
void drawStalls(const Ui& ui, const HotText& hot, const Sampled& sampled, const RowStyle& style,
                ImVec2 at) {
    if (sampled.all() == 0) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, ui.theme.mono, at, packed(colors::text),
             fmt::format("{:>6.1f}", 100 * hot.time(sampled)));
    if (style.hot > (kHotDigits + kTimeDigits) * style.digit)
        drawText(list, ui.theme.mono, {at.x + kTimeDigits * style.digit, at.y}, packed(colors::dim),
                 mainStall(sampled, hot.reasons()));
}

/// The share of instructions, their lanes, and a bar as long as the first, bright as the second.
void drawExecuted(const Ui& ui, const HotText& hot, const HotRow& row, const RowStyle& style,
                  ImVec2 at) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Executed& executed = row.executed;
    const double lanes = hot.sampled() ? 32 : executed.perWarp();
    drawText(list, ui.theme.mono, at, packed(colors::text),
             fmt::format("{:>6.1f}", 100 * hot.share(executed)));
    drawText(list, ui.theme.mono, {at.x + 6 * style.digit, at.y}, packed(colors::dim),
             fmt::format("{:>6.1f}", hot.sampled() ? 100 * hot.error(executed) : lanes));
    const float left = at.x + kBarAt * style.digit, width = kBarDigits * style.digit;
    const float length = std::max(1.f, width * static_cast<float>(hot.height(executed)));
    const float top = at.y + .25f * style.height, bottom = at.y + .75f * style.height;
    list.AddRectFilled({left, top}, {left + length, bottom}, packed(colors::warning, .45f));
    list.AddRectFilled({left, top}, {left + length * static_cast<float>(lanes / 32), bottom},
                       packed(colors::accent));
    if (hot.timed())
        drawStalls(ui, hot, row.sampled, style, {at.x + kHotDigits * style.digit, at.y});
}

void drawHotTitles(const Ui& ui, const HotText& hot, const RowStyle& style) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    ImVec2 at = ImGui::GetCursorScreenPos();
    at.x += style.gutter;
    const auto title = [&](int digits, const char* text) {
        drawText(list, ui.theme.mono, {at.x + static_cast<float>(digits) * style.digit, at.y},
                 packed(colors::dim), text);
    };
    title(0, hot.sampled() ? kSampledTitles : kHotTitles);
    if (hot.timed()) title(kHotDigits, kTimeTitle);
    if (style.hot > (kHotDigits + kTimeDigits) * style.digit)
        title(kHotDigits + kTimeDigits, kReasonTitle);
    ImGui::Dummy({style.hot, style.height});
}

/// All reasons of a line that is pointed at.
void explainStalls(const Ui& ui, const HotText& hot, const Sampled& sampled, const Rect& area) {
    beginTooltip(ui, area);
    textLine(fmt::format("{:.1f} % of the warps' time; of that", 100 * hot.time(sampled)),
             colors::text);
    for (const auto& [samples, name] : stallsOf(sampled, hot.reasons())) {
        const double part = static_cast<double>(samples) / static_cast<double>(sampled.all());
        if (part >= .005) textLine(fmt::format("{:3.0f} %  {}", 100 * part, name), colors::dim);
    }
    endTooltip(ui);
}

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

void drawRow(const Ui& ui, const CodeRow& row, const RowStyle& style, const HotText& hot,
             const HotRow* executed, bool wrong, bool found) {
    const Face& face = ui.theme.mono;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    background(row, wrong, found, at, style.height);
    float x = at.x;
    if (row.folded > 0) {
        drawText(list, face, {x + style.gutter + style.hot, at.y}, packed(colors::dim),
                 fmt::format("{} lines are the same", row.folded));
    } else {
        const int number = row.kind == DiffKind::removed ? row.a : row.b;
        const char sign = row.kind == DiffKind::removed ? '-'
                          : row.kind == DiffKind::added ? '+'
                                                        : ' ';
        const std::string text = fmt::format("{:>5} {}", number, sign);
        drawText(list, face, {x, at.y}, packed(colors::dim, .8f), text);
        x += style.gutter;
        if (executed != nullptr) drawExecuted(ui, hot, *executed, style, {x, at.y});
        x += style.hot;
        for (const CodeSpan& span : spansOf(row.text, style.form)) {
            const std::string part(span.text);
            drawText(list, face, {x, at.y}, packed(*kColors[static_cast<size_t>(span.color)]),
                     part);
            x += textSize(face, part).x;
        }
    }
    ImGui::Dummy({x - at.x + style.digit, style.height});
    const Rect area{at.x + style.gutter, at.y, style.hot, style.height};
    if (executed != nullptr && executed->sampled.all() > 0 && ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect(area.low(), area.high()))
        explainStalls(ui, hot, executed->sampled, area);
}

}  // namespace

void CodeTab::drawForms(const Ui& ui) {
    const bool host = reader_.pair() != nullptr && reader_.pair()->b->host();
    if (host && choice_.form == CodeForm::ptx) choice_.form = CodeForm::sass;
    const auto forms = host ? std::span<const FormButton>(kHostForms) : std::span(kForms);
    for (const FormButton& form : forms) {
        if (partButton(ui, form.label, form.name, static_cast<int>(forms.size()),
                       form.form == CodeForm::source, form.help, choice_.form == form.form))
            choice_.form = form.form;
    }
    const bool pinned = ui.frame.state.pinned.has_value();
    checkbox(
        ui, "Difference from A", "code.diff", choice_.diff, pinned,
        pinned ? "The lines that the pinned settings' sources, PTX or machine code have "
                 "otherwise: A's with -, B's with +. Numbers of registers and labels do not count."
               : "Pin settings as A (P) to see what differs.");
}

void CodeTab::drawKernelChoice(const Ui& ui, const CodePair& pair) {
    if (pair.kernels.size() < 2) return;
    std::string chosen = pair.kernels[kernelIndex(pair, choice_.kernel)];
    ImGui::SetNextItemWidth(-1);
    if (nameCombo(ui, "code.kernel", pair.kernels, chosen)) choice_.kernel = chosen;
}

void CodeTab::drawErrors(const Ui& ui, const std::string& log) {
    const std::vector<CompileError> errors = errorsIn(log);
    if (errors.empty()) {
        paragraph(log, colors::warning);
        note(ui, "code.problem");
        return;
    }
    const Settings& settings = ui.frame.state.settings;
    const bool going = goesOn(ui.frame.host.kernel(), settings.source);
    paragraph(going ? "It does not compile. The last good kernel goes on." : "It does not compile.",
              colors::warning);
    for (size_t i = 0; i < errors.size(); ++i) {
        const CompileError& error = errors[i];
        ImGui::PushID(static_cast<int>(i));
        const std::string text = fmt::format("{}:{}", error.file, error.line);
        const float room = ImGui::GetContentRegionAvail().x;
        if (entry(ui, fitted(ui.theme.body, text, room), fmt::format("code.error.{}", i), false)) {
            goTo(error.file, error.line);
        }
        hint(ui, rayscope::describe(error));
        paragraph(error.message, colors::text);
        ImGui::PopID();
    }
}

void CodeTab::drawFindings(const Ui& ui, const CodePair& pair) {
    const ReadCode& b = *pair.b;
    const bool gpu = ui.frame.state.settings.backend == Backend::cuda;
    if (!b.problem.empty()) return drawErrors(ui, b.problem);
    if (pair.a && !pair.a->problem.empty()) paragraph("A: " + pair.a->problem, colors::warning);
    paragraph(fmt::format("{}{}, {}", gpu || b.host() ? "" : "What a GPU would run, compiled for ",
                          targetOf(b.code), b.code.compiler),
              colors::dim);
    if (!b.host() && b.wish.settings.variant.code == Code::ptx)
        paragraph("The driver makes its own machine code of this PTX.", colors::dim);
    verdictLine(ui, pair.verdict);
    space(ui, 2);
    drawHot(ui, pair);
    space(ui, 2);
    drawKernelChoice(ui, pair);
    const std::string& name = pair.kernels[kernelIndex(pair, choice_.kernel)];
    kernelRows(ui, pair, name);
    space(ui, 2);
    mixRows(ui, pair, name);
    if (b.noSass.empty()) return;
    space(ui, 2);
    paragraph(b.noSass, colors::dim);
}

/// Nothing of it is compiled before it has been shown, and a button under it was pressed.
void CodeTab::drawOffer(const Ui& ui) {
    if (offered_.patches.empty()) return;
    paragraph("What was opened has edited kernels:", colors::warning);
    for (const auto& [name, patch] : offered_.patches) {
        if (button(ui, fmt::format("Show source={}", name).c_str(), "code.offer." + name, {-1},
                   "Shows how they differ from those built in; nothing is compiled yet."))
            shownPatch_ = name;
    }
    space(ui, 2);
}

void CodeTab::drawPanel(const Ui& ui) {
    if (lesson_ != nullptr) lesson_->drawPanel(ui);
    drawOffer(ui);
    drawForms(ui);
    const CodePair* pair = reader_.pair();
    if (pair == nullptr) return paragraph("The kernel is being compiled...", colors::dim);
    drawFindings(ui, *pair);
    // Below, so that nothing moves while the next is read.
    if (!current_) paragraph("Of the settings before.", colors::warning);
}

void CodeTab::draw(const Ui& ui) {
    if (wantsPane(ui.frame) && ui.layout.pane.height > 0) drawPane(ui, *reader_.pair());
}

/// The file that is shown until another is chosen: the kernel's, unless it is only a few lines that
/// call what it includes.
static int beginsIn(const std::vector<KernelSource>& files) {
    constexpr int kFewLines = 20;
    const auto lines = std::ranges::count(files[0].text, '\n');
    return files.size() > 1 && lines < kFewLines ? 1 : 0;
}

void CodeTab::drawFileChoice(const Ui& ui, const CodePair& pair, const std::string& said) {
    const std::vector<KernelSource>& files = pair.b->files;
    if (files.empty()) return;
    std::vector<Option> options;
    int now = beginsIn(files);
    for (const KernelSource& file : files) {
        if (file.name == choice_.file) now = static_cast<int>(options.size());
        const KernelSource* const ofA = choice_.diff ? pair.fileOfA(file.name) : nullptr;
        const bool differs = ofA != nullptr && *ofA != file;
        options.push_back(
            {file.name, std::string(shortName(file.name)) + (differs ? "  \u00b1" : "")});
    }
    choice_.file = files[static_cast<size_t>(now)].name;
    ImGui::SetNextItemWidth(std::min(ui.theme.units(kFileUnits), kFileShare * room(true, said)));
    if (const auto chosen = combo(ui, "code.file", options, now)) {
        choice_.file = files[static_cast<size_t>(*chosen)].name;
        goTo_ = 0;
    }
    ImGui::SameLine();
}

void CodeTab::drawSearch(const Ui& ui, const std::string& said) {
    const bool source = choice_.form == CodeForm::source;
    ImGui::SetNextItemWidth(std::min(ui.theme.units(kSearchUnits), room(source, said)));
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

void CodeTab::drawPatchHeader(const Ui& ui) {
    if (button(ui, "Use these kernels", "code.use", {},
               "Writes them into a folder of their own and compiles them."))
        ui.frame.then([this, &frame = ui.frame, name = shownPatch_] { use(name, frame); });
    ImGui::SameLine();
    if (button(ui, "Close", "code.offer.close")) shownPatch_.clear();
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    const std::string text = fmt::format("source={} against those built in: {} files differ",
                                         shownPatch_, filesOfPatch(choice_.patch).size());
    textLine(fitted(ui.theme.body, text, ImGui::GetContentRegionAvail().x), colors::dim);
}

void CodeTab::drawHeader(const Ui& ui, const CodePair& pair) {
    const bool source = choice_.form == CodeForm::source;
    std::string said;
    if (!choice_.search.empty())
        said = fmt::format("{} found", text_.found().size());
    else if (choice_.diff && pair.a)
        said = fmt::format("{} lines differ", text_.changes());
    if (source) drawFileChoice(ui, pair, said);
    drawSearch(ui, said);
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
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(said.c_str());
    note(ui, "code.said");
}

/// The lines of the file on which the compiler found errors.
std::vector<int> CodeTab::wrongLines(const CodePair& pair) const {
    std::vector<int> lines;
    if (choice_.form != CodeForm::source || !choice_.patch.empty() || pair.b->problem.empty())
        return lines;
    for (const CompileError& error : errorsIn(pair.b->problem)) {
        if (error.file == choice_.file) lines.push_back(error.line);
    }
    return lines;
}

void CodeTab::drawText(const Ui& ui, const CodePair& pair) {
    const float digit = textSize(ui.theme.mono, "0").x;
    const CodeForm form = choice_.patch.empty() ? choice_.form : CodeForm::source;
    const int paneDigits = static_cast<int>(ImGui::GetContentRegionAvail().x / digit);
    const RowStyle style{std::ceil(ui.theme.mono.size * 1.2f), digit, 8 * digit, form,
                         static_cast<float>(hotDigits(hotText_, paneDigits)) * digit};
    const std::vector<int> wrong = wrongLines(pair);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    if (hotText_.any()) drawHotTitles(ui, hotText_, style);
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
            drawRow(ui, row, style, hotText_, hotText_.of(static_cast<size_t>(i)), isWrong, found);
        }
    }
    firstLine_ = 1 + static_cast<int>((ImGui::GetScrollY() + middle) / style.height);
    noteWindow(ui, "code.text");
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

/// Empty where there is something to show.
std::string CodeTab::reasonForNothing(const CodePair& pair) const {
    if (!choice_.patch.empty()) return {};
    if (choice_.form == CodeForm::source && pair.b->files.empty()) return pair.b->problem;
    if (choice_.form == CodeForm::source && choice_.diff && pair.a && text_.changes() == 0)
        return "No line of this file differs.";
    if (choice_.form == CodeForm::source) return {};
    if (!pair.b->problem.empty()) return "There is none: it does not compile.";
    if (choice_.form == CodeForm::sass && !pair.b->noSass.empty()) return pair.b->noSass;
    if (choice_.diff && pair.a && text_.changes() == 0)
        return "No line differs but for numbers of registers and labels.";
    return {};
}

void CodeTab::drawPane(const Ui& ui, const CodePair& pair) {
    if (!ui.frame.state.pinned) choice_.diff = false;
    const auto offered = offered_.patches.find(shownPatch_);
    choice_.patch = offered != offered_.patches.end() ? offered->second : "";
    text_.show(pair, reader_.number(), choice_);
    const HotWork* const work = choice_.patch.empty() ? counted(pair.b.get()) : nullptr;
    hotText_.show(work, hot_.number(), pair, reader_.number(), text_, choice_);
    if (goToLine_) goTo_ = text_.rowOfLine(*goToLine_);
    goToLine_.reset();
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
    beginPane("Code text", ui.layout.pane);
    choice_.patch.empty() ? drawHeader(ui, pair) : drawPatchHeader(ui);
    const std::string reason = reasonForNothing(pair);
    reason.empty() ? drawText(ui, pair) : paragraph(reason, colors::text);
    endPanel(ui, "panel.code_text");
    ImGui::PopStyleColor();
}

}  // namespace rayscope
