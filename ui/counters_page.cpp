#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/choices/axes.h"
#include "renderer/profile/counters.h"
#include "ui/plots.h"
#include "ui/why_panel.h"

namespace rayscope {

namespace {

const ImVec4 kWorse{.93f, .47f, .45f, 1};
constexpr float kTrendHeight = 34;
/// Right ends of the columns before, now and change, of the panel's width.
constexpr float kBefore = .60f, kNow = .81f;

ImVec4 changeColor(const Fact& fact, double before) {
    if (fact.better == Better::neither || changeText(before, fact.value) == "=") return colors::dim;
    const bool up = fact.value > before;
    return up == (fact.better == Better::more) ? colors::accent : kWorse;
}

void factRow(const Ui& ui, const Fact& now, const Fact* before) {
    const float width = ImGui::GetContentRegionAvail().x;
    const float left = (before != nullptr ? kBefore - .22f : .70f) * width;
    std::vector<Column> row;
    if (before != nullptr) {
        row = {{factText(*before, before->value), kBefore * width, colors::dim},
               {factText(now, now.value), kNow * width, colors::text},
               {changeText(before->value, now.value), width, changeColor(now, before->value)}};
    } else {
        row = {{factText(now, now.value), width, colors::text}};
    }
    columns(ui, ui.theme.small, fitted(ui.theme.small, now.label, left), row, 2);
    note(ui, "fact." + now.id);
}

void groupRow(const Ui& ui, const std::string& group, bool two) {
    space(ui, 3);
    const float width = ImGui::GetContentRegionAvail().x;
    std::vector<Column> row;
    if (two) {
        row = {{"before", kBefore * width, colors::dim},
               {"now", kNow * width, colors::dim},
               {"change", width, colors::dim}};
    }
    columns(ui, ui.theme.small, group, row, 2, colors::accent);
}

void factRows(const Ui& ui, const Counted& now, const Counted* before) {
    const std::vector<Fact>& facts = now.facts;
    std::string group;
    for (size_t i = 0; i < facts.size(); ++i) {
        const Fact* was = before == nullptr ? nullptr : &before->facts[i];
        if (!std::isfinite(facts[i].value) && (was == nullptr || !std::isfinite(was->value)))
            continue;
        if (facts[i].group != group) groupRow(ui, group = facts[i].group, was != nullptr);
        factRow(ui, facts[i], was);
    }
}

void shareBars(const Ui& ui, const Limit& limit) {
    for (const DeviceShare& s : limit.shares) {
        drawShare(ui.theme, s.modelled ? s.name + ", modelled" : s.name, s.share, colors::text,
                  s.modelled ? colors::dim : colors::accent);
    }
}

/// Where a fact of all counts is known, a plot of it.
void trends(const Ui& ui, const std::vector<Counted>& counts) {
    constexpr const char* kIds[] = {"rays_per_second", "issue_slots",        "lanes",
                                    "registers",       "achieved_occupancy", "dram_rate"};
    if (counts.size() < 2) return;
    space(ui, 4);
    paragraph(fmt::format("the last {} counts", counts.size()), colors::dim);
    for (const char* id : kIds) {
        std::vector<TrendPoint> points;
        std::string label;
        for (size_t i = 0; i < counts.size(); ++i) {
            const std::vector<Fact>& facts = counts[i].facts;
            const auto fact = std::ranges::find(facts, id, &Fact::id);
            if (fact == facts.end() || !std::isfinite(fact->value)) continue;
            label = fact->label;
            const std::string change =
                i == 0 ? "" : difference(counts[i - 1].work.settings, counts[i].work.settings);
            points.push_back({fact->value, factText(*fact, fact->value), change});
        }
        if (points.size() < 2) continue;
        drawTrend(ui, label, points, ui.theme.units(kTrendHeight));
        note(ui, std::string("trend.") + id);
    }
}

/// What limits the kernel that was counted last, what it does beside what was kept before, and how
/// that went while settings changed.
void drawCounts(const Ui& ui, const Why& why) {
    const Counted& now = why.counts().back();
    const CountedWork& work = now.work;
    paragraph(now.limit.sentence, colors::text);
    note(ui, "why.limit");
    space(ui, 2);
    shareBars(ui, now.limit);
    const Counted* before = why.before();
    if (before != nullptr) {
        const std::string why = speedUpText(before->work, work);
        if (!why.empty()) paragraph(why, colors::text);
        const std::string change = difference(before->work.settings, work.settings);
        if (before->scene != now.scene)
            paragraph("before: scene " + before->scene, colors::dim);
        else if (!change.empty())
            paragraph("now: " + change, colors::dim);
    }
    if (!work.noCounters.empty()) paragraph("No counters: " + work.noCounters, colors::warning);
    if (!work.repeated)
        paragraph("The replays traced different numbers of rays: counters are of mixed work.",
                  colors::warning);
    factRows(ui, now, before);
    trends(ui, why.counts());
    space(ui, 4);
    std::string words = fmt::format("{}, {} \u00d7 {} pixels, {} samples a pass", now.scene,
                                    work.width, work.height, work.samples);
    if (!work.counters.empty())
        words += fmt::format("; {} replays of {} passes, {:.2f} s", work.replays, work.averaged,
                             work.collectMs / 1e3);
    paragraph(words, colors::dim);
}

}  // namespace

void WhyTab::drawCounterButtons(const Ui& ui, bool gpu) {
    const float half = shareOfLine(2);
    const bool possible = gpu && !why_.busy(), kept = why_.before() != nullptr;
    count_ |=
        button(ui, why_.counting() ? "Counting..." : "Count", "button.count", {half, possible});
    ImGui::SameLine();
    if (button(ui, kept ? "Forget before" : "Keep as before", "button.keep",
               {half, !why_.counts().empty()}))
        ui.frame.then([this, kept] { why_.compareWith(!kept); });
    checkbox(ui, "after each change", "count.follow", follow_, gpu);
}

void WhyTab::drawCounters(const Ui& ui) {
    const Settings& settings = ui.frame.state.settings;
    const bool gpu = settings.backend == Backend::cuda;
    drawCounterButtons(ui, gpu);
    if (!gpu) {
        paragraph("A GPU's counters are read here. On a processor, perf stat reads them.",
                  colors::dim);
    } else if (why_.counts().empty()) {
        paragraph(why_.counting() ? "The picture waits until the frame has been counted."
                                  : "Traces a frame some fifteen times and counts something else "
                                    "each time, which takes about a second.",
                  colors::dim);
    }
    if (why_.counts().empty()) return;
    if (!(why_.counts().back().work.settings == settings))
        paragraph("Of the settings before.", colors::warning);
    drawCounts(ui, why_);
}

}  // namespace rayscope
