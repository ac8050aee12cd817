#include "ui/counters_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/choices/axes.h"
#include "renderer/profile/counters.h"
#include "ui/plots.h"

namespace rayscope {

namespace {

const ImVec4 kWorse{.93f, .47f, .45f, 1};
constexpr float kTrendHeight = 34;
/// Right ends of the columns before, now and change, of the panel's width.
constexpr float kBefore = .60f, kNow = .81f, kAlone = 1;

void cell(const Ui& ui, ImVec2 at, float right, const std::string& text, const ImVec4& color) {
    drawText(*ImGui::GetWindowDrawList(), ui.theme.small,
             {right - textSize(ui.theme.small, text).x, at.y}, packed(color), text);
}

ImVec4 changeColor(const Fact& fact, double before) {
    if (fact.better == Better::neither || changeText(before, fact.value) == "=") return colors::dim;
    const bool up = fact.value > before;
    return up == (fact.better == Better::more) ? colors::accent : kWorse;
}

void factRow(const Ui& ui, const Fact& now, const Fact* before) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float left = (before != nullptr ? kBefore - .22f : .70f) * width;
    drawText(*ImGui::GetWindowDrawList(), ui.theme.small, at, packed(colors::dim),
             fitted(ui.theme.small, now.label, left));
    if (before != nullptr) {
        cell(ui, at, at.x + kBefore * width, factText(*before, before->value), colors::dim);
        cell(ui, at, at.x + kNow * width, factText(now, now.value), colors::text);
        cell(ui, at, at.x + width, changeText(before->value, now.value),
             changeColor(now, before->value));
    } else {
        cell(ui, at, at.x + kAlone * width, factText(now, now.value), colors::text);
    }
    ImGui::Dummy({width, ui.theme.small.size + ui.theme.units(2)});
    ui.drawn["fact." + now.id] = {itemRect()};
}

void groupRow(const Ui& ui, const std::string& group, bool two) {
    ImGui::Dummy({1, ui.theme.units(3)});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    drawText(*ImGui::GetWindowDrawList(), ui.theme.small, at, packed(colors::accent), group);
    if (two) {
        cell(ui, at, at.x + kBefore * width, "before", colors::dim);
        cell(ui, at, at.x + kNow * width, "now", colors::dim);
        cell(ui, at, at.x + width, "change", colors::dim);
    }
    ImGui::Dummy({width, ui.theme.small.size + ui.theme.units(2)});
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
    ImGui::Dummy({1, ui.theme.units(4)});
    paragraph(fmt::format("the last {} counts", counts.size()), colors::dim);
    for (const char* id : kIds) {
        std::vector<TrendPoint> points;
        std::string label;
        for (size_t i = 0; i < counts.size(); ++i) {
            const std::vector<Fact>& facts = counts[i].facts;
            const auto fact =
                std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.id == id; });
            if (fact == facts.end() || !std::isfinite(fact->value)) continue;
            label = fact->label;
            const std::string change =
                i == 0 ? "" : difference(counts[i - 1].work.settings, counts[i].work.settings);
            points.push_back({fact->value, factText(*fact, fact->value), change});
        }
        if (points.size() < 2) continue;
        drawTrend(ui.theme, label, points, ui.theme.units(kTrendHeight));
        ui.drawn[std::string("trend.") + id] = {itemRect()};
    }
}

void buttons(const Ui& ui, const Why& why, bool gpu, bool& follow, CountersRequests& requests) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
    ImGui::BeginDisabled(!gpu || why.busy());
    requests.count |= ImGui::Button(why.counting() ? "Counting..." : "Count", {half, 0});
    ui.drawn["button.count"] = {itemRect(), gpu && !why.busy()};
    ImGui::EndDisabled();
    ImGui::SameLine();
    const bool kept = why.before() != nullptr;
    ImGui::BeginDisabled(why.counts().empty());
    if (ImGui::Button(kept ? "Forget before" : "Keep as before", {half, 0}))
        (kept ? requests.forget : requests.keep) = true;
    ui.drawn["button.keep"] = {itemRect(), !why.counts().empty()};
    ImGui::EndDisabled();
    ImGui::BeginDisabled(!gpu);
    ImGui::Checkbox("after each change", &follow);
    ui.drawn["count.follow"] = {itemRect(), gpu};
    ImGui::EndDisabled();
}

void findings(const Ui& ui, const Why& why) {
    const Counted& now = why.counts().back();
    const CountedWork& work = now.work;
    paragraph(now.limit.sentence, colors::text);
    ui.drawn["why.limit"] = {itemRect()};
    ImGui::Dummy({1, ui.theme.units(2)});
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
    ImGui::Dummy({1, ui.theme.units(4)});
    std::string words = fmt::format("{}, {} \u00d7 {} pixels, {} samples a pass", now.scene,
                                    work.width, work.height, work.samples);
    if (!work.counters.empty())
        words += fmt::format("; {} replays of {} passes, {:.2f} s", work.replays, work.averaged,
                             work.collectMs / 1e3);
    paragraph(words, colors::dim);
}

}  // namespace

void drawCountersPage(const Ui& ui, const Why& why, const State& state, bool& follow,
                      CountersRequests& requests) {
    const bool gpu = state.settings.backend == Backend::cuda;
    buttons(ui, why, gpu, follow, requests);
    if (!gpu) {
        paragraph("A GPU's counters are read here. On a processor, perf stat reads them.",
                  colors::dim);
    } else if (why.counts().empty()) {
        paragraph(why.counting() ? "The picture waits until the frame has been counted."
                                 : "Traces a frame some fifteen times and counts something else "
                                   "each time, which takes about a second.",
                  colors::dim);
    }
    if (why.counts().empty()) return;
    if (!(why.counts().back().work.settings == state.settings))
        paragraph("Of the settings before.", colors::warning);
    findings(ui, why);
}

}  // namespace rayscope
