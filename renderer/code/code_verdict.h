#pragma once

#include <string>

#include "renderer/backend/kernel_code.h"

namespace rayscope {

/// What the machine code of two settings says about a comparison of their times. noise: it is the
/// same, and so is what the host does. sameCode: it is the same, but launched in another way or
/// over other data. unknown: the driver makes it.
enum class CodeRelation { unknown, different, sameCode, noise };

/// "same code"
const char* nameOf(CodeRelation relation);

struct CodeVerdict {
    CodeRelation relation = CodeRelation::unknown;
    std::string sentence;  ///< "machine code identical: any difference is noise"
};

CodeVerdict compareCode(const Settings& a, const KernelCode& codeOfA, const Settings& b,
                        const KernelCode& codeOfB);

/// The verdict on two settings of one scene and architecture. Unknown, without a sentence, where a
/// side is not of the CUDA backend, does not compile or may not be compiled.
CodeVerdict compareCode(const Settings& a, const Settings& b, const Scene& scene, int architecture,
                        Compiling compiling = Compiling::allowed);

}  // namespace rayscope
