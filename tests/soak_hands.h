#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "tests/viewer_session.h"

struct GLFWwindow;

namespace rayscope::test {

/// The same numbers on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }
    int between(int least, int most) { return least + below(most - least + 1); }
    bool chance(int percent) { return below(100) < percent; }
    template <class Items>
    auto& of(Items& items) {
        return items[next() % std::size(items)];
    }

private:
    std::uint64_t state_;
};

/// Text that another program of the display can paste, while serve() is called.
class Clipboard {
public:
    explicit Clipboard(const std::string& display);
    ~Clipboard();
    Clipboard(const Clipboard&) = delete;
    Clipboard& operator=(const Clipboard&) = delete;

    void set(const std::string& text);
    void serve();

private:
    GLFWwindow* window_;
};

/// What the hands of a user do to the window. Waiting goes through `wait`, which serves the
/// clipboard and watches.
struct Hands {
    Session& session;
    Clipboard& clipboard;
    std::function<void(double)> wait;
    /// The window comes and goes, so frames before and after do not belong together.
    std::function<void(bool)> offScreen;
    bool cuda = false;  ///< the run may use both backends
    Random random{0};   ///< of the action under way
    nlohmann::json status{};

    void look();
    /// The pointer goes into the window first: without a window manager keys go where it is.
    void keys(const std::string& words);
    void press(const std::string& drawn);
    /// "x y" in the middle of something drawn, or anywhere in the window.
    std::string placeOf(const std::string& drawn) const;
    std::string anyPlace();
    void paste(const std::string& text);
    /// Back on the screen, with the keyboard.
    void show();
    Settings settings() const;
};

struct Action {
    const char* name;
    int weight;
    void (*run)(Hands&);
};
const std::vector<Action>& actions();
const Action& chosen(Random& random);

/// The settings that a status tells of, for its scene.
Settings settingsIn(const nlohmann::json& status, const Scene& scene);

}  // namespace rayscope::test
