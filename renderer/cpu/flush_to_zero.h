#pragma once

#ifdef RAYSCOPE_X86
#include <xmmintrin.h>
#endif

namespace rayscope {

/// While it lives, the thread takes subnormal numbers for zero: an instruction that meets one takes
/// a hundred times as long on some processors.
class FlushToZero {
public:
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;
#ifdef RAYSCOPE_X86
    FlushToZero() : before_(_mm_getcsr()) {
        constexpr unsigned kResults = 0x8000, kOperands = 0x40;
        _mm_setcsr(before_ | kResults | kOperands);
    }
    ~FlushToZero() {
        _mm_setcsr(before_);
    }

private:
    unsigned before_;
#else
    FlushToZero() {}
#endif
};

}  // namespace rayscope
