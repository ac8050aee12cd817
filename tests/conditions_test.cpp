// The conditions of a measurement: what is made of what NVML and Linux say, with a library that
// says what the test wants.

#include "renderer/machine/conditions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int kNotSupported = 3;  // NVML_ERROR_NOT_SUPPORTED
constexpr int kNotFound = 6;      // NVML_ERROR_NOT_FOUND

/// The GPU of the library below, which tests change between samples.
struct FakeGpu {
    unsigned sm = 1980, maxSm = 1980, memory = 3201, celsius = 45, milliwatts = 320500;
    unsigned long long reasons = 0;
    int initError = 0, findError = 0, powerError = 0, reasonsError = 0;
    int open = 0;   ///< nvmlInit_v2 without nvmlShutdown
    int calls = 0;  ///< for clocks
    std::string address;
} gpu;

int answer(unsigned value, unsigned* out) {
    *out = value;
    return 0;
}

NvmlFunctions fakeLibrary() {
    gpu = {};
    NvmlFunctions f;
    f.init = [] { return gpu.initError != 0 ? gpu.initError : (++gpu.open, 0); };
    f.shutdown = [] { return --gpu.open, 0; };
    f.errorString = [](int error) {
        return error == kNotFound ? "Not Found" : "Driver Not Loaded";
    };
    f.driverVersion = [](char* text, unsigned length) {
        std::string("580.1").copy(text, length);
        return 0;
    };
    f.deviceByPciBusId = [](const char* address, NvmlFunctions::Device* device) {
        gpu.address = address;
        *device = &gpu;
        return gpu.findError;
    };
    f.clock = [](NvmlFunctions::Device device, int type, unsigned* mhz) {
        EXPECT_EQ(device, &gpu);
        ++gpu.calls;
        return answer(type == 1 ? gpu.sm : gpu.memory, mhz);
    };
    f.maxClock = [](NvmlFunctions::Device, int type, unsigned* mhz) {
        return type == 1 ? answer(gpu.maxSm, mhz) : kNotSupported;
    };
    f.temperature = [](NvmlFunctions::Device, int sensor, unsigned* celsius) {
        return sensor == 0 ? answer(gpu.celsius, celsius) : kNotSupported;
    };
    f.power = [](NvmlFunctions::Device, unsigned* milliwatts) {
        answer(gpu.milliwatts, milliwatts);
        return gpu.powerError;
    };
    f.eventReasons = [](NvmlFunctions::Device, unsigned long long* bits) {
        *bits = gpu.reasons;
        return gpu.reasonsError;
    };
    f.memory = [](NvmlFunctions::Device, NvmlFunctions::Memory* memory) {
        *memory = {80000000000, 77000000000, 3000000000};
        return 0;
    };
    return f;
}

DeviceInfo device() {
    DeviceInfo info;
    info.pciBusId = "0000:1B:00.0";
    return info;
}

/// Samples every tenth of a second; `each` changes the GPU before each.
ConditionsSummary watch(const NvmlFunctions& library, int samples,
                        const std::function<void(int)>& each) {
    ConditionsWatch watch(gpuSensors(device(), library));
    ConditionsWatch::Clock::time_point now = ConditionsWatch::Clock::now();
    for (int i = 0; i < samples; ++i) {
        each(i);
        watch.look(now);
        now += milliseconds(100);
    }
    return watch.summary();
}

TEST(Nvml, TellsHowMuchMemoryIsTakenWhereItKnows) {
    NvmlFunctions library = fakeLibrary();
    EXPECT_EQ((*GpuSensors::open("0000:1B:00.0", library)).usedBytes(), 3e9);
    library.memory = nullptr;
    EXPECT_FALSE((*GpuSensors::open("0000:1B:00.0", library)).usedBytes());
}

TEST(Nvml, ASampleIsOfTheDeviceAtTheAddress) {
    const NvmlFunctions library = fakeLibrary();
    {
        const Sensors sensors = gpuSensors(device(), library);
        ASSERT_EQ(sensors.missing, "");
        EXPECT_EQ(gpu.address, "0000:1B:00.0");
        const Conditions c = sensors.read();
        EXPECT_EQ(c.clockMhz, 1980);
        EXPECT_EQ(c.maxClockMhz, 1980);
        EXPECT_EQ(c.memoryMhz, 3201);
        EXPECT_EQ(c.celsius, 45);
        EXPECT_EQ(c.watts, 320.5);
        EXPECT_FALSE(c.idle);
        EXPECT_TRUE(c.throttling.empty());
        EXPECT_EQ(describe(c), "1980 of 1980 MHz, memory 3201 MHz, 45 °C, 320 W");
        EXPECT_EQ(gpu.open, 1);
    }
    EXPECT_EQ(gpu.open, 0) << "shut down with the last of the sensors";
    EXPECT_EQ(nvmlDriverVersion(library), "580.1");
    EXPECT_EQ(gpu.open, 0);
}

TEST(Nvml, ReasonsAreWordsAndEachIsSaidOnce) {
    const NvmlFunctions library = fakeLibrary();
    const Sensors sensors = gpuSensors(device(), library);
    const auto words = [&](unsigned long long bits) {
        gpu.reasons = bits;
        return sensors.read().throttling;
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(words(0x4), Words{"power cap"});
    EXPECT_EQ(words(0x8), Words{"hardware slowdown"});
    EXPECT_EQ(words(0x20), Words{"thermal slowdown"});
    EXPECT_EQ(words(0x8 | 0x40), Words{"thermal slowdown"}) << "its cause says more";
    EXPECT_EQ(words(0x20 | 0x40), Words{"thermal slowdown"});
    EXPECT_EQ(words(0x8 | 0x80), Words{"power brake"});
    EXPECT_EQ(words(0x4 | 0x20), (Words{"power cap", "thermal slowdown"}));
    EXPECT_EQ(words(0x2 | 0x10 | 0x100), Words{}) << "clocks that somebody has set are steady";
    EXPECT_FALSE(sensors.read().idle);
    EXPECT_EQ(words(0x1), Words{});
    EXPECT_TRUE(sensors.read().idle);
}

TEST(Nvml, WhatOneGpuCannotTellIsLeftOutAlone) {
    NvmlFunctions library = fakeLibrary();
    gpu.powerError = kNotSupported;
    gpu.reasonsError = kNotSupported;
    gpu.reasons = 0x24;  // not to be believed
    library.temperature = nullptr;
    const Conditions c = gpuSensors(device(), library).read();
    EXPECT_EQ(c.clockMhz, 1980);
    EXPECT_FALSE(c.watts || c.celsius);
    EXPECT_TRUE(c.throttling.empty());
    EXPECT_EQ(describe(c), "1980 of 1980 MHz, memory 3201 MHz");
    const nlohmann::json json = toJson(watch(library, 2, [](int) {}));
    EXPECT_FALSE(json.contains("watts"));
    EXPECT_EQ(json["memory_mhz"], (std::vector<double>{3201, 3201}));
}

TEST(Nvml, WhatIsMissingIsSaidInASentence) {
    EXPECT_NE(gpuSensors(device(), {}).missing.find("libnvidia-ml.so.1"), std::string::npos);
    EXPECT_EQ(nvmlDriverVersion({}), "");
    const NvmlFunctions library = fakeLibrary();
    gpu.initError = 9;
    EXPECT_NE(gpuSensors(device(), library).missing.find("does not start: Driver Not Loaded"),
              std::string::npos);
    EXPECT_EQ(nvmlDriverVersion(library), "");
    gpu.initError = 0;
    gpu.findError = kNotFound;
    const Sensors sensors = gpuSensors(device(), library);
    EXPECT_NE(sensors.missing.find("does not know the GPU: Not Found"), std::string::npos);
    EXPECT_FALSE(sensors.read);
    EXPECT_EQ(gpu.open, 0);
    ConditionsWatch watch(sensors);
    watch.look();
    const ConditionsSummary s = watch.summary();
    EXPECT_EQ(s.samples, 0);
    EXPECT_EQ(s.warning, "");
    EXPECT_EQ(toJson(s)["missing"], sensors.missing);
    EXPECT_FALSE(toJson(s).contains("throttling")) << "nobody knows whether it was";
}

TEST(ConditionsWatch, SteadyClocksAreNoWarning) {
    const NvmlFunctions library = fakeLibrary();
    const ConditionsSummary s = watch(library, 5, [](int i) {
        gpu.sm = i == 2 ? 1950 : 1980;  // 1.5 %
        gpu.celsius = 40 + i;
    });
    EXPECT_EQ(s.samples, 5);
    EXPECT_FALSE(s.clockMoved || s.throttled());
    EXPECT_EQ(s.warning, "");
    EXPECT_EQ(s.clockMhz->lowest, 1950);
    EXPECT_EQ(s.celsius->highest, 44);
}

TEST(ConditionsWatch, AClockThatMovedAndItsReasonAreSaid) {
    const NvmlFunctions library = fakeLibrary();
    const ConditionsSummary moved =
        watch(library, 5, [](int i) { gpu.sm = i == 2 ? 1935 : 1980; });  // 2.3 %
    EXPECT_TRUE(moved.clockMoved);
    EXPECT_FALSE(moved.throttled());
    EXPECT_EQ(moved.warning, "the clock moved between 1935 and 1980 MHz");
    gpu = {};
    const ConditionsSummary throttled = watch(library, 5, [](int i) {
        gpu.sm = i == 3 ? 1200 : 1980;
        gpu.reasons = i == 3 ? 0x24 : i == 4 ? 0x4 : 0;
    });
    EXPECT_EQ(throttled.throttling, (std::vector<std::string>{"power cap", "thermal slowdown"}));
    EXPECT_EQ(throttled.warning,
              "the processor was throttled (power cap, thermal slowdown), its clock between 1200 "
              "and 1980 MHz");
    EXPECT_EQ(toJson(throttled)["clock_moved"], true);
}

TEST(ConditionsWatch, TheClockOfAnIdleGpuSaysNothing) {
    const NvmlFunctions library = fakeLibrary();
    const ConditionsSummary s = watch(library, 4, [](int i) {
        gpu.sm = i == 0 ? 210 : 1980;
        gpu.reasons = i == 0 ? 0x1 : 0;
    });
    EXPECT_EQ(s.samples, 3);
    EXPECT_EQ(s.warning, "");
}

TEST(ConditionsWatch, SamplesAreRareAndForgottenOnRestart) {
    const NvmlFunctions library = fakeLibrary();
    ConditionsWatch watch(gpuSensors(device(), library));
    const auto start = ConditionsWatch::Clock::now();
    for (int ms = 0; ms < 1000; ms += 5) watch.look(start + milliseconds(ms));
    EXPECT_EQ(watch.summary().samples, 10);
    EXPECT_EQ(gpu.calls, 20) << "two clocks a sample";
    watch.restart();
    EXPECT_EQ(watch.summary().samples, 0);
    watch.look(start + milliseconds(1000));
    EXPECT_EQ(watch.summary().samples, 1);
}

/// Files as Linux has them, below a folder of their own.
class CpuConditions : public testing::Test {
protected:
    fs::path root = fs::temp_directory_path() / ("rayscope_conditions_" + std::to_string(getpid()));
    void TearDown() override { fs::remove_all(root); }

    void write(const std::string& file, const std::string& text) {
        fs::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    }
};

TEST_F(CpuConditions, AreReadFromTheSystem) {
    write("proc/loadavg", "1.75 0.50 0.10 2/345 6789\n");
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
    write("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3200000\n");
    write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "4000000\n");
    const Conditions c = cpuSensors(2, root).read();
    EXPECT_EQ(c.load, 1.75);
    EXPECT_EQ(c.clockMhz, 3100);
    EXPECT_EQ(c.maxClockMhz, 4000);
    EXPECT_EQ(describe(c), "3100 of 4000 MHz, load 1.75");
}

TEST_F(CpuConditions, OtherProgramsOnItsCoresAreAWarning) {
    const auto warning = [&](const std::string& load, int cores) {
        write("proc/loadavg", load + " 0 0 1/1 1\n");
        ConditionsWatch watch(cpuSensors(cores, root));
        watch.look();
        return watch.summary().warning;
    };
    EXPECT_EQ(warning("2.3", 2), "") << "its own threads";
    EXPECT_EQ(warning("3.0", 2), "other programs share the 2 cores: the load average was 3.0");
    EXPECT_EQ(warning("3.0", 4), "");
}

TEST_F(CpuConditions, ASystemThatTellsNothingIsAReason) {
    const Sensors sensors = cpuSensors(2, root);
    EXPECT_FALSE(sensors.read);
    EXPECT_NE(sensors.missing.find("neither"), std::string::npos);
}

}  // namespace
}  // namespace rayscope
