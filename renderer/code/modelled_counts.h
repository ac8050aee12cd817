#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/backend/instruction_counts.h"
#include "renderer/backend/kernel_twins.h"
#include "renderer/backend/line_table.h"
#include "renderer/base/result.h"
#include "renderer/code/counting_twin.h"

namespace rayscope {

/// A model of how often each instruction of machine code was executed, from what its twin has
/// counted (two numbers a block, kBlockCounters). The instructions of a block of machine code are
/// executed equally often: as often as the block of PTX that is most similar by its lines and the
/// calls that these were inlined by. Nothing is known of predicates, so all active lanes are on;
/// the slow paths of divisions and roots, which PTX does not have, count as never taken. Fails if
/// the cubin is damaged or the numbers are not the twin's.
Result<std::vector<KernelCounts>> modelledCounts(const CountingTwin& twin,
                                                 const std::vector<std::uint64_t>& counted,
                                                 const std::vector<KernelTwins::Symbols>& kernels,
                                                 std::string_view cubin, const LineTable& lines,
                                                 const std::vector<std::string>& sources);

}  // namespace rayscope
