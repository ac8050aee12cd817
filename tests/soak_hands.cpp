#include "tests/soak_hands.h"

#define GLFW_INCLUDE_NONE

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope::test {

using nlohmann::json;

/// SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t Random::next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

Clipboard::Clipboard(const std::string& display) {
    setenv("DISPLAY", display.c_str(), 1);
    if (glfwInit() == GLFW_FALSE) throw std::runtime_error("GLFW does not find the display");
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    window_ = glfwCreateWindow(1, 1, "clipboard", nullptr, nullptr);
    if (window_ == nullptr) throw std::runtime_error("GLFW makes no window for the clipboard");
}

Clipboard::~Clipboard() {
    glfwTerminate();
}

void Clipboard::set(const std::string& text) {
    glfwSetClipboardString(window_, text.c_str());
}

void Clipboard::serve() {
    glfwPollEvents();
}

Settings settingsIn(const json& status, const Scene& scene) {
    const json& chosen = status["settings"];
    const Backend backend = chosen["backend"] == "cuda" ? Backend::cuda : Backend::cpu;
    Settings settings = defaultSettings(backend, scene);
    for (const auto& [axis, value] : chosen.items())
        static_cast<void>(assign(
            settings, axis + "=" + (value.is_string() ? value.get<std::string>() : value.dump())));
    return settings;
}

void Hands::look() {
    json now = session.status();
    if (!now.empty()) status = std::move(now);
}

void Hands::keys(const std::string& words) {
    session.act(fmt::format("mousemove {} {}", anyPlace(), words));
}

std::string Hands::anyPlace() {
    const int width = status["window"][0], height = status["window"][1];
    return fmt::format("{} {}", random.below(std::max(width, 1)),
                       random.below(std::max(height, 1)));
}

std::string Hands::placeOf(const std::string& drawn) const {
    const json& rect = status["drawn"][drawn];
    return fmt::format("{:.0f} {:.0f}", rect[0].get<double>() + rect[2].get<double>() / 2,
                       rect[1].get<double>() + rect[3].get<double>() / 2);
}

void Hands::press(const std::string& drawn) {
    look();
    if (!status["drawn"].contains(drawn)) return;
    // a frame must pass between arriving, pressing and letting go
    session.act(
        fmt::format("mousemove {} sleep .1 mousedown 1 sleep .1 mouseup 1", placeOf(drawn)));
    wait(.1);
    look();
}

void Hands::paste(const std::string& text) {
    clipboard.set(text);
    keys("key ctrl+v");
    wait(.3);
}

void Hands::show() {
    session.act("search --name Rayscope windowmap windowfocus");
}

Settings Hands::settings() const {
    const auto scene = findScene("vt9");  // of whose defaults nothing is left
    return settingsIn(status, *scene);
}

namespace {

/// Names drawn now that begin so and can be used, in their order.
std::vector<std::string> drawnNames(const json& status, const std::string& begin = "") {
    std::vector<std::string> names;
    for (const auto& [name, item] : status["drawn"].items()) {
        // An editor would be started; the soak itself goes to the largest scene.
        if (name == "code.edit" || name.starts_with("scene.count")) continue;
        if (name.starts_with(begin) && item[4].get<bool>()) names.push_back(name);
    }
    return names;
}

std::string assignment(const Axis& axis, Random& random) {
    // Numbers up to 64: what there is beyond takes a slow machine seconds.
    const int most = axis.kind == AxisKind::number ? std::min(axis.maximum, 64) : axis.maximum;
    const int value = random.between(axis.minimum, most);
    return fmt::format(
        "{}={}", axis.id,
        axis.kind == AxisKind::number ? fmt::format("{}", value) : axis.values[value].id);
}

/// One axis of those that matter, with what it brings along or as it is written.
void switchAxis(Hands& h) {
    const Settings before = h.settings();
    std::vector<const Axis*> possible;
    for (const Axis& axis : axes()) {
        if (axis.matters(before) && (axis.id != "backend" || h.cuda)) possible.push_back(&axis);
    }
    std::string text = assignment(*h.random.of(possible), h.random);
    if (!h.random.chance(25)) {
        Settings after = before;
        assignAll(after, {text});
        if (const std::string all = difference(before, after); !all.empty()) text = all;
    }
    h.paste("--set " + text);
}

/// Two clicks: a list and one of its entries.
void chooseFromList(Hands& h) {
    std::vector<std::string> lists;
    for (const std::string& name : drawnNames(h.status)) {
        for (const char* begin :
             {"axis.", "scene", "lab.", "ladder", "view.", "code.kernel", "code.file"}) {
            if (name.starts_with(begin)) {
                lists.push_back(name);
                break;
            }
        }
    }
    if (lists.empty()) return;
    const std::string list = h.random.of(lists);
    h.press(list);
    const std::vector<std::string> entries = drawnNames(h.status, list + ".");
    if (!entries.empty()) h.press(h.random.of(entries));
}

void pressAnything(Hands& h) {
    const std::vector<std::string> names = drawnNames(h.status);
    if (!names.empty()) h.press(h.random.of(names));
}

void openTab(Hands& h) {
    const std::vector<std::string> tabs = drawnNames(h.status, "tab.");
    if (!tabs.empty()) h.press(h.random.of(tabs));
}

/// As text, so that any scene comes with any settings.
void changeScene(Hands& h) {
    std::vector<std::string> names = sceneNames();
    const int spheres = static_cast<int>(std::pow(10., h.random.between(5, 35) / 10.));
    names.push_back(fmt::format("field-{}", spheres));
    names.push_back(fmt::format("grid-{}", spheres));
    const auto scene = findScene(h.random.of(names));
    if (!scene) return;
    State state{*scene, {}, {}, {}};
    state.camera = state.scene->camera;
    const bool kept = h.random.chance(50);
    state.settings = kept ? settingsIn(h.status, state.scene)
                          : defaultSettings(h.settings().backend, state.scene);
    state.settings.display = h.settings().display;
    if (h.random.chance(20)) state.pinned = Pinned{state.settings};
    if (h.random.chance(20)) state.view.shown = Shown::rays;
    h.paste(toJson(state).dump());
}

void move(Hands& h) {
    const std::string from = h.anyPlace(), to = h.anyPlace();
    constexpr std::array kFlights{"w", "a", "s", "d", "q", "e"};
    const std::string flight = h.random.of(kFlights);
    switch (h.random.below(7)) {
        case 0:
        case 1:
            return h.keys(
                fmt::format("keydown {0} sleep .{1} keyup {0}", flight, h.random.between(1, 6)));
        case 2:
            return h.session.act(fmt::format(
                "mousemove {} mousedown 1 sleep .1 mousemove {} sleep .2 mouseup 1", from, to));
        case 3:
            return h.session.act(
                fmt::format("mousemove {} keydown alt mousedown 1 sleep .1 mousemove {} sleep .2 "
                            "mouseup 1 keyup alt",
                            from, to));
        case 4:
            return h.session.act(fmt::format("mousemove {} click --repeat {} {}", from,
                                             h.random.between(1, 6), h.random.between(4, 5)));
        case 5:
            return h.session.act(fmt::format("mousemove {} click --repeat 2 --delay 80 1", from));
        default:
            return h.keys("key Home");
    }
}

void resize(Hands& h) {
    const bool tiny = h.random.chance(30);
    const int width = tiny ? h.random.between(1, 200) : h.random.between(200, 1900);
    const int height = tiny ? h.random.between(1, 150) : h.random.between(150, 1060);
    h.session.resize(width, height);
    h.wait(.3);
}

void takeOffTheScreen(Hands& h) {
    h.offScreen(true);
    h.session.act("search --name Rayscope windowunmap");
    h.wait(.1 * h.random.between(1, 8));
    h.show();
    h.offScreen(false);
}

void pressKey(Hands& h) {
    constexpr std::array kKeys{
        "Tab",  "t",      "v",      "v",      "p",      "p",         "space",  "r",
        "F1",   "ctrl+z", "ctrl+z", "ctrl+z", "ctrl+y", "ctrl+1",    "ctrl+2", "1",
        "2",    "3",      "o",      "Escape", "F12",    "shift+F12", "ctrl+c", "ctrl+shift+z",
        "Next",
    };
    h.keys(fmt::format("key {}", h.random.of(kKeys)));
}

void editScene(Hands& h) {
    h.press("tab.scene");
    h.session.act(fmt::format("mousemove {} sleep .1 click 1", h.anyPlace()));
    h.wait(.2);
    h.look();
    constexpr std::array kButtons{"button.duplicate", "button.delete", "button.fill"};
    if (h.random.chance(30)) return h.press(h.random.of(kButtons));
    if (h.random.chance(30)) {
        h.press("button.add");
        return h.session.act(fmt::format("mousemove {} sleep .1 click 1", h.anyPlace()));
    }
    const json& editor = h.status["editor"];
    if (!editor.contains("place")) return;
    const char* shift = h.random.chance(30) ? "shift" : "";
    const std::string hold = *shift != 0 ? fmt::format("keydown {}", shift) : "";
    const std::string release = *shift != 0 ? fmt::format("keyup {}", shift) : "";
    h.session.act(fmt::format(
        "mousemove {:.0f} {:.0f} {} mousedown 1 sleep .1 mousemove_relative -- {} {} sleep .1 "
        "mousemove_relative -- {} {} sleep .1 mouseup 1 {}",
        editor["place"][0].get<double>(), editor["place"][1].get<double>(), hold,
        h.random.between(-40, 40), h.random.between(-40, 40), h.random.between(-40, 40),
        h.random.between(-40, 40), release));
}

/// Begins something that takes long, and mostly ends it.
void begin(Hands& h, const char* tab, const char* button) {
    h.press(tab);
    h.press(button);
    h.wait(.1 * h.random.between(1, 30));
    if (h.random.chance(70)) h.keys("key Escape");
}

void measure(Hands& h) {
    begin(h, "tab.lab", "button.measure");
}

void climb(Hands& h) {
    begin(h, "tab.ladder", "button.climb");
}

void tour(Hands& h) {
    begin(h, "tab.ladder", "button.tour");
    if (h.random.chance(50)) h.keys("key Next");
}

void path(Hands& h) {
    h.keys("key ctrl+1 key w key ctrl+2");
    begin(h, "tab.scene", "button.path");
}

void race(Hands& h) {
    if (h.status["pinned"].is_null()) h.keys("key p");
    h.wait(.2);
    begin(h, "tab.versus", "button.race");
}

}  // namespace

const std::vector<Action>& actions() {
    static const std::vector<Action> all{
        {"switch", 24, switchAxis},
        {"list", 12, chooseFromList},
        {"click", 18, pressAnything},
        {"tab", 6, openTab},
        {"scene", 7, changeScene},
        {"move", 14, move},
        {"resize", 8, resize},
        {"unmap", 2, takeOffTheScreen},
        {"key", 14, pressKey},
        {"edit", 7, editScene},
        {"measure", 4, measure},
        {"climb", 3, climb},
        {"race", 2, race},
        {"tour", 2, tour},
        {"path", 2, path},
    };
    return all;
}

const Action& chosen(Random& random) {
    const std::vector<Action>& all = actions();
    int sum = 0;
    for (const Action& action : all) sum += action.weight;
    int left = random.below(sum);
    const Action* action = all.data();
    while (left >= action->weight) left -= action++->weight;
    return *action;
}

}  // namespace rayscope::test
