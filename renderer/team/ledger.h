#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rayscope {

/// What came of errands, by errand.
using Ledger = std::map<std::string, std::string>;

std::string bytesOf(const Ledger& ledger);
/// Nothing if the bytes are no such thing.
std::optional<Ledger> ledgerFrom(std::string_view bytes);

}  // namespace rayscope
