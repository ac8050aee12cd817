#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rayscope {

/// What a report is about, on one line: "vt9: engine=packets against engine=megakernel".
std::string titleOf(const nlohmann::json& report);

/// The figures of reports[index] as HTML, by its kind; of a kind without a drawing of its own, all
/// of its values in tables.
std::string figuresOf(const nlohmann::json& reports, std::size_t index);

/// What was asked for and under which conditions, and the command that makes it again.
std::string conditionsOf(const nlohmann::json& reports, std::size_t index);

/// Reports of one question from several machines: who is faster, by which factor, and whether the
/// work was equal. Empty where no two reports ask the same.
std::string machinesOf(const nlohmann::json& reports);

// For the sections.

/// The text there; empty where there is none.
std::string textAt(const nlohmann::json& json, const std::string& pointer);
/// The settings of `of` that `from` has with another value, "engine=packets"; those that it has not
/// only where there are no others, as they mostly follow from these.
std::string differencesOf(const nlohmann::json& of, const nlohmann::json& from);
/// All settings, "accel=brute engine=packets".
std::string settingsText(const nlohmann::json& settings);
/// All values of the report in tables.
std::string allValuesOf(const nlohmann::json& reports, std::size_t index);

}  // namespace rayscope
