#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/state.h"
#include "renderer/lab/report.h"
#include "renderer/lab/run_ladder.h"

namespace rayscope {

using nlohmann::json;

namespace {

std::string timesText(const std::optional<double>& ratio) {
    if (!ratio) return "";
    return fmt::format("{:.{}f}", *ratio, *ratio < 100 ? 2 : 0);
}

size_t nameWidth(const Ladder& ladder) {
    return widthOf(4, ladder.rungs, &Rung::name);
}

std::string publishedText(const Rung& rung) {
    if (!rung.published) return "";
    const Figure& f = *rung.published;
    return fmt::format("{} {}", f.value, f.unit->id);
}

std::string plain(double value) {
    return std::isfinite(value) ? csvNumber(value) : "";
}

json toJson(const Figure& f) {
    json object = {{"value", f.value}, {"unit", f.unit->id}, {"device", f.device}};
    if (!f.what.empty()) object["what"] = f.what;
    return object;
}

json rungJson(const Ladder& ladder, const std::vector<RungResult>& results, size_t i) {
    const RungResult& r = results[i];
    const Rung& rung = ladder.rungs[r.rung];
    json object = {{"name", rung.name},
                   {"why", rung.why},
                   {"scene", rung.scene},
                   {"backend", valueOf(*findAxis("backend"), r.settings)},
                   {"settings", toJson(r.settings)},
                   {"clock", nameOf(rung.clock)},
                   {"measures", nameOf(rung.measures)}};
    for (const auto& [axis, value] : rung.changes) object["changes"][axis] = value;
    if (rung.published) object["published"] = toJson(*rung.published);
    for (const Figure& f : rung.references) object["references"].push_back(toJson(f));
    if (!r.problem.empty()) {
        object["problem"] = r.problem;
        return object;
    }
    const Unit& unit = unitOf(ladder, rung);
    object.update(toJson(r.measured));
    object["measured"] = toJson(r.value, unit.scale);
    object["measured"].update({{"unit", unit.id}, {"scaled", r.scaled}});
    object["conditions"] = toJson(r.conditions);
    const RungComparison c = comparisonOf(ladder, results, i);
    if (c.before) object["x_before"] = *c.before;
    if (c.first) object["x_first"] = *c.first;
    if (c.brightness) object["brightness"] = *c.brightness;
    object["brightness_error"] = c.brightnessError;
    object["differs"] = c.differs();
    return object;
}

}  // namespace

const Unit& unitOf(const Ladder& ladder, const Rung& rung) {
    if (rung.published) return *rung.published->unit;
    const bool rate = rung.measures == Measures::rate;
    if (ladder.unit->rate == rate) return *ladder.unit;
    return *findUnit(rate ? "Mrays/s" : "ms");
}

std::string tableHead(const Ladder& ladder, const Machine& machine, const ClimbWish& wish) {
    std::string text = fmt::format("{}: {}\n{}x{}", ladder.name, ladder.title,
                                   wish.widthFor(ladder), wish.heightFor(ladder));
    text += ladder.spp > 0 ? fmt::format(", {} samples a pixel\n", ladder.spp) : "\n";
    const DeviceInfo cpu = machine.cpu->device();
    text += fmt::format("cpu   {}  ({})\n", cpu.name, cpu.detail);
    if (machine.cuda) {
        const DeviceInfo cuda = machine.cuda->device();
        text += fmt::format("cuda  {}  ({})\n", cuda.name, cuda.detail);
    } else {
        text += fmt::format("cuda  none: {}\n", machine.noCuda);
    }
    return text + fmt::format("\n{}  {:>17} {:<8} {:>17} {:>8} {:>8} {:>8} {:>7}\n",
                              padded("rung", nameWidth(ladder)), "measured", "clock", "published",
                              "x before", "x first", "rays/spl", "bright");
}

std::string tableRow(const Ladder& ladder, const std::vector<RungResult>& results, size_t i) {
    const RungResult& r = results[i];
    const Rung& rung = ladder.rungs[r.rung];
    const std::string name = padded(rung.name, nameWidth(ladder));
    if (!r.problem.empty()) {
        const bool again = i > 0 && results[i - 1].problem == r.problem;
        return fmt::format("{}  {:>17} {:<8} {:>17}  {}\n", name, "\u2014", nameOf(rung.clock),
                           publishedText(rung), again ? "as above" : r.problem);
    }
    const Unit& unit = unitOf(ladder, rung);
    const RungComparison c = comparisonOf(ladder, results, i);
    const std::string measured =
        fmt::format("{}{} {}", inUnit(r.value.median, unit), r.scaled ? "*" : "", unit.id);
    const std::string bright =
        c.brightness ? fmt::format("{:.3f}{}", *c.brightness, c.differs() ? "!" : " ") : "";
    const double perSample = r.measured.raysPerSample;
    const std::string rays = perSample > 0 ? fmt::format("{:.3f}", perSample) : "";
    return fmt::format("{}  {:>17} {:<8} {:>17} {:>8} {:>8} {:>8} {:>7}\n", name, measured,
                       nameOf(rung.clock), publishedText(rung), timesText(c.before),
                       timesText(c.first), rays, bright);
}

std::string conditionsLine(const Ladder& ladder, const std::vector<RungResult>& results) {
    const auto warns = [](const RungResult& r) { return !r.conditions.warning.empty(); };
    const auto lacks = [](const RungResult& r) { return !r.conditions.missing.empty(); };
    const auto end = results.end();
    if (const auto r = std::find_if(results.begin(), end, warns); r != end) {
        const auto more = std::count_if(r + 1, end, warns);
        return fmt::format("conditions: {}: {}{}\n", ladder.rungs[r->rung].name,
                           r->conditions.warning,
                           more > 0 ? fmt::format(" (and {} more)", more) : "");
    }
    const auto r = std::find_if(results.begin(), end, lacks);
    return r == end ? "" : fmt::format("conditions: {}\n", r->conditions.missing);
}

std::string tableFoot(const Ladder& ladder, const std::vector<RungResult>& results) {
    bool scaled = false, differs = false;
    std::vector<std::string> devices;
    for (size_t i = 0; i < results.size(); ++i) {
        scaled |= results[i].problem.empty() && results[i].scaled;
        differs |= comparisonOf(ladder, results, i).differs();
        const Rung& rung = ladder.rungs[results[i].rung];
        if (!rung.published) continue;
        const std::string& device = rung.published->device;
        if (std::find(devices.begin(), devices.end(), device) == devices.end())
            devices.push_back(device);
    }
    std::string text;
    if (!devices.empty()) text = fmt::format("\npublished on: {}\n", fmt::join(devices, ", "));
    if (scaled) {
        text +=
            fmt::format("* scaled to {}x{} pixels and {} samples: not all of them were traced\n",
                        ladder.width, ladder.height, ladder.spp);
    }
    if (differs)
        text +=
            "! a picture more than 0.5 % brighter or darker than the first rung's: other work\n";
    return text + conditionsLine(ladder, results);
}

/// That of rungs which name none; one that has failed meanwhile as its rungs had it.
static DeviceInfo deviceOf(const Machine& machine, Backend preferred,
                           const std::vector<RungResult>& results) {
    if (const Renderer* const renderer = machine.of(preferred)) return renderer->device();
    const auto measured = std::ranges::find_if(results, [&](const RungResult& r) {
        return r.problem.empty() && r.settings.backend == preferred;
    });
    return measured != results.end() ? measured->measured.device : DeviceInfo{};
}

json reportOf(const Ladder& ladder, const Machine& machine, const ClimbWish& wish,
              const std::vector<RungResult>& results) {
    json rungs = json::array();
    for (size_t i = 0; i < results.size(); ++i) rungs.push_back(rungJson(ladder, results, i));
    const bool complete = results.size() == ladder.rungs.size();
    json report = reportHead("ladder", deviceOf(machine, wish.preferred, results), complete,
                             wish.widthFor(ladder), wish.heightFor(ladder));
    report.update({{"ladder", ladder.name},
                   {"title", ladder.title},
                   {"source", ladder.source},
                   {"scene", ladder.scene},
                   {"ladder_size", {ladder.width, ladder.height}},
                   {"spp", ladder.spp},
                   {"seconds", wish.seconds},
                   {"cpu", toJson(machine.cpu->device())},
                   {"cuda", machine.cuda ? toJson(machine.cuda->device())
                                         : json{{"missing", machine.noCuda}}},
                   {"rungs", std::move(rungs)}});
    return report;
}

std::string csvOf(const Ladder& ladder, const std::vector<RungResult>& results) {
    std::string text =
        "rung,backend,scene,settings,clock,measures,measured,lower,upper,unit,scaled,published,"
        "published_unit,published_device,x_before,x_first,rays_per_sample,brightness,differs,"
        "samples,passes,kernel_ms,loop_ms,registers,occupancy,warning,problem\n";
    for (size_t i = 0; i < results.size(); ++i) {
        const RungResult& r = results[i];
        const Rung& rung = ladder.rungs[r.rung];
        const Measurement& m = r.measured;
        const Unit& unit = unitOf(ladder, rung);
        const RungComparison c = comparisonOf(ladder, results, i);
        const bool ran = r.problem.empty();
        const auto number = [&](double value) { return ran ? plain(value) : ""; };
        const auto maybe = [](const std::optional<double>& v) { return v ? plain(*v) : ""; };
        const auto flag = [&](bool value) { return !ran ? "" : value ? "yes" : "no"; };
        text += csvLine({
            rung.name,
            valueOf(*findAxis("backend"), r.settings),
            rung.scene,
            describe(r.settings),
            std::string(nameOf(rung.clock)),
            std::string(nameOf(rung.measures)),
            number(r.value.median / unit.scale),
            number(r.value.lower / unit.scale),
            number(r.value.upper / unit.scale),
            std::string(unit.id),
            flag(r.scaled),
            rung.published ? plain(rung.published->value) : "",
            rung.published ? std::string(rung.published->unit->id) : "",
            rung.published ? rung.published->device : "",
            maybe(c.before),
            maybe(c.first),
            number(m.raysPerSample),
            maybe(c.brightness),
            flag(c.differs()),
            ran ? std::to_string(m.samples) : "",
            ran ? std::to_string(m.passes) : "",
            number(m.kernelMs),
            number(m.loopMs),
            m.kernel.registers >= 0 ? std::to_string(m.kernel.registers) : "",
            m.kernel.occupancy >= 0 ? plain(m.kernel.occupancy) : "",
            r.conditions.warning,
            r.problem,
        });
    }
    return text;
}

}  // namespace rayscope
