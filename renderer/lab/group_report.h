#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/backend/session.h"

namespace rayscope {

/// What each of several devices has done, and how well they share the work: a line for each and
/// one for all. Empty if there is only one.
std::string groupText(const GroupWork& work);

/// The same: adds "devices" and "efficiency" to a report; nothing if there is only one.
void addGroup(nlohmann::json& report, const GroupWork& work);

}  // namespace rayscope
