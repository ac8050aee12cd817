#pragma once

#include <string>

#include "renderer/backend/kernel_code.h"

namespace rayscope {

/// What the machine code of two settings says about a comparison of their times. noise: it is the
/// same and launched in the same way. sameCode: it is the same, but launched in another way or on
/// other data. unknown: the driver makes it.
enum class CodeRelation { unknown, different, sameCode, noise };

/// "same code"
const char* nameOf(CodeRelation relation);

struct CodeVerdict {
    CodeRelation relation = CodeRelation::unknown;
    std::string sentence;  ///< "machine code identical: any difference is noise"
};

CodeVerdict compareCode(const Settings& a, const KernelCode& codeOfA, const Settings& b,
                        const KernelCode& codeOfB);

/// The verdict on two settings for one scene and architecture. Unknown, without a sentence, if a
/// side is not of the CUDA backend, does not compile or may not be compiled.
CodeVerdict compareCode(const Settings& a, const Settings& b, const Scene& scene, int architecture,
                        Compiling compiling = Compiling::allowed);

}  // namespace rayscope
