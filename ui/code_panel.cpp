#include "ui/code_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/code/compile_errors.h"
#include "ui/format.h"

namespace rayscope {

namespace {

void space(const Ui& ui) {
    ImGui::Dummy({1, ui.theme.units(2)});
}

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

void formRow(const Ui& ui, const CodeFacts& facts, CodeTab& tab) {
    const float gap = ImGui::GetStyle().ItemSpacing.x / 2;
    const float width = std::floor((ImGui::GetContentRegionAvail().x - 2 * gap) / 3);
    for (const FormButton& button : kForms) {
        if (button.form != CodeForm::source) ImGui::SameLine(0, gap);
        const bool lit = tab.choice.form == button.form;
        if (lit) ImGui::PushStyleColor(ImGuiCol_Text, colors::accent);
        if (ImGui::Button(button.label, {width, 0})) tab.choice.form = button.form;
        if (lit) ImGui::PopStyleColor();
        ui.drawn[button.name] = {itemRect()};
        hint(ui, button.help);
    }
    const bool pinned = facts.state.pinned.has_value();
    const bool possible = pinned && tab.choice.form != CodeForm::source;
    ImGui::BeginDisabled(!possible);
    ImGui::Checkbox("Difference from A", &tab.choice.diff);
    ImGui::EndDisabled();
    ui.drawn["code.diff"] = {itemRect(), possible};
    hint(ui, pinned ? "The lines that the pinned settings' PTX or SASS has otherwise: A's red, B's "
                      "green. Numbers of registers and labels do not count."
                    : "Pin settings as A (P) to see what differs.");
}

void kernelCombo(const Ui& ui, const CodePair& pair, CodeTab& tab) {
    if (pair.kernels.size() < 2) return;
    const std::string& chosen = pair.kernels[kernelIndex(pair, tab.choice.kernel)];
    ImGui::SetNextItemWidth(-1);
    if (ImGui::BeginCombo("##code-kernel", chosen.c_str())) {
        for (const std::string& name : pair.kernels) {
            if (ImGui::Selectable(name.c_str(), name == chosen)) tab.choice.kernel = name;
            ui.drawn[fmt::format("code.kernel.{}", name)] = {itemRect()};
        }
        ImGui::EndCombo();
    } else {
        ui.drawn["code.kernel"] = {itemRect()};
    }
}

/// The kernel of this name, or nullptr.
const KernelFacts* factsOf(const ReadCode* read, const std::string& name) {
    if (read == nullptr) return nullptr;
    for (const KernelFacts& kernel : read->code.kernels) {
        if (kernel.name == name) return &kernel;
    }
    return nullptr;
}

/// A label, and a number of each side: B's alone where nothing is pinned.
void row(const Ui& ui, const char* label, const std::string& a, const std::string& b, bool two) {
    const Face& face = ui.theme.small;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, face, at, packed(colors::dim), label);
    const float right = at.x + width, middle = right - .24f * width;
    drawText(list, face, {right - textSize(face, b).x, at.y},
             packed(two ? colors::accent : colors::text), b);
    if (two) drawText(list, face, {middle - textSize(face, a).x, at.y}, packed(colors::text), a);
    ImGui::Dummy({width, face.size + ui.theme.units(2)});
}

std::string numberOf(int value) {
    return value < 0 ? "\u2014" : formatCount(static_cast<unsigned long long>(value));
}

void kernelRows(const Ui& ui, const CodePair& pair, const std::string& name) {
    const KernelFacts *a = factsOf(pair.a.get(), name), *b = factsOf(pair.b.get(), name);
    const bool two = pair.a != nullptr;
    if (two) row(ui, "", "A", "B", true);
    const auto line = [&](const char* label, const auto& of, const char* help) {
        row(ui, label, a != nullptr ? numberOf(of(*a)) : "", b != nullptr ? numberOf(of(*b)) : "",
            two);
        hint(ui, help);
    };
    line(
        "registers", [](const KernelFacts& k) { return k.registers; }, "Of a thread.");
    line(
        "bytes spilled", [](const KernelFacts& k) { return k.spillBytes; },
        "Stored to and loaded from local memory by a thread, in the code, because registers do "
        "not suffice.");
    line(
        "bytes of stack", [](const KernelFacts& k) { return k.stackBytes; },
        "Of a thread: the frame of the kernel and the largest of a function that it calls.");
    line(
        "bytes shared", [](const KernelFacts& k) { return k.code.sharedBytes; }, "Of a block.");
    line(
        "bytes of code", [](const KernelFacts& k) { return k.code.codeBytes; },
        "With what pads it. What does not fit into the instruction cache is fetched again.");
    line(
        "instructions", [](const KernelFacts& k) { return k.code.instructions; },
        "In the machine code, not as often as they run.");
}

/// Of the kernel in this form; of none where the side has no such kernel.
InstructionMix mixOf(const ReadCode* read, CodeForm form, const std::string& name) {
    if (read == nullptr) return {};
    const std::vector<Listing>& listings = read->listings(form);
    for (size_t i = 0; i < listings.size(); ++i) {
        if (read->code.kernels[i].name == name) return listings[i].mix;
    }
    return {};
}

void mixRows(const Ui& ui, const CodePair& pair, const std::string& name) {
    const CodeForm form = pair.b->bestForm();
    const InstructionMix a = mixOf(pair.a.get(), form, name), b = mixOf(pair.b.get(), form, name);
    paragraph(form == CodeForm::sass ? "Instructions of SASS" : "Instructions of PTX", colors::dim);
    for (size_t k = 0; k < kInstructionKinds; ++k) {
        if (a.count[k] == 0 && b.count[k] == 0) continue;
        row(ui, nameOf(static_cast<InstructionKind>(k)), numberOf(a.count[k]), numberOf(b.count[k]),
            pair.a != nullptr);
    }
    if (form == CodeForm::ptx) {
        hint(ui,
             "One line of PTX may become many instructions or none. With a disassembler those of "
             "the machine code are counted.");
    }
}

void errorRows(const Ui& ui, const std::string& log, bool gpu, CodeTab& tab) {
    const std::vector<CompileError> errors = errorsIn(log);
    if (errors.empty()) {
        paragraph(log, colors::warning);
        ui.drawn["code.problem"] = {itemRect()};
        return;
    }
    paragraph(gpu ? "It does not compile. The last good kernel goes on." : "It does not compile.",
              colors::warning);
    for (size_t i = 0; i < errors.size(); ++i) {
        const CompileError& error = errors[i];
        ImGui::PushID(static_cast<int>(i));
        const std::string text = fmt::format("{}:{}", error.file, error.line);
        const float room = ImGui::GetContentRegionAvail().x;
        if (ImGui::Selectable(fitted(ui.theme.body, text, room).c_str())) {
            tab.choice.form = CodeForm::source;
            tab.choice.file = error.file;
            tab.goToLine = error.line;
        }
        ui.drawn[fmt::format("code.error.{}", i)] = {itemRect()};
        hint(ui, describe(error));
        paragraph(error.message, colors::text);
        ImGui::PopID();
    }
}

void verdictLine(const Ui& ui, const CodeVerdict& verdict) {
    if (verdict.sentence.empty()) return;
    paragraph(verdict.sentence,
              verdict.relation == CodeRelation::noise ? colors::accent : colors::text);
    ui.drawn["code.verdict"] = {itemRect()};
}

void findings(const Ui& ui, const CodeFacts& facts, const CodePair& pair, CodeTab& tab) {
    const ReadCode& b = *pair.b;
    const bool gpu = facts.state.settings.backend == Backend::cuda;
    if (!b.problem.empty()) {
        errorRows(ui, b.problem, gpu, tab);
        return;
    }
    if (pair.a && !pair.a->problem.empty()) paragraph("A: " + pair.a->problem, colors::warning);
    paragraph(fmt::format("{}sm_{}, {}", gpu ? "" : "What a GPU would run, compiled for ",
                          b.code.architecture, b.code.compiler),
              colors::dim);
    if (b.wish.settings.variant.code == Code::ptx)
        paragraph("The driver makes its own machine code of this PTX.", colors::dim);
    verdictLine(ui, pair.verdict);
    space(ui);
    kernelCombo(ui, pair, tab);
    const std::string& name = pair.kernels[kernelIndex(pair, tab.choice.kernel)];
    kernelRows(ui, pair, name);
    space(ui);
    mixRows(ui, pair, name);
    if (!b.noSass.empty()) {
        space(ui);
        paragraph(b.noSass, colors::dim);
    }
}

}  // namespace

void drawCodePanel(const Ui& ui, const CodeFacts& facts, CodeTab& tab, CodeRequests& requests) {
    const CodePair* pair = facts.reader.pair();
    if (beginSidePanel(ui, SideTab::code)) {
        formRow(ui, facts, tab);
        if (pair == nullptr)
            paragraph("The kernel is being compiled...", colors::dim);
        else
            findings(ui, facts, *pair, tab);
        // Below, so that nothing moves while the next is read.
        if (pair != nullptr && !facts.current)
            paragraph("Of the settings before.", colors::warning);
    }
    endSidePanel(ui, SideTab::code);
    if (pair != nullptr) drawCodePane(ui, facts, tab, requests);
}

}  // namespace rayscope
