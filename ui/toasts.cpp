#include "ui/toasts.h"

#include <algorithm>

#include "renderer/base/say.h"

namespace rayscope {

namespace {

constexpr double kSeconds = 4, kErrorSeconds = 10;
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
    add(*this, {text, false, now + kSeconds});
}

void Toasts::warn(const std::string& text, double now) {
    const auto same = [&](const Toast& t) { return t.text == text; };
    if (std::none_of(shown.begin(), shown.end(), same)) complain(text);
    add(*this, {text, true, now + kErrorSeconds});
}

void Toasts::forgetOld(double now) {
    std::erase_if(shown, [now](const Toast& t) { return t.until < now; });
}

}  // namespace rayscope
