#pragma once

// The only place where host and device differ: function qualifiers and the names of mathematical
// functions. All other code in core/ is the same for g++, clang and NVRTC.

#include "renderer/core/types.h"

#ifdef __CUDACC__

#define RAYSCOPE_FN __device__ __forceinline__
#define RAYSCOPE_CALL __device__ __noinline__
/// After a lambda's parameters.
#define RAYSCOPE_INLINED
/// For loops whose trip count differs between lanes: if they were unrolled, lanes with different
/// counts would execute different code, one after the other.
#define RAYSCOPE_ROLLED _Pragma("unroll 1")
/// For loops over the lanes of a vector, on the host.
#define RAYSCOPE_UNROLLED

namespace rayscope {
inline namespace device {
RAYSCOPE_FN float fastDivide(float a, float b) {
    return __fdividef(a, b);
}
RAYSCOPE_FN float fastRsqrt(float a) {
    return rsqrtf(a);
}
RAYSCOPE_FN float fastPow(float a, float b) {
    return __powf(a, b);
}
RAYSCOPE_FN void fastSinCos(float a, float* s, float* c) {
    __sincosf(a, s, c);
}
RAYSCOPE_FN void sinCosPi(float a, float* s, float* c) {
    sincospif(a, s, c);
}
RAYSCOPE_FN void sinCosPi(double a, double* s, double* c) {
    sincospi(a, s, c);
}
/// The smaller and the larger of two numbers, one instruction each.
RAYSCOPE_FN float fastMin(float a, float b) {
    return fminf(a, b);
}
RAYSCOPE_FN float fastMax(float a, float b) {
    return fmaxf(a, b);
}
/// The least of three, one instruction where the device has it.
RAYSCOPE_FN unsigned least(unsigned a, unsigned b, unsigned c) {
    return __vimin3_u32(a, b, c);
}
/// Where a ray has entered all three pairs of planes of a box, and not before 0; and where it
/// leaves the first of them or `limit`, or anything negative if that lies behind it. Numbers that
/// are not negative are in the order of their bits as integers, and of three integers the device
/// finds the largest in one instruction.
RAYSCOPE_FN float lastEntry(float x, float y, float z) {
    return __int_as_float(
        __vimax3_s32_relu(__float_as_int(x), __float_as_int(y), __float_as_int(z)));
}
RAYSCOPE_FN float firstExit(float x, float y, float z, float limit) {
    return __int_as_float(min(__vimin3_s32(__float_as_int(x), __float_as_int(y), __float_as_int(z)),
                              __float_as_int(limit)));
}
/// The magnitude of a number with the sign of another.
RAYSCOPE_FN float withSign(float magnitude, float sign) {
    return copysignf(magnitude, sign);
}
RAYSCOPE_FN float mulAdd(float a, float b, float c) {
    return fmaf(a, b, c);
}
RAYSCOPE_FN double mulAdd(double a, double b, double c) {
    return fma(a, b, c);
}
/// a b - c d with the right sign, and zero only where it is zero: Kahan's algorithm (Jeannerod,
/// Louvet and Muller 2013, "Further analysis of Kahan's algorithm for the accurate computation of
/// 2x2 determinants").
template <class Real>
RAYSCOPE_FN Real productDifference(Real a, Real b, Real c, Real d) {
    const Real product = c * d;
    const Real error = mulAdd(-c, d, product);
    return mulAdd(a, b, -product) + error;
}
/// 1 + 2^-15 times byte number `byte` of the word.
RAYSCOPE_FN float oneAndByte(unsigned word, int byte) {
    return __uint_as_float(__byte_perm(word, 0x3f800000u, 0x7604u | byte << 4));
}
/// Safe for any number of threads.
RAYSCOPE_FN void addOne(unsigned long long& n) {
    atomicAdd(&n, 1ULL);
}
/// The lanes of the warp for which it is true, as bits. All 32 lanes must arrive.
RAYSCOPE_FN unsigned lanesWhere(bool condition) {
    return __ballot_sync(~0u, condition);
}
/// Lanes see what the others have stored. All 32 lanes must arrive.
RAYSCOPE_FN void meetLanes() {
    __syncwarp();
}
/// Whether it is true for a lane of those that are here together; which these are only the hardware
/// knows, so nothing but speed may depend on it.
RAYSCOPE_FN bool anyHere(bool condition) {
    return __any_sync(__activemask(), condition);
}
RAYSCOPE_FN int lanesHere() {
    return __popc(__activemask());
}
/// A word for each lane of the warp. All lanes come together.
struct LaneTable {
    unsigned own;

    template <class Make>
    RAYSCOPE_FN void fill(Make make) {
        own = make(static_cast<int>((threadIdx.y * blockDim.x + threadIdx.x) % 32));
    }
    /// That of lane i % 32.
    RAYSCOPE_FN unsigned at(int i) const { return __shfl_sync(~0u, own, i); }
};
/// The lower 32 bits of the two words as one number, shifted right.
RAYSCOPE_FN unsigned shifted(unsigned high, unsigned low, int right) {
    return __funnelshift_r(low, high, right);
}
RAYSCOPE_FN int countOf(unsigned lanes) {
    return __popc(lanes);
}
RAYSCOPE_FN int bitCount(unsigned x) {
    return __popc(x);
}
RAYSCOPE_FN int leadingZeros(unsigned x) {
    return __clz(static_cast<int>(x));
}
RAYSCOPE_FN int leadingZeros(unsigned long long x) {
    return __clzll(static_cast<long long>(x));
}
/// How many of the lanes come before the calling one.
RAYSCOPE_FN int rankAmong(unsigned lanes) {
    unsigned before;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
    return __popc(lanes & before);
}
/// The next number, the same for all lanes of the warp, which must arrive together.
RAYSCOPE_FN int takeTicket(unsigned long long& tickets) {
    int ticket = 0;
    if (rankAmong(~0u) == 0) ticket = static_cast<int>(atomicAdd(&tickets, 1ULL));
    return __shfl_sync(~0u, ticket, 0);
}
/// Adds to a pixel to which others add at the same time.
RAYSCOPE_FN void addTogether(Pixel& pixel, float r, float g, float b, float samples) {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(&pixel), "f"(r), "f"(g),
                 "f"(b), "f"(samples)
                 : "memory");
#else
    atomicAdd(&pixel.r, r);
    atomicAdd(&pixel.g, g);
    atomicAdd(&pixel.b, b);
    atomicAdd(&pixel.samples, samples);
#endif
}
RAYSCOPE_FN void addTogether(unsigned long long& sum, unsigned long long more) {
    atomicAdd(&sum, more);
}
/// The nearest integer, the even one of two; `a` is not negative.
RAYSCOPE_FN unsigned long long nearestInteger(float a) {
    return __float2ull_rn(a);
}
/// The number in half precision, neither subnormal nor infinite, whose bits are the lowest 16.
RAYSCOPE_FN float fromHalf(unsigned bits) {
    float number;
    asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(static_cast<unsigned short>(bits)));
    return number;
}
/// A zero that the compiler cannot fold. Kernels that may call kept() call prepareKept() first.
RAYSCOPE_FN volatile unsigned& keptZero() {
    __shared__ volatile unsigned zero;
    return zero;
}
/// The same number, in a register: the compiler would otherwise compute it again at each use.
RAYSCOPE_FN unsigned kept(unsigned number) {
    return number + keptZero();
}
RAYSCOPE_FN int kept(int number) {
    return static_cast<int>(kept(static_cast<unsigned>(number)));
}
RAYSCOPE_FN float kept(float number) {
    return __uint_as_float(kept(__float_as_uint(number)));
}
RAYSCOPE_FN double kept(double number) {
    return __hiloint2double(kept(__double2hiint(number)), kept(__double2loint(number)));
}
/// Records in shared memory whose address is kept().
template <class Record>
class NearTable {
public:
    RAYSCOPE_FN explicit NearTable(const Record* records)
        : address_(kept(static_cast<unsigned>(__cvta_generic_to_shared(records)))) {}
    /// A member of record i, of 16 bytes.
    template <class Part>
    RAYSCOPE_FN Part part(unsigned i, Part Record::*member) const {
        static_assert(sizeof(Part) == sizeof(float4));
        const Record* const first = nullptr;
        const auto offset = static_cast<unsigned>(reinterpret_cast<size_t>(&(first->*member)));
        union {
            float4 words;
            Part part;
        } r;
        float4& w = r.words;
        asm("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
            : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w)
            : "r"(address_ + i * static_cast<unsigned>(sizeof(Record)) + offset));
        return r.part;
    }

private:
    unsigned address_;
};
/// A record in shared memory whose address is kept().
template <class Record>
class NearMembers {
public:
    RAYSCOPE_FN explicit NearMembers(const Record* record)
        : address_(kept(static_cast<unsigned>(__cvta_generic_to_shared(record)))) {}
    /// Element i of a member, of 4 or 16 bytes.
    template <class Element, size_t Count>
    RAYSCOPE_FN Element at(Element (Record::*member)[Count], unsigned i) const {
        static_assert(sizeof(Element) == sizeof(unsigned) || sizeof(Element) == sizeof(float4));
        const Record* const none = nullptr;
        const auto offset = static_cast<unsigned>(reinterpret_cast<size_t>(&(none->*member)));
        const unsigned address = address_ + i * static_cast<unsigned>(sizeof(Element)) + offset;
        if constexpr (sizeof(Element) == sizeof(unsigned)) {
            unsigned word;
            asm("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
            return __builtin_bit_cast(Element, word);
        } else {
            float4 w;
            asm("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w)
                : "r"(address));
            return __builtin_bit_cast(Element, w);
        }
    }

private:
    unsigned address_;
};
/// Clock cycles of the multiprocessor.
RAYSCOPE_FN long long ticks() {
    return clock64();
}

/// Reconverges the lanes of a warp after recursive calls. They return from these one by one, but
/// the compiler (ptxas 13.0) assumes that they are converged: it shares registers between them and
/// omits barriers. The whole warp must construct this while it is converged, so that the mask is a
/// value on which all lanes agree. With __activemask() inside the loop the mask may be in a
/// register that other lanes overwrite before it is read, and the warp deadlocks.
template <bool Recursive>
struct Rendezvous {
    explicit RAYSCOPE_FN Rendezvous(bool) {}
    RAYSCOPE_FN void meet() const {}
};
template <>
struct Rendezvous<true> {
    unsigned mask;
    explicit RAYSCOPE_FN Rendezvous(bool works) : mask(__ballot_sync(~0u, works)) {}
    RAYSCOPE_FN void meet() const { __syncwarp(mask); }
};

/// The state of SharedRng; threads race for it.
__device__ volatile unsigned sharedState = 1;
struct SharedLock {
    RAYSCOPE_FN SharedLock() {}
};
}  // namespace device
}  // namespace rayscope

namespace rayscope {
inline constexpr bool kOnDevice = true;
}

#else

// C headers only: those of the C++ library take longer to parse than all of core/.
#include <pthread.h>
#include <time.h>

#ifdef __OPTIMIZE__
#define RAYSCOPE_INLINED __attribute__((always_inline))
#define RAYSCOPE_FN RAYSCOPE_INLINED inline
#else
#define RAYSCOPE_INLINED
#define RAYSCOPE_FN inline
#endif
#define RAYSCOPE_CALL [[gnu::noinline]] inline
#define RAYSCOPE_ROLLED
#define RAYSCOPE_UNROLLED _Pragma("GCC unroll 16")

namespace rayscope {
inline constexpr bool kOnDevice = false;

#define RAYSCOPE_MATHS(name)                \
    RAYSCOPE_FN float name(float a) {       \
        return __builtin_##name##f(a);      \
    }                                       \
    RAYSCOPE_FN double name(double a) {     \
        return __builtin_##name(a);         \
    }
RAYSCOPE_MATHS(cbrt)
RAYSCOPE_MATHS(ceil)
RAYSCOPE_MATHS(fabs)
RAYSCOPE_MATHS(floor)
RAYSCOPE_MATHS(sqrt)
#undef RAYSCOPE_MATHS
RAYSCOPE_FN float atan2(float y, float x) {
    return __builtin_atan2f(y, x);
}
RAYSCOPE_FN double atan2(double y, double x) {
    return __builtin_atan2(y, x);
}
RAYSCOPE_FN float pow(float a, float b) {
    return __builtin_powf(a, b);
}
RAYSCOPE_FN double pow(double a, double b) {
    return __builtin_pow(a, b);
}
RAYSCOPE_FN float fastDivide(float a, float b) {
    return a / b;
}
RAYSCOPE_FN float fastRsqrt(float a) {
    return 1.f / __builtin_sqrtf(a);
}
RAYSCOPE_FN float fastPow(float a, float b) {
    return __builtin_powf(a, b);
}
RAYSCOPE_FN float fastMin(float a, float b) {
    return a < b ? a : b;
}
RAYSCOPE_FN float fastMax(float a, float b) {
    return a > b ? a : b;
}
RAYSCOPE_FN float fromHalf(unsigned bits) {
    const unsigned magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
    return __builtin_bit_cast(float, magnitude == 0 ? 0 : sign | ((magnitude << 13) + 0x38000000u));
}
template <class Float>
RAYSCOPE_FN Float lastEntry(const Float& x, const Float& y, const Float& z) {
    return fastMax(fastMax(x, y), fastMax(z, Float(0)));
}
template <class Float>
RAYSCOPE_FN Float firstExit(const Float& x, const Float& y, const Float& z, const Float& limit) {
    return fastMin(fastMin(x, y), fastMin(z, limit));
}
RAYSCOPE_FN float withSign(float magnitude, float sign) {
    return __builtin_copysignf(magnitude, sign);
}
RAYSCOPE_FN unsigned least(unsigned a, unsigned b, unsigned c) {
    const unsigned first = a < b ? a : b;
    return first < c ? first : c;
}

RAYSCOPE_FN float oneAndByte(unsigned word, int byte) {
    return __builtin_bit_cast(float, 0x3f800000u | (word >> (8 * byte) & 255) << 8);
}
RAYSCOPE_FN void addOne(unsigned long long& n) {
    ++n;
}
/// The same for a warp of one lane.
RAYSCOPE_FN unsigned lanesWhere(bool condition) {
    return condition ? 1 : 0;
}
RAYSCOPE_FN void meetLanes() {}
RAYSCOPE_FN bool anyHere(bool condition) {
    return condition;
}
RAYSCOPE_FN int lanesHere() {
    return 1;
}
struct LaneTable {
    unsigned words[32];

    template <class Make>
    RAYSCOPE_FN void fill(Make make) {
        for (int lane = 0; lane < 32; ++lane) words[lane] = make(lane);
    }
    RAYSCOPE_FN unsigned at(int i) const { return words[i % 32]; }
};
RAYSCOPE_FN unsigned shifted(unsigned high, unsigned low, int right) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> right);
}
RAYSCOPE_FN int countOf(unsigned lanes) {
    return static_cast<int>(lanes);
}
RAYSCOPE_FN int bitCount(unsigned x) {
    return __builtin_popcount(x);
}
RAYSCOPE_FN int leadingZeros(unsigned x) {
    return x == 0 ? 32 : __builtin_clz(x);
}
RAYSCOPE_FN int leadingZeros(unsigned long long x) {
    return x == 0 ? 64 : __builtin_clzll(x);
}
RAYSCOPE_FN int rankAmong(unsigned) {
    return 0;
}
RAYSCOPE_FN int takeTicket(unsigned long long& tickets) {
    return static_cast<int>(tickets++);
}
RAYSCOPE_FN void addTogether(Pixel& pixel, float r, float g, float b, float samples) {
    pixel = {pixel.r + r, pixel.g + g, pixel.b + b, pixel.samples + samples};
}
RAYSCOPE_FN void addTogether(unsigned long long& sum, unsigned long long more) {
    sum += more;
}
RAYSCOPE_FN unsigned long long nearestInteger(float a) {
    return static_cast<unsigned long long>(__builtin_llrintf(a));
}
template <class Number>
RAYSCOPE_FN Number kept(Number number) {
    return number;
}
template <class Record>
class NearTable {
public:
    RAYSCOPE_FN explicit NearTable(const Record* records) : records_(records) {}
    template <class Part>
    RAYSCOPE_FN Part part(unsigned i, Part Record::*member) const {
        return records_[i].*member;
    }

private:
    const Record* records_;
};
template <class Record>
class NearMembers {
public:
    RAYSCOPE_FN explicit NearMembers(const Record* record) : record_(record) {}
    template <class Element, size_t Count>
    RAYSCOPE_FN Element at(Element (Record::*member)[Count], unsigned i) const {
        return (record_->*member)[i];
    }

private:
    const Record* record_;
};
/// Nanoseconds.
RAYSCOPE_FN long long ticks() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

template <bool Recursive>
struct Rendezvous {
    explicit RAYSCOPE_FN Rendezvous(bool) {}
    RAYSCOPE_FN void meet() const {}
};

/// a b + c, fused if the processor can. Explicit, because the host is compiled without contraction,
/// so that all layouts of a build agree to the bit.
#ifdef __FMA__
RAYSCOPE_FN float mulAdd(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
RAYSCOPE_FN double mulAdd(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
#else
RAYSCOPE_FN float mulAdd(float a, float b, float c) {
    return a * b + c;
}
RAYSCOPE_FN double mulAdd(double a, double b, double c) {
    return a * b + c;
}
#endif

/// As for a device. Without fused operations products are exact in twice the precision.
RAYSCOPE_FN float productDifference(float a, float b, float c, float d) {
#ifdef __FMA__
    const float product = c * d;
    const float error = mulAdd(-c, d, product);
    return mulAdd(a, b, -product) + error;
#else
    return static_cast<float>(static_cast<double>(a) * b - static_cast<double>(c) * d);
#endif
}
RAYSCOPE_FN double productDifference(double a, double b, double c, double d) {
    const double product = c * d;
    const double error = __builtin_fma(-c, d, product);
    return __builtin_fma(a, b, -product) + error;
}

/// sin(pi a) and cos(pi a) for a in [0, 2], without a branch: Taylor polynomials of half the angle,
/// then the double-angle formulas. The error stays below 3e-7 (float) and 1e-14 (double).
template <class Real>
RAYSCOPE_FN void sinCosPi(Real a, Real* s, Real* c) {
    constexpr int kTerms = sizeof(Real) == 8 ? 22 : 12;
    const Real x = (a - 1) * Real(3.14159265358979323846 / 2);  // half of pi a - pi
    const Real y = x * x;
    Real sine = 1, cosine = 1;
#pragma GCC unroll 16
    for (int k = kTerms; k > 0; k -= 2) {  // Horner: 1 - y/(k(k+1)) (1 - ...)
        sine = mulAdd(y * Real(-1.0 / (k * (k + 1))), sine, Real(1));
        cosine = mulAdd(y * Real(-1.0 / (k * (k - 1))), cosine, Real(1));
    }
    sine *= x;
    *s = -2 * sine * cosine;
    *c = mulAdd(sine, sine, -cosine * cosine);
}
RAYSCOPE_FN void fastSinCos(float a, float* s, float* c) {
    sinCosPi(a * 0.318309886183790672f, s, c);
}

/// The state of SharedRng and its lock, like those of rand().
inline unsigned sharedState = 1;
inline pthread_mutex_t sharedMutex = PTHREAD_MUTEX_INITIALIZER;
struct SharedLock {
    SharedLock() { pthread_mutex_lock(&sharedMutex); }
    ~SharedLock() { pthread_mutex_unlock(&sharedMutex); }
};
}  // namespace rayscope

#endif
