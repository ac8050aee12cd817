#include "ui/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "renderer/profile/chrome_trace.h"
#include "ui/features.h"
#include "ui/plots.h"

namespace rayscope {

namespace {

constexpr double kLeastSpan = 20e3, kMostSpan = 20e9;
constexpr double kNotch = 1.25;
/// Copied beyond the left edge, so that a long zone that began there is seen. Seconds.
constexpr double kMarginSeconds = 1;
/// Frames that the GPU's times may be late.
constexpr int kLateFrames = 2;

std::int64_t endOfFrame(const Timeline& timeline) {
    int frames = 0;
    for (auto e = timeline.events.rbegin(); e != timeline.events.rend(); ++e) {
        if (e->kind == TimelineEvent::Kind::frame && frames++ == kLateFrames) return e->began;
    }
    return timeline.ended;
}

constexpr int kMainDepths = 3;  ///< rows of the thread that draws; others have one
constexpr float kRow = 15, kRowGap = 2, kTrackGap = 4;

/// A row of zones: those of one track at one depth.
struct Row {
    int track, depth;
    float top;
};

/// Draws the zones of a view into a rectangle.
class Zones {
public:
    Zones(const Ui& ui, const TimelineView& view, const Rect& area)
        : ui_(ui), view_(view), area_(area) {}

    void draw() {
        const std::vector<int> depths = depthsOf(view_.timeline());
        layRows(depths);
        drawTicks();
        drawFrames();
        const ImVec2 left{area_.x + labels_, area_.y};
        list_.PushClipRect(left, area_.high(), true);
        for (size_t i = 0; i < depths.size(); ++i) drawZone(view_.timeline().events[i], depths[i]);
        list_.PopClipRect();
        explainGap();
    }
    float left() const { return area_.x + labels_; }
    float width() const { return std::max(area_.width - labels_, 1.0f); }

private:
    float at(std::int64_t time) const {
        const double share = static_cast<double>(time - view_.from()) /
                             static_cast<double>(view_.until() - view_.from());
        return left() + static_cast<float>(share) * width();
    }
    float rowHeight() const { return ui_.theme.units(kRow); }

    /// The main thread, the GPU, then what other threads did in view, as far as there is room.
    void layRows(const std::vector<int>& depths) {
        const Timeline& timeline = view_.timeline();
        std::vector<int> deepest(timeline.tracks.size(), -1);
        for (size_t i = 0; i < depths.size(); ++i) {
            const TimelineEvent& e = timeline.events[i];
            if (e.ended > view_.from() && e.began < view_.until())
                deepest[e.track] = std::max(deepest[e.track], depths[i]);
        }
        std::vector<int> order(timeline.tracks.size());
        std::iota(order.begin(), order.end(), 0);
        const auto others = std::stable_partition(order.begin(), order.end(), [&](int track) {
            return timeline.tracks[static_cast<size_t>(track)] == "main";
        });
        const auto mains = others - order.begin();
        float y = area_.y + ui_.theme.small.size + ui_.theme.units(4);
        for (int i = 0; i < static_cast<int>(order.size()); ++i) {
            const int track = order[i];
            const int rows = std::min(deepest[track] + 1, i < mains ? kMainDepths : 1);
            if (rows == 0 || y + rowHeight() > area_.y + area_.height) continue;
            nameTrack(timeline.tracks[track], y);
            for (int depth = 0; depth < rows; ++depth) {
                if (y + rowHeight() > area_.y + area_.height) break;
                rows_.push_back({track, depth, y});
                y += rowHeight() + ui_.theme.units(kRowGap);
            }
            y += ui_.theme.units(kTrackGap - kRowGap);
        }
        drawnTo_.resize(rows_.size(), left() - 1);
    }

    void nameTrack(const std::string& name, float y) {
        const float middle = y + (rowHeight() - ui_.theme.small.size) / 2;
        drawText(list_, ui_.theme.small, {area_.x, middle}, packed(colors::dim),
                 fitted(ui_.theme.small, name, labels_ - ui_.theme.units(4)));
    }

    void drawTicks() {
        const double ms = static_cast<double>(view_.until() - view_.from()) / 1e6;
        const int count = std::max(2, static_cast<int>(width() / ui_.theme.units(90)));
        const double step = axisTicks(ms, count)[1];
        const double end = static_cast<double>(view_.until() - view_.end()) / 1e6;
        for (double tick = std::ceil((end - ms) / step) * step; tick <= end + step * 1e-6;
             tick += step) {
            const double rounded = std::abs(tick) < step * 1e-6 ? 0 : tick;
            const float x = at(view_.end() + static_cast<std::int64_t>(std::llround(1e6 * tick)));
            list_.AddLine({x, area_.y}, {x, area_.y + area_.height}, packed(colors::faint));
            const std::string text = fitted(ui_.theme.small, fmt::format("{:.6g} ms", rounded),
                                            area_.x + area_.width - x - ui_.theme.units(3));
            drawText(list_, ui_.theme.small, {x + ui_.theme.units(3), area_.y}, packed(colors::dim),
                     text);
        }
    }

    /// Ends of frames, where they can be told apart.
    void drawFrames() {
        float last = left() - ui_.theme.units(4);
        for (const TimelineEvent& e : view_.timeline().events) {
            if (e.kind != TimelineEvent::Kind::frame || e.began < view_.from()) continue;
            const float x = at(e.began);
            if (x > left() + width()) break;
            if (x - last < ui_.theme.units(4)) continue;
            const float top = area_.y + ui_.theme.small.size;
            list_.AddLine({x, top}, {x, area_.y + area_.height}, packed(colors::dim, .7f));
            last = x;
        }
    }

    void drawZone(const TimelineEvent& e, int depth) {
        if (depth < 0 || e.ended < view_.from() || e.began > view_.until()) return;
        const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) {
            return r.track == e.track && r.depth == depth;
        });
        if (row == rows_.end()) return;
        float& drawnTo = drawnTo_[row - rows_.begin()];
        const float x0 = std::max(at(e.began), left());
        const float x1 = std::min(std::max(at(e.ended), x0 + 1), left() + width());
        if (x1 <= drawnTo) return;  // the column has a zone already
        drawnTo = std::floor(x1);
        const float bottom = row->top + rowHeight();
        list_.AddRectFilled({x0, row->top}, {x1, bottom}, packed(colorOf(kindOf(e))),
                            ui_.theme.units(2));
        const float padding = ui_.theme.units(3);
        if (x1 - x0 > 4 * padding) {
            list_.AddLine({x0, row->top}, {x0, bottom}, packed(colors::panel));
            const std::string name = fitted(ui_.theme.small, e.name, x1 - x0 - 2 * padding);
            if (name != "...")
                drawText(list_, ui_.theme.small,
                         {x0 + padding, row->top + (rowHeight() - ui_.theme.small.size) / 2},
                         packed(colors::text), name);
        }
        if (ImGui::IsItemHovered() && ImGui::IsMouseHoveringRect({x0, row->top}, {x1, bottom})) {
            list_.AddRect({x0, row->top}, {x1, bottom}, packed(colors::text));
            explain(fmt::format("{}  {}", e.name, durationText(e.ended - e.began)));
        }
    }

    /// What is under the cursor, unless it drags.
    void explain(const std::string& text) const {
        if (ImGui::IsItemActive()) return;
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        beginTooltip(ui_, {mouse.x, mouse.y, 0, 0});
        ImGui::TextUnformatted(text.c_str());
        endTooltip(ui_);
    }

    /// The time between two things that the GPU did, under the cursor.
    void explainGap() const {
        const auto row = std::find_if(rows_.begin(), rows_.end(),
                                      [](const Row& r) { return r.track == kGpuTrack; });
        if (row == rows_.end() || !ImGui::IsItemHovered() ||
            !ImGui::IsMouseHoveringRect({left(), row->top},
                                        {left() + width(), row->top + rowHeight()}))
            return;
        const float x = ImGui::GetIO().MousePos.x;
        const TimelineEvent* before = nullptr;
        for (const TimelineEvent& e : view_.timeline().events) {
            if (e.kind != TimelineEvent::Kind::zone || e.track != kGpuTrack) continue;
            if (at(e.began) > x) {
                if (before != nullptr && at(before->ended) < x)
                    explain(fmt::format("gap  {}", durationText(e.began - before->ended)));
                return;
            }
            before = &e;
        }
    }

    const Ui& ui_;
    const TimelineView& view_;
    Rect area_;
    float labels_ = textSize(ui_.theme.small, "compiler").x + ui_.theme.units(8);
    ImDrawList& list_ = *ImGui::GetWindowDrawList();
    std::vector<Row> rows_;
    std::vector<float> drawnTo_;  ///< of each row, to the right
};

void steer(TimelineView& view, const Zones& zones) {
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsItemActive() && io.MouseDelta.x != 0) view.pan(io.MouseDelta.x / zones.width());
    if (!ImGui::IsItemHovered()) return;
    if (io.MouseWheel != 0) {
        const float place = (io.MousePos.x - zones.left()) / zones.width();
        view.zoom(std::clamp(place, 0.0f, 1.0f), io.MouseWheel);
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view.reset();
}

class TimelineStrip : public WindowFeature {
public:
    explicit TimelineStrip(TimelineView& view) : view_(view) {}

private:
    /// What the hues mean, at the right end of the heading where there is room for all; what is
    /// left of the line is returned.
    static float drawLegend(const Ui& ui) {
        constexpr size_t kCount = std::size(kZoneKinds) - 1;  // without the others
        const Face& face = ui.theme.small;
        const float box = ui.theme.units(9), gap = ui.theme.units(5);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float whole = ImGui::GetContentRegionAvail().x;
        float width = 0;
        for (size_t i = 0; i < kCount; ++i)
            width += box + 3 * gap + textSize(face, kZoneKinds[i]).x;
        if (width > .7f * whole) return whole;
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const float top = std::round(at.y + (face.size - box) / 2);
        float x = at.x + whole - width;
        for (size_t i = 0; i < kCount; ++i) {
            x += 2 * gap;
            list.AddRectFilled({x, top}, {x + box, top + box},
                               packed(colorOf(static_cast<ZoneKind>(i))), ui.theme.units(2));
            x += box + gap;
            drawText(list, face, {x, at.y}, packed(colors::dim), kZoneKinds[i]);
            x += textSize(face, kZoneKinds[i]).x;
        }
        return whole - width;
    }

    void drawHeading(const Ui& ui) {
        Frame& frame = ui.frame;
        pushFace(ui.theme.small);
        if (smallButton(ui, view_.paused() ? "Go on" : "Pause", "timeline.pause"))
            view_.pause(!view_.paused());
        ImGui::SameLine();
        if (smallButton(ui, "Save", "timeline.save")) frame.then([this, &frame] { save(frame); });
        ImGui::SameLine();
        if (smallButton(ui, "Close", "timeline.close")) frame.then([this] { view_.show(false); });
        ImGui::SameLine();
        std::string text = durationText(view_.until() - view_.from()) + " in view";
        if (const auto idle = gpuIdle(view_.timeline(), view_.from(), view_.until()))
            text += fmt::format(", GPU idle {:.0f} %", 100 * *idle);
        const float room = drawLegend(ui);
        textLine(fitted(ui.theme.small, text, room), colors::dim);
        popFace();
    }

    void draw(const Ui& ui) override {
        const Rect& area = ui.layout.timeline;
        if (!(area.height > 0)) return;
        view_.refresh();
        beginPane("Timeline", area,
                  ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
        drawHeading(ui);
        const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
        const Rect place{at.x, at.y, std::max(room.x, 1.0f), std::max(room.y, 1.0f)};
        ImGui::InvisibleButton("zones", {place.width, place.height});
        note(ui, "timeline.zones");
        Zones zones(ui, view_, place);
        steer(view_, zones);
        zones.draw();
        endPanel(ui, "panel.timeline");
    }

    void key(const KeyPress& press, Frame&) override {
        if (press.key == Key::timeline) view_.show(!view_.shown());
    }

    void save(Frame& frame) {
        const std::string path = frame.files.freshPath(".trace.json");
        const auto written =
            writeChromeTrace(path, view_.paused() ? view_.timeline() : copyTimeline());
        if (!written) return frame.warn(written.reason());
        saved_ = path;
        frame.say(fmt::format("Saved {}", path));
    }

    void describe(const Frame&, nlohmann::json& status) const override {
        status["timeline"] = {{"shown", view_.shown()},
                              {"paused", view_.paused()},
                              {"from_ms", static_cast<double>(view_.from() - view_.end()) / 1e6},
                              {"until_ms", static_cast<double>(view_.until() - view_.end()) / 1e6},
                              {"events", view_.timeline().events.size()}};
        status["trace"] = saved_;
    }

    TimelineView& view_;
    std::string saved_;
};

}  // namespace

void TimelineView::show(bool shown) {
    if (shown == shown_) return;
    shown_ = shown;
    paused_ = false;
    if (shown) {
        ours_ = !timelineRuns();
        if (ours_) startTimeline();
    } else if (ours_) {
        stopTimeline();
    }
}

void TimelineView::refresh() {
    if (!shown_ || paused_) return;
    timeline_ = copyTimeline((span_ + back_) / 1e9 + kMarginSeconds);
    end_ = endOfFrame(timeline_);
}

void TimelineView::zoom(double place, double notches) {
    const double right = 1 - place;
    const double span = std::clamp(span_ * std::pow(kNotch, -notches), kLeastSpan, kMostSpan);
    back_ = std::clamp(back_ + right * (span_ - span), 0., kMostSpan);
    span_ = span;
}

void TimelineView::pan(double share) {
    back_ = std::clamp(back_ + share * span_, 0., kMostSpan);
}

void TimelineView::reset() {
    span_ = kFirstSpan;
    back_ = 0;
}

std::vector<int> depthsOf(const Timeline& timeline) {
    std::vector<int> depths;
    std::vector<std::vector<std::int64_t>> open(timeline.tracks.size());  // ends of zones
    for (const TimelineEvent& e : timeline.events) {
        if (e.kind != TimelineEvent::Kind::zone) {
            depths.push_back(-1);
            continue;
        }
        std::vector<std::int64_t>& ends = open[e.track];
        while (!ends.empty() && ends.back() <= e.began) ends.pop_back();
        depths.push_back(static_cast<int>(ends.size()));
        ends.push_back(e.ended);
    }
    return depths;
}

std::optional<double> gpuIdle(const Timeline& timeline, std::int64_t from, std::int64_t until) {
    std::int64_t first = until, last = from, busy = 0;
    for (const TimelineEvent& e : timeline.events) {
        if (e.kind != TimelineEvent::Kind::zone || e.track != kGpuTrack) continue;
        const std::int64_t began = std::max(e.began, from), ended = std::min(e.ended, until);
        if (began >= ended) continue;
        first = std::min(first, began);
        last = std::max(last, ended);
        busy += ended - began;
    }
    if (busy == 0) return {};
    return 1 - static_cast<double>(busy) / static_cast<double>(last - first);
}

std::string durationText(std::int64_t nanoseconds) {
    const double ns = static_cast<double>(nanoseconds);
    if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
    if (ns < 1e6) return fmt::format("{:.3g} us", ns / 1e3);
    if (ns < 1e9) return fmt::format("{:.{}f} ms", ns / 1e6, ns < 1e7 ? 2 : ns < 1e8 ? 1 : 0);
    return fmt::format("{:.2f} s", ns / 1e9);
}

std::unique_ptr<WindowFeature> timelineStrip(TimelineView& view) {
    return std::make_unique<TimelineStrip>(view);
}

}  // namespace rayscope
