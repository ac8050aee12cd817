#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/choices/state.h"

namespace rayscope {

inline constexpr double kLeastText = .7, kMostText = 2.5;

/// What the window remembers from one run to the next: nothing that rates depend on, such as
/// settings or the picture's size, so that every run begins alike.
struct Preferences {
    bool panels = true;
    bool light = false;                          ///< the window's look
    double text = 1;                             ///< size of the text, times the usual
    double left = 0, right = 0;                  ///< LayoutWish::left, right
    std::string tab;                             ///< "lab"
    std::vector<std::string> recent;             ///< files, the last opened first
    std::map<std::string, Bookmarks> bookmarks;  ///< by the name of their scene
    bool first = true;                           ///< the first run: nothing is remembered yet
    std::string problem;                         ///< why what was stored could not be read

    bool operator==(const Preferences&) const = default;
    /// Puts the file first in `recent`.
    void opened(const std::string& path);
    /// Sets the bookmarks of a scene; empty ones are forgotten.
    void keep(const std::string& scene, const Bookmarks& marks);
};

/// "$XDG_STATE_HOME/rayscope/window.json", or in ~/.local/state (XDG base directories); empty where
/// there is no home folder.
std::string preferencesPath();

/// The preferences in a file's text; the defaults if it cannot be parsed.
Preferences preferencesFrom(std::string_view text);

/// Loads a file of at most 1 MiB. One that cannot be parsed is moved to "PATH.damaged", so that it
/// is not overwritten.
Preferences loadPreferences(const std::string& path);

/// Writes what has changed since `before` into the file, keeping what another window has written
/// meanwhile. Returns an empty string or one sentence. Creates the folder.
std::string storePreferences(const Preferences& before, const Preferences& preferences,
                             const std::string& path);

/// "last.json" beside preferencesPath(): the state of the window that was closed last, opened like
/// any other; empty where there is no home folder.
std::string lastStatePath();

/// Renames lastStatePath() to "before.json", as this window is about to write its own there.
/// Returns where the state of the window before is then; empty: there is none.
std::string keepStateBefore();
/// Whether a file is one of these two.
bool isLastState(const std::string& path);

/// Writes the state to lastStatePath(). Returns an empty string or one sentence.
std::string storeLastState(const State& state);

}  // namespace rayscope
