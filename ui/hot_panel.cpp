#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/backend/function_name.h"
#include "renderer/lab/hot_host.h"
#include "ui/code_panel.h"
#include "ui/format.h"

// What the Code tab says of instructions that were counted.

namespace rayscope {

namespace {

constexpr std::size_t kHottest = 10, kMostChanges = 6;
/// Changes of a line below this share of all instructions are no news.
constexpr double kSmallChange = .001;
constexpr double kSmallStall = .005;  ///< of the warps' time

/// "shapes.h:65"
std::string nearPlace(const HotLine& line) {
    return fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), line.line);
}

std::string percent(std::uint64_t part, std::uint64_t all) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(all));
}

/// Of a CPU, by samples.
void timeRows(const Ui& ui, const HotWork& work) {
    const float width = ImGui::GetContentRegionAvail().x;
    const auto row = [&](const char* name, const std::string& time, const ImVec4& color) {
        columns(ui, ui.theme.small, name, {{time, width, color}}, 2);
    };
    row("part", "time", colors::dim);
    for (int i = 0; i < kParts; ++i) {
        const std::uint64_t samples = work.hot.parts[static_cast<std::size_t>(i)].warps;
        if (samples > 0) row(kPartNames[i], timeText(samples, work), colors::text);
    }
    if (work.hot.unknown.warps > 0)
        row("without a line", timeText(work.hot.unknown.warps, work), colors::text);
    space(ui, 2);
    row("function", "time", colors::dim);
    std::vector<HotKernel> functions = work.hot.kernels;
    std::ranges::stable_sort(functions, std::ranges::greater{},
                             [](const HotKernel& f) { return f.executed.warps; });
    for (std::size_t i = 0; i < std::min(kHottest, functions.size()); ++i)
        row(functionName(functions[i].symbol).c_str(), timeText(functions[i].executed.warps, work),
            colors::text);
}

void partRows(const Ui& ui, const HotWork& work) {
    const HotLines& hot = work.hot;
    const bool timed = hot.sampled.all() > 0;
    const float width = ImGui::GetContentRegionAvail().x;
    const auto row = [&](const char* name, const std::string& instructions,
                         const std::string& lanes, const std::string& time, const ImVec4& color) {
        std::vector<Column> cells{{instructions, (timed ? .6f : .76f) * width, color},
                                  {lanes, (timed ? .77f : 1) * width, color}};
        if (timed) cells.push_back({time, width, color});
        columns(ui, ui.theme.small, name, cells, 2);
    };
    row("part", "instructions", "lanes", "time", colors::dim);
    for (int i = 0; i < kParts; ++i) {
        const Executed& part = hot.parts[static_cast<std::size_t>(i)];
        if (part.warps == 0) continue;
        const std::uint64_t samples = hot.sampledParts[static_cast<std::size_t>(i)].all();
        row(kPartNames[i], percent(part.warps, hot.all.warps),
            fmt::format("{:.1f}", part.perWarp()), timed ? percent(samples, hot.sampled.all()) : "",
            colors::text);
    }
}

/// What warps wait for, the longest first.
void stallRows(const Ui& ui, const HotWork& work) {
    const Sampled& sampled = work.hot.sampled;
    if (sampled.all() == 0) {
        if (!work.noStalls.empty()) paragraph("No stalls: " + work.noStalls, colors::warning);
        return;
    }
    paragraph("What warps wait for", colors::dim);
    for (const auto& [samples, name] : stallsOf(sampled, work.stalls.reasons)) {
        if (static_cast<double>(samples) < kSmallStall * static_cast<double>(sampled.all())) break;
        columns(ui, ui.theme.small, name.c_str(),
                {{percent(samples, sampled.all()), ImGui::GetContentRegionAvail().x, colors::text}},
                2);
    }
}

}  // namespace

/// True when it was clicked.
bool CodeTab::hotRow(const Ui& ui, const std::string& name, const HotLine& line, double share,
                     const std::string& figure, const HotWork& work) {
    const Theme& theme = ui.theme;
    const ListRow row = listRow(ui, name, true);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (row.hovered) row.lightUp(theme, .6f);
    const float figureWidth = textSize(theme.body, figure).x;
    rayscope::drawText(list, theme.body, {row.text.x + row.width - figureWidth, row.text.y},
                       packed(colors::text), figure);
    rayscope::drawText(
        list, theme.body, row.text, packed(colors::text),
        fitted(theme.body, nearPlace(line), row.width - figureWidth - theme.units(8)));
    const Rect& bar = row.bar;
    const float length = std::max(1.f, bar.width * static_cast<float>(std::min(share, 1.)));
    const float lanes = work.host() ? 1 : static_cast<float>(line.executed.perWarp() / 32);
    list.AddRectFilled(bar.low(), bar.high(), packed(colors::faint, .6f));
    list.AddRectFilled(bar.low(), {bar.x + length, bar.y + bar.height},
                       packed(colors::warning, .45f));
    list.AddRectFilled(bar.low(), {bar.x + length * lanes, bar.y + bar.height},
                       packed(colors::accent));
    if (row.explained) {
        beginTooltip(ui, row.area);
        textLine(sourceText(line, work.files), colors::text);
        const char* const part = kPartNames[static_cast<std::size_t>(line.part)];
        textLine(work.host() ? fmt::format("{}, {}: {} of the time", placeText(line), part,
                                           timeText(line.executed.warps, work))
                             : fmt::format("{}, {}: {:.1f} of 32 lanes at work", placeText(line),
                                           part, line.executed.perWarp()),
                 colors::dim);
        if (const std::uint64_t samples = line.sampled.all(); samples > 0)
            textLine(fmt::format("{} of the warps' time, waiting most for {}",
                                 percent(samples, work.hot.sampled.all()),
                                 mainStall(line.sampled, work.stalls.reasons)),
                     colors::dim);
        endTooltip(ui);
    }
    return row.clicked;
}

void CodeTab::drawHottest(const Ui& ui, const HotWork& work) {
    const std::vector<HotLine>& lines = work.hot.lines;
    const double all = static_cast<double>(work.hot.all.warps);
    paragraph(
        work.host() ? "The hottest lines, % of the time" : "The hottest lines, % of instructions",
        colors::dim);
    const std::size_t shown = std::min(kHottest, lines.size());
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const double most = lines.empty() ? 1 : static_cast<double>(lines[0].executed.warps);
    for (std::size_t i = 0; i < shown; ++i) {
        const double warps = static_cast<double>(lines[i].executed.warps);
        if (!hotRow(ui, fmt::format("code.hot.{}", i), lines[i], warps / most,
                    fmt::format("{:.1f} %", 100 * warps / all), work))
            continue;
        choice_.form = CodeForm::source;
        choice_.file = lines[i].file;
        goToLine_ = lines[i].line;
    }
    ImGui::PopStyleVar();
}

void CodeTab::drawChanges(const Ui& ui, const HotWork& a, const HotWork& b) {
    const std::vector<LineChange> changes = changesOf(a, b);
    paragraph(b.host() ? "Against A, time a ray, % of A's"
                       : "Against A, instructions a ray, % of all of A's",
              colors::dim);
    const double most = changes.empty() ? 1 : std::abs(changes[0].b - changes[0].a);
    std::size_t shown = 0;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (const LineChange& change : changes) {
        const double by = change.b - change.a;
        if (std::abs(by) < kSmallChange || shown == kMostChanges) break;
        if (!hotRow(ui, fmt::format("code.change.{}", shown++), change.line, std::abs(by) / most,
                    fmt::format("{:+.1f} %", 100 * by), change.b > 0 ? b : a))
            continue;
        choice_.form = CodeForm::source;
        choice_.file = change.line.file;
        goToLine_ = change.line.line;
    }
    ImGui::PopStyleVar();
    if (shown == 0) paragraph("No line executes more or less.", colors::text);
    if (b.host())
        paragraph("With the errors of both samples: what is below them is no change.", colors::dim);
}

void CodeTab::drawHot(const Ui& ui, const CodePair& pair) {
    const bool host = pair.b->host();
    const bool can = host || ui.frame.state.settings.backend == Backend::cuda;
    const char* const name = host ? "Sample lines" : "Count lines";
    countAsked_ |= button(
        ui, hot_.busy() ? "Counting..." : name, "code.count", {-1, can && !hot_.busy()},
        host
            ? "Looks up where the threads are while passes of some seconds are played. Beside each "
              "line of the source and of the assembly then stands its share of the time in %, and "
              "its standard error. A slow instruction's time is seen at it or at the one behind "
              "it. "
              "Passes that are measured are not disturbed."
            : "Counts every instruction of one pass. Beside each line of the source "
              "and of SASS then stand its share of all instructions in %, and how many "
              "of 32 lanes took part; the bar is as long as the share, and bright as "
              "far as lanes were at work. Then its share of the warps' time, by samples "
              "of where they are, and what they wait for most.");
    const HotWork* const b = counted(pair.b.get());
    if (b == nullptr) {
        if (!can) paragraph("A GPU's instructions are counted line by line.", colors::dim);
        return;
    }
    if (!b->noCounts.empty())
        return paragraph((host ? "No samples: " : "No counts: ") + b->noCounts, colors::warning);
    if (!b->model.empty()) paragraph("These counts are " + modelText(*b) + ".", colors::warning);
    if (!host) {
        paragraph(idleText(b->idle), colors::text);
        note(ui, "code.idle");
    }
    if (b->linesChange)
        paragraph("The machine code differs from that without line information.", colors::warning);
    drawHottest(ui, *b);
    const HotWork* const a = counted(pair.a.get());
    // a model and counts differ by the model's error, too
    if (a != nullptr && a->noCounts.empty() && a != b && a->model.empty() == b->model.empty()) {
        space(ui, 2);
        drawChanges(ui, *a, *b);
    }
    space(ui, 2);
    if (host) return timeRows(ui, *b);
    partRows(ui, *b);
    space(ui, 2);
    stallRows(ui, *b);
}

}  // namespace rayscope
