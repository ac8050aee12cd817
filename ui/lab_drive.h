#pragma once

#include <string>

#include "ui/laboratory.h"
#include "ui/ladder_drive.h"

namespace rayscope {

/// What the Lab tab asks for in a frame.
struct LabRequests {
    bool measure = false, cancel = false, save = false;
    std::optional<int> show;        ///< a record of the history
    std::optional<Settings> apply;  ///< settings to be in,
    std::optional<Scene> scene;     ///< with this scene, where it is another one
};

/// Carries them out. `film`: the size of the picture. Sentences for the user are returned, those
/// that warn in `warning`.
std::string carryOut(const LabRequests& requests, Laboratory& lab, const LabChoice& choice,
                     int width, int height, const Driven& window, std::string* warning);

/// Writes the record as JSON and CSV files with fresh names into `folder`; their names, or why not
/// in `warning`.
std::string save(const LabRecord& record, const std::string& folder, std::string* warning);

/// "All switches 12 of 40"; empty where nothing is under way.
std::string labText(const Laboratory& lab);

/// What was found out, newest first, for a screenshot's info: reports whose scene is the state's
/// are without it.
nlohmann::json resultsOf(const Laboratory& lab, const State& state);

}  // namespace rayscope
