#pragma once

// Arithmetic with subnormal numbers takes many cores over a hundred cycles.

namespace rayscope {

/// From now on this thread takes subnormal operands and results for zero, where the processor can.
void flushSubnormals();

/// While it lives, its thread computes with subnormal numbers and notes whether it meets any, as
/// operands or as results that are rounded. Only what is not inlined beside it is sure to be
/// watched.
class SubnormalWatch {
public:
    SubnormalWatch();
    ~SubnormalWatch();
    SubnormalWatch(const SubnormalWatch&) = delete;
    SubnormalWatch& operator=(const SubnormalWatch&) = delete;

    bool met() const;

private:
    unsigned long control_ = 0;  ///< of the processor, as it was
};

}  // namespace rayscope
