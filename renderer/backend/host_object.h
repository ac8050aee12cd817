#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/backend/cubin.h"
#include "renderer/backend/cubin_file.h"
#include "renderer/backend/kernel_code.h"
#include "renderer/backend/line_table.h"
#include "renderer/base/result.h"

// The shared object for x86-64 that the kernels of a CPU are compiled into. It may be any bytes.

namespace rayscope {

/// A function that has code in the object.
struct HostFunction {
    std::string symbol;         ///< its mangled name
    std::uint64_t address = 0;  ///< from where the object is loaded
    std::uint64_t size = 0;     ///< bytes
};

struct HostObject {
    std::vector<CubinSection> sections;   ///< of the bytes that were read, which they refer to
    std::vector<HostFunction> functions;  ///< by address

    /// nullptr: there is none of this name.
    const HostFunction* named(std::string_view symbol) const;
    /// nullptr: there is none at this address.
    const HostFunction* at(std::uint64_t address) const;
};

/// Fails if the bytes are no object for x86-64 or have no symbols (.symtab).
Result<HostObject> readHostObject(std::string_view bytes);

/// The kernels of these symbols, in that order; fails if one is missing. Of the members of
/// CubinKernel, `instructions` is -1, since only a disassembler can tell, and code and constants
/// are those of the whole object, which are shared.
Result<std::vector<CubinKernel>> readHostKernels(std::string_view bytes,
                                                 const std::vector<std::string>& symbols);

/// The code of settings whose kernels, by name and symbol, are in this object; fails as the above.
Result<KernelCode> hostKernelCode(std::string object, std::string compiler,
                                  const std::vector<std::pair<std::string, std::string>>& kernels);

/// The line table of an object that has been compiled with -g1 or more. Addresses are the object's
/// own, in all functions, and a place that was not inlined belongs to the function whose code it
/// is. Row::first is Row::place. Fails if there are no lines or they are damaged.
Result<LineTable> readHostLines(std::string_view bytes);

}  // namespace rayscope
