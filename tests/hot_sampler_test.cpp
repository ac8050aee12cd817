// Samples of where a processor's threads are, in an object that is compiled and loaded here.

#include "renderer/cpu/hot_sampler.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "renderer/backend/host_object.h"
#include "tests/host_compiler.h"

namespace rayscope {
namespace {

/// Two loops of dependent additions, each of which takes the same time, a quarter and three
/// quarters of them.
const char* const kLoops = R"(
#define LOOP(n) for (long i = 0; i < (n); ++i) asm volatile("addsd %0, %0" : "+x"(x))
extern "C" __attribute__((noinline)) double few(double x, long n) { LOOP(n); return x; }
extern "C" __attribute__((noinline)) double many(double x, long n) { LOOP(3 * n); return x; }
extern "C" double both(long n) {
    double x = 1;
    for (int i = 0; i < 1000; ++i) x = few(x, n / 1000), x = many(x, n / 1000);
    return x;
}
)";

class HotSamplerTest : public testing::Test {
protected:
    void SetUp() override {
        object_ = compiledForHost(kLoops, {}, "g++", file_.path());
        if (object_.empty()) GTEST_SKIP() << "no g++";
        library_ = dlopen(file_.path().c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library_, nullptr) << dlerror();
        both_ = reinterpret_cast<double (*)(long)>(dlsym(library_, "both"));
        ASSERT_NE(both_, nullptr);
    }
    void TearDown() override {
        if (library_ != nullptr) dlclose(library_);
    }
    std::uint64_t in(const HostSamples& samples, const char* symbol) const {
        const auto object = readHostObject(object_);
        const HostFunction& function = *object->named(symbol);
        std::uint64_t sum = 0;
        for (const HostSamples::At& one : samples.at) {
            if (one.address - function.address < function.size) sum += one.samples;
        }
        return sum;
    }
    const void* function() const { return reinterpret_cast<const void*>(both_); }

    const TemporaryFile file_{"", ".so"};
    std::string object_;
    void* library_ = nullptr;
    double (*both_)(long) = nullptr;
};

constexpr long kWork = 30'000'000;  ///< a few tenths of a second

TEST_F(HotSamplerTest, SharesAreThoseOfTheWork) {
    ThreadPool pool(2);
    const auto samples = samplePool(pool, function(), [&] {
        for (int i = 0; i < 3; ++i) pool.run([&](int) { both_(kWork); });
    });
    ASSERT_TRUE(samples) << samples.reason();
    const std::uint64_t all = samples->inside();
    ASSERT_GT(all, 100u);
    EXPECT_EQ(in(*samples, "few") + in(*samples, "many") + in(*samples, "both"), all);
    const double share = static_cast<double>(in(*samples, "many")) / static_cast<double>(all);
    EXPECT_NEAR(share, .75, 5 * shareError(.75, all) + .01);
    EXPECT_LT(static_cast<double>(samples->outside), .1 * static_cast<double>(all) + 10);
    EXPECT_EQ(samples->dropped, 0u);
}

TEST_F(HotSamplerTest, OtherThreadsAreNotSampled) {
    std::atomic<bool> stop = false;
    std::thread other([&] {
        while (!stop) both_(1000);
    });
    ThreadPool pool(1);
    const auto samples = samplePool(pool, function(), [&] {
        const auto start = Clock::now();
        while (millisecondsSince(start) < 200) std::this_thread::yield();
    });
    stop = true;
    other.join();
    ASSERT_TRUE(samples);
    EXPECT_LE(samples->inside(), 1u) << "the pool's thread waits meanwhile";
}

TEST_F(HotSamplerTest, OneAtATimeAndNoneAfterwards) {
    {
        auto first = HotSampler::start({gettid()}, std::chrono::milliseconds(1));
        ASSERT_TRUE(first);
        EXPECT_FALSE(HotSampler::start({gettid()}, std::chrono::milliseconds(1)));
        both_(kWork / 3);
        EXPECT_GT((*first)->stop().addresses.size(), 3u);
        both_(kWork / 3);
        EXPECT_EQ((*first)->stop().addresses.size(), 0u) << "it has ended";
    }
    auto again = HotSampler::start({gettid()}, std::chrono::milliseconds(1));
    EXPECT_TRUE(again);
}

TEST(HotSampler, LeavesOtherProfilersAlone) {
    struct sigaction before {
    }, other{};
    other.sa_handler = [](int) {};
    sigaction(SIGPROF, &other, &before);
    const auto sampler = HotSampler::start({gettid()}, std::chrono::milliseconds(1));
    sigaction(SIGPROF, &before, nullptr);
    ASSERT_FALSE(sampler);
    EXPECT_NE(sampler.reason().find("SIGPROF"), std::string::npos);
}

TEST(HotSampler, FailsOnThreadsThatAreNone) {
    EXPECT_FALSE(HotSampler::start({1 << 22}, std::chrono::milliseconds(1)));
    EXPECT_TRUE(HotSampler::start({gettid()}, std::chrono::milliseconds(1)))
        << "one that has failed is gone";
}

TEST(HotSampler, FindsObjectsByAnAddressInThem) {
    const ObjectInMemory own = objectInMemory(reinterpret_cast<const void*>(&objectInMemory));
    const ObjectInMemory c = objectInMemory(reinterpret_cast<const void*>(&::getpid));
    EXPECT_LT(own.begin, own.end);
    EXPECT_LT(c.begin, c.end);
    EXPECT_EQ(objectInMemory(nullptr).end, 0u);
}

TEST(HotSampler, ErrorsAreBinomial) {
    EXPECT_DOUBLE_EQ(shareError(.5, 100), .05);
    EXPECT_DOUBLE_EQ(shareError(.1, 900), .01);
    EXPECT_EQ(shareError(.5, 0), 0);
}

}  // namespace
}  // namespace rayscope
