#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/lab/selfcheck.h"

namespace rayscope {

/// unclear: nothing speaks against it, but it is not known well enough.
enum class Finding { ok, unclear, failed };

/// One line of the verdict.
struct Check {
    std::string name;
    Finding finding = Finding::unclear;
    std::string sentence;
};

std::vector<Check> checksOf(const SelfcheckResult& result);

/// Whether any check failed.
bool failed(const std::vector<Check>& checks);

/// The device, a line for each check, and what they say together.
std::string textOf(const SelfcheckResult& result);

nlohmann::json reportOf(const SelfcheckResult& result);

}  // namespace rayscope
