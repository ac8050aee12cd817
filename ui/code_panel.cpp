#include "ui/code_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/code/compile_errors.h"
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
    const float width = ImGui::GetContentRegionAvail().x;
    std::vector<Column> sides{{b, width, two ? colors::accent : colors::text}};
    if (two) sides.push_back({a, .76f * width, colors::text});
    columns(ui, ui.theme.small, label, sides, 2);
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

void verdictLine(const Ui& ui, const CodeVerdict& verdict) {
    if (verdict.sentence.empty()) return;
    paragraph(verdict.sentence,
              verdict.relation == CodeRelation::noise ? colors::accent : colors::text);
    note(ui, "code.verdict");
}

}  // namespace

void CodeTab::drawForms(const Ui& ui) {
    const float gap = ImGui::GetStyle().ItemSpacing.x / 2;
    const float width = std::floor((ImGui::GetContentRegionAvail().x - 2 * gap) / 3);
    for (const FormButton& form : kForms) {
        if (form.form != CodeForm::source) ImGui::SameLine(0, gap);
        if (button(ui, form.label, form.name, {.width = width, .lit = choice_.form == form.form},
                   form.help))
            choice_.form = form.form;
    }
    const bool pinned = ui.frame.state.pinned.has_value();
    checkbox(ui, "Difference from A", "code.diff", choice_.diff,
             pinned && choice_.form != CodeForm::source,
             pinned ? "The lines that the pinned settings' PTX or SASS has otherwise: A's red, B's "
                      "green. Numbers of registers and labels do not count."
                    : "Pin settings as A (P) to see what differs.");
}

void CodeTab::drawKernelChoice(const Ui& ui, const CodePair& pair) {
    if (pair.kernels.size() < 2) return;
    std::string chosen = pair.kernels[kernelIndex(pair, choice_.kernel)];
    ImGui::SetNextItemWidth(-1);
    if (nameCombo(ui, "code.kernel", pair.kernels, chosen)) choice_.kernel = chosen;
}

void CodeTab::drawErrors(const Ui& ui, const std::string& log, bool gpu) {
    const std::vector<CompileError> errors = errorsIn(log);
    if (errors.empty()) {
        paragraph(log, colors::warning);
        note(ui, "code.problem");
        return;
    }
    paragraph(gpu ? "It does not compile. The last good kernel goes on." : "It does not compile.",
              colors::warning);
    for (size_t i = 0; i < errors.size(); ++i) {
        const CompileError& error = errors[i];
        ImGui::PushID(static_cast<int>(i));
        const std::string text = fmt::format("{}:{}", error.file, error.line);
        const float room = ImGui::GetContentRegionAvail().x;
        if (entry(ui, fitted(ui.theme.body, text, room), fmt::format("code.error.{}", i), false)) {
            choice_.form = CodeForm::source;
            choice_.file = error.file;
            goToLine_ = error.line;
        }
        hint(ui, rayscope::describe(error));
        paragraph(error.message, colors::text);
        ImGui::PopID();
    }
}

void CodeTab::drawFindings(const Ui& ui, const CodePair& pair) {
    const ReadCode& b = *pair.b;
    const bool gpu = ui.frame.state.settings.backend == Backend::cuda;
    if (!b.problem.empty()) return drawErrors(ui, b.problem, gpu);
    if (pair.a && !pair.a->problem.empty()) paragraph("A: " + pair.a->problem, colors::warning);
    paragraph(fmt::format("{}sm_{}, {}", gpu ? "" : "What a GPU would run, compiled for ",
                          b.code.architecture, b.code.compiler),
              colors::dim);
    if (b.wish.settings.variant.code == Code::ptx)
        paragraph("The driver makes its own machine code of this PTX.", colors::dim);
    verdictLine(ui, pair.verdict);
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

void CodeTab::drawPanel(const Ui& ui) {
    drawForms(ui);
    const CodePair* pair = reader_.pair();
    if (pair == nullptr) return paragraph("The kernel is being compiled...", colors::dim);
    drawFindings(ui, *pair);
    // Below, so that nothing moves while the next is read.
    if (!current_) paragraph("Of the settings before.", colors::warning);
}

void CodeTab::draw(const Ui& ui) {
    if (ui.frame.shows(id()) && reader_.pair() != nullptr) drawPane(ui, *reader_.pair());
}

}  // namespace rayscope
