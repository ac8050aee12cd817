#include "renderer/base/subnormals.h"

#if defined(__SSE2__)
#include <pmmintrin.h>
#endif

namespace rayscope {

#if defined(__SSE2__)

namespace {

constexpr unsigned kFlushToZero = _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON;
/// Sticky. Operands set the first only while they are not taken for zero (Intel's manual, 11.5.2).
constexpr unsigned kSubnormalMet = _MM_EXCEPT_DENORM | _MM_EXCEPT_UNDERFLOW;

}  // namespace

void flushSubnormals() {
    _mm_setcsr(_mm_getcsr() | kFlushToZero);
}

SubnormalWatch::SubnormalWatch() : control_(_mm_getcsr()) {
    _mm_setcsr(static_cast<unsigned>(control_) & ~(kFlushToZero | kSubnormalMet));
}

SubnormalWatch::~SubnormalWatch() {
    _mm_setcsr(static_cast<unsigned>(control_));
}

bool SubnormalWatch::met() const {
    return (_mm_getcsr() & kSubnormalMet) != 0;
}

#elif defined(__aarch64__)

namespace {

constexpr unsigned long kFlushToZero = 1ul << 24;
/// Underflow, and an operand taken for zero: the latter is only noted while flushing (Arm ARM,
/// FPSR).
constexpr unsigned long kSubnormalMet = 1ul << 3 | 1ul << 7;

unsigned long control() {
    unsigned long value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}

void setControl(unsigned long value) {
    asm volatile("msr fpcr, %0" : : "r"(value));
}

unsigned long status() {
    unsigned long value;
    asm volatile("mrs %0, fpsr" : "=r"(value));
    return value;
}

}  // namespace

void flushSubnormals() {
    setControl(control() | kFlushToZero);
}

SubnormalWatch::SubnormalWatch() : control_(control()) {
    flushSubnormals();
    asm volatile("msr fpsr, %0" : : "r"(status() & ~kSubnormalMet));
}

SubnormalWatch::~SubnormalWatch() {
    setControl(control_);
}

bool SubnormalWatch::met() const {
    return (status() & kSubnormalMet) != 0;
}

#else

void flushSubnormals() {}
SubnormalWatch::SubnormalWatch() {}
SubnormalWatch::~SubnormalWatch() {}
bool SubnormalWatch::met() const {
    return false;
}

#endif

}  // namespace rayscope
