#include "ui/toasts.h"

#include <algorithm>
#include <cmath>

#include "renderer/base/say.h"

namespace rayscope {

namespace {

constexpr double kNoteSeconds = 4, kErrorSeconds = 10;
constexpr size_t kMost = 4;

void add(Toasts& toasts, Toast toast) {
    std::vector<Toast>& shown = toasts.shown;
    // The same sentence again only stays longer.
    std::erase_if(shown, [&](const Toast& t) { return t.text == toast.text; });
    if (shown.size() >= kMost) shown.erase(shown.begin());
    toasts.last = toast.text;
    shown.push_back(std::move(toast));
}

}  // namespace

void Toasts::say(const std::string& text, double now) {
    add(*this, {text, false, now + kNoteSeconds});
}

void Toasts::warn(const std::string& text, double now) {
    const auto same = [&](const Toast& t) { return t.text == text; };
    if (std::none_of(shown.begin(), shown.end(), same)) complain(text);
    add(*this, {text, true, now + kErrorSeconds});
}

void Toasts::draw(const Ui& ui, double now) {
    std::erase_if(shown, [now](const Toast& t) { return t.until < now; });
    const Theme& theme = ui.theme;
    const Rect& free = ui.layout.free;
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const float padding = theme.units(12);
    const float most = std::min(free.width, theme.units(620));
    float y = free.y + free.height;  // upwards from the status strip, newest lowest
    for (auto it = shown.rbegin(); it != shown.rend(); ++it) {
        const Toast& toast = *it;
        const float wrap = most - 2 * padding;
        const ImVec2 size = theme.body.font->CalcTextSizeA(
            theme.body.size, 1e6f, wrap, toast.text.data(), toast.text.data() + toast.text.size());
        const float width = size.x + 2 * padding, height = size.y + 1.2f * padding;
        const float x = std::floor(free.x + (free.width - width) / 2);
        y -= height;
        list.AddRectFilled({x, y}, {x + width, y + height}, packed(colors::popup), theme.units(6));
        list.AddRect({x, y}, {x + width, y + height},
                     packed(toast.error ? colors::warning : colors::accent, .6f), theme.units(6));
        list.AddText(theme.body.font, theme.body.size, {x + padding, std::floor(y + .6f * padding)},
                     packed(colors::text), toast.text.data(), toast.text.data() + toast.text.size(),
                     wrap);
        y -= theme.units(8);
    }
}

}  // namespace rayscope
