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

/// Carries them out, but `save`. `width`, `height`: of the picture. A sentence that warns, or none.
std::string carryOut(const LabRequests& requests, Laboratory& lab, const LabChoice& choice,
                     int width, int height, const Driven& window);

/// "rayscope-sweep-2026-01-31T12-00-00Z"
std::string stemOf(const LabRecord& record);

/// Writes STEM.json and STEM.csv. Why not, or an empty string. Takes its time with large scenes.
std::string save(const LabRecord& record, const std::string& stem);

/// "All switches 12 of 40"; empty where nothing is under way.
std::string labText(const Laboratory& lab);

/// What was found out, newest first, for a screenshot's info: reports whose scene is the state's
/// are without it. At most 24 MiB of text, which the largest state leaves of what a PNG is read
/// for; reports that do not fit are left out.
nlohmann::json resultsOf(const LabHistory& history, const State& state);

}  // namespace rayscope
