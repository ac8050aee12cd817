#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/code/code_verdict.h"
#include "renderer/code/read_code.h"

namespace rayscope {

/// A program's target, its kernels, and the kinds of their instructions, as a table.
std::string tableOf(const ReadCode& read);

/// The same of two programs side by side, with the verdict.
std::string tableOf(const ReadCode& a, const ReadCode& b, const CodeVerdict& verdict);

/// The lines that differ, kernel by kernel and with three lines of context, in the format of
/// diff -u; empty if none does. `kernel`: only that one; empty: all.
std::string unifiedDiff(const ReadCode& a, const ReadCode& b, CodeForm form,
                        const std::string& kernel);

/// The text of all kernels or of one; `form` is not CodeForm::source.
std::string textOf(const ReadCode& read, CodeForm form, const std::string& kernel);

/// Kernels, their digests and their mix of instructions, but no text.
nlohmann::json toJson(const ReadCode& read);
nlohmann::json toJson(const ReadCode& a, const ReadCode& b, const CodeVerdict& verdict);

/// "8f3c0d9a11e2b744"
std::string digestText(const CubinKernel& kernel);

/// The kernel that a report's "name" and "digest" tell of. Throws std::exception where the code has
/// none of that name, or its machine code is another.
const KernelFacts& kernelOf(const nlohmann::json& row, const KernelCode& code);

}  // namespace rayscope
