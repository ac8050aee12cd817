#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/choices/state.h"

namespace rayscope {

/// What the window remembers from one run to the next: nothing that rates depend on, such as
/// settings or the size of the picture, with which a run begins like the one before.
struct Preferences {
    bool panels = true;
    bool light = false;                          ///< the window's look
    std::string tab;                             ///< "lab"
    std::vector<std::string> recent;             ///< files, the last opened first
    std::map<std::string, Bookmarks> bookmarks;  ///< by the name of their scene
    bool first = true;                           ///< nothing is remembered: the first run
    std::string problem;                         ///< why nothing is, where there was something

    bool operator==(const Preferences&) const = default;
    /// Puts the file in front.
    void opened(const std::string& path);
    /// The bookmarks of a scene from now on; none: they are forgotten.
    void keep(const std::string& scene, const Bookmarks& marks);
};

/// "$XDG_STATE_HOME/rayscope/window.json", or in ~/.local/state (XDG base directories); empty where
/// there is no home.
std::string preferencesPath();

/// What a file of that text says; a text that cannot be understood says nothing.
Preferences preferencesFrom(std::string_view text);

/// The same of a file of at most 1 MiB. One that cannot be understood is moved to "PATH.damaged",
/// so that what it had is not overwritten.
Preferences loadPreferences(const std::string& path);

/// Writes what has changed since `before` into the file, where another window may have written
/// since. Returns an empty string or one sentence. Makes the folder.
std::string storePreferences(const Preferences& before, const Preferences& preferences,
                             const std::string& path);

/// "last.json" beside preferencesPath(), the state of the window that was closed last, which is
/// opened like any other; empty where there is no home.
std::string lastStatePath();

/// Writes the state there; likewise.
std::string storeLastState(const State& state);

}  // namespace rayscope
