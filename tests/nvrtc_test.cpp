// Every CUDA kernel can be made: no GPU is needed, only NVRTC. The kernel cache on disk.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/cache.h"
#include "renderer/core/compressed.h"
#include "renderer/core/place_search.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/film_adder.h"
#include "renderer/cuda/launch_plan.h"
#include "renderer/cuda/path_lengths.h"
#include "renderer/cuda/row_times.h"
#include "renderer/cuda/tree_kernels.h"
#include "renderer/scene/bake.h"
#include "tests/covering_array.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

constexpr int kArchitectures[] = {75, 86, 90, 120};

/// The architectures to compile for, as far as the installed NVRTC knows them.
std::vector<int> testedArchitectures() {
    const auto info = compilerInfo();
    std::vector<int> known;
    if (info) {
        for (int a : kArchitectures) {
            if (std::count(info->architectures.begin(), info->architectures.end(), a))
                known.push_back(a);
        }
    }
    return known;
}

/// The sources for a variant, with the scene in them where it is baked into the code.
std::vector<KernelSource> sourcesFor(const Variant& v) {
    const std::vector<KernelSource>& sources = embeddedKernelSources();
    if (v.sceneMemory != SceneMemory::baked) return sources;
    int scene = 0;
    while (!(traitsOf(sceneOf(scene)) == v.traits)) ++scene;
    return withBaked(sources, bakedScene(sceneOf(scene)));
}

/// The kernel; a failure of the test where it does not compile or has warnings.
CompiledKernel compileCleanly(const Variant& v, int architecture, bool again = false) {
    SCOPED_TRACE(nameExpression(v, stagesOf(v).front()));
    auto result = (again ? compile : compileOnce)(v, architecture, sourcesFor(v));
    if (!result) {
        ADD_FAILURE() << result.reason();
        return {};
    }
    CompiledKernel kernel = *result;
    EXPECT_EQ(warningsIn(kernel.log), "");
    EXPECT_FALSE(kernel.code.empty());
    EXPECT_EQ(kernel.functions.size(), stagesOf(v).size());
    for (const CompiledFunction& f : kernel.functions) {
        if (v.code == Code::ptx && v.path != Path::recursive) {  // the driver gives it registers
            EXPECT_EQ(f.registers, -1) << nameOf(f.stage);
            continue;
        }
        EXPECT_GT(f.registers, 0) << nameOf(f.stage);
        if (v.maxRegisters > 0) {
            EXPECT_LE(f.registers, v.maxRegisters) << nameOf(f.stage);
        }
    }
    return kernel;
}

Variant defaultVariant() {
    Variant v;
    v.traits = traitsOf(sceneOf(0));
    return v;
}

class Architecture : public testing::TestWithParam<int> {};

/// Every pair of values compiles without a warning on one of the architectures, and the default
/// does on all of them, without local memory.
TEST_P(Architecture, CompilesEveryPairOfChoices) {
    SKIP_WITHOUT_NVRTC();
    const std::vector<int> known = testedArchitectures();
    const auto mine = std::find(known.begin(), known.end(), GetParam());
    if (mine == known.end()) GTEST_SKIP() << "this NVRTC makes no code for sm_" << GetParam();
    const CompiledKernel plain = compileCleanly(defaultVariant(), GetParam());
    EXPECT_EQ(plain.functions.at(0).spillBytes, 0);
    EXPECT_EQ(plain.functions.at(0).stackBytes, 0);
    const std::vector<Variant>& variants = testedVariants();
    ASSERT_GT(variants.size(), 30u);
    for (size_t i = mine - known.begin(); i < variants.size(); i += known.size()) {
        compileCleanly(variants[i], GetParam());
        if (HasFailure()) break;  // one log is enough
    }
}
std::string nameOfArchitecture(const testing::TestParamInfo<int>& info) {
    return "sm_" + std::to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(Nvrtc_long, Architecture, testing::Values(kArchitectures[0]),
                         nameOfArchitecture);
INSTANTIATE_TEST_SUITE_P(Nvrtc_nightly, Architecture,
                         testing::ValuesIn(std::begin(kArchitectures) + 1,
                                           std::end(kArchitectures)),
                         nameOfArchitecture);

TEST(Nvrtc, DepthCountingAndRunTimeTraitsCompile) {
    SKIP_WITHOUT_NVRTC();
    Variant v = defaultVariant();
    v.countDepths = true;
    compileCleanly(v, testedArchitectures().back());
    v.countDepths = false;
    v.traits = Traits{};
    v.sceneMemory = SceneMemory::global;
    compileCleanly(v, testedArchitectures().back());
}

TEST(Stages, ThatSortHaveTheirThreadsInARow) {
    Variant v;
    v.blockX = v.blockY = 16;
    for (const Stage stage : {Stage::rayKeys, Stage::materialKeys, Stage::sort}) {
        EXPECT_EQ(blockOf(v, stage).x, kSortThreads);
        EXPECT_EQ(blockOf(v, stage).y, 1);
    }
    EXPECT_EQ(blockOf(v, Stage::shade).x, 16);
    EXPECT_EQ(blockOf(v, Stage::shade).y, 16);
}

/// The twins that record, with everything that they take over from the settings.
TEST(Nvrtc, TwinsThatRecordCompile_long) {
    SKIP_WITHOUT_NVRTC();
    for (const int scene : {0, 1, 2}) {
        Variant wish = defaultVariant();
        for (const Math math : {Math::precise, Math::fast}) {
            for (const Engine engine : {Engine::megakernel, Engine::regeneration}) {
                wish.math = math;
                wish.engine = engine;
                for (Variant v : {lengthVariant(wish), timeVariant(wish)}) {
                    v.traits = traitsOf(sceneOf(scene));
                    compileCleanly(v, testedArchitectures().back());
                }
            }
        }
    }
}

/// Textures and a sky that is a picture, in both precisions, and the twins.
TEST(Nvrtc, KernelsWithPicturesCompile) {
    SKIP_WITHOUT_NVRTC();
    const Result<Scene> scene = findScene("globe");
    ASSERT_TRUE(scene) << scene.reason();
    Variant wish = defaultSettings(Backend::cuda, *scene).variant;
    wish.traits = traitsOf(*scene);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        wish.precision = precision;
        wish.lightSampling = true;  // of a sky's lamps, too
        compileCleanly(wish, testedArchitectures().back());
        wish.lightSampling = false;
        wish.traits.features &= ~kTextures;
        compileCleanly(wish, testedArchitectures().front());
        wish.traits = traitsOf(*scene);
    }
    wish.precision = Precision::float32;
    for (Variant v : {lengthVariant(wish), timeVariant(wish)}) {
        v.traits = wish.traits;
        compileCleanly(v, testedArchitectures().back());
    }
    wish.traits.features |= kSurfaceTextures | kHoles | kMetal | kRough | kGlows;
    wish.lightSampling = true;
    for (const Engine engine : {Engine::megakernel, Engine::regeneration, Engine::wavefront}) {
        wish.engine = engine;
        compileCleanly(wish, testedArchitectures().back());
    }
}

Variant triangleVariant() {
    const Result<Scene> scene = findScene("cornell-box");
    if (!scene) throw std::runtime_error(scene.reason());
    Variant v = defaultSettings(Backend::cuda, *scene).variant;
    v.traits = traitsOf(*scene);
    return v;
}

/// What a walk of eight children keeps in local memory is its stack: a node's words are in
/// registers.
TEST(Nvrtc, AWalkOfEightChildrenHasItsStackAlone) {
    SKIP_WITHOUT_NVRTC();
    Variant v = triangleVariant();
    v.accel = Accel::bvh8;
    v.maxRegisters = 168;
    const auto expectStack = [&](Traversal traversal, int entries) {
        v.traversal = traversal;
        const CompiledKernel kernel = compileCleanly(v, testedArchitectures().back());
        EXPECT_EQ(kernel.functions.at(0).spillBytes, 0);
        EXPECT_EQ(kernel.functions.at(0).stackBytes, int{sizeof(LeftToVisit)} * entries);
    };
    expectStack(Traversal::ifIf, kCompressedStack<Traversal::ifIf>);
    expectStack(Traversal::speculative, kCompressedStack<Traversal::speculative>);
}

TEST(Nvrtc, TwinsThatRecordKeepTheTestOfTriangles_long) {
    Variant wish = triangleVariant();
    wish.accel = Accel::bvh8;
    wish.triangle = TriangleTest::mollerTrumbore;
    wish.vertexLayout = VertexLayout::soa;
    wish.traversal = Traversal::whileWhile;
    for (const Variant& v : {lengthVariant(wish), timeVariant(wish)}) {
        EXPECT_EQ(v.accel, wish.accel);
        EXPECT_EQ(v.triangle, wish.triangle);
        EXPECT_EQ(v.vertexLayout, wish.vertexLayout);
        EXPECT_EQ(v.traversal, wish.traversal);
    }
    wish.vertexLayout = VertexLayout::unrolled;
    wish.vertexPrecision = VertexPrecision::half;
    EXPECT_EQ(lengthVariant(wish).vertexPrecision, VertexPrecision::half);
    EXPECT_EQ(timeVariant(wish).vertexPrecision, VertexPrecision::half);
}

/// Hierarchies, tests and layouts, in both precisions, each on one of the architectures.
TEST(Nvrtc, CompilesEveryPairOfChoicesOfTriangles_long) {
    SKIP_WITHOUT_NVRTC();
    const std::vector<int> known = testedArchitectures();
    Variant v = triangleVariant();
    constexpr Engine kEngines[] = {Engine::regeneration, Engine::wavefront, Engine::megakernel};
    std::size_t number = 0;
    const auto compileNext = [&] {
        v.lightSampling = number % 2 == 0;
        v.engine = kEngines[number % 3];
        v.stages = number % 2 == 0 ? Stages::fused : Stages::separate;
        v.raySource = number % 2 == 0 ? RaySource::fused : RaySource::kernel;
        v.samplesFrom = number % 6 == 0 ? SamplesFrom::queue : SamplesFrom::pixel;
        v.precision = number % 5 == 0 ? Precision::float64 : Precision::float32;
        v.traversal = static_cast<Traversal>(number / 2 % 3);
        v.nodeMemory = static_cast<NodeMemory>(number % 3);
        compileCleanly(v, known[number++ % known.size()]);
    };
    for (const Accel accel : {Accel::brute, Accel::bvh, Accel::bvh8}) {
        v.accel = accel;
        for (const TriangleTest test : {TriangleTest::watertight, TriangleTest::mollerTrumbore}) {
            v.triangle = test;
            for (const VertexLayout layout :
                 {VertexLayout::unrolled, VertexLayout::indexed, VertexLayout::soa}) {
                v.vertexLayout = layout;
                compileNext();
            }
        }
        v.vertexLayout = VertexLayout::unrolled;
        v.vertexPrecision = VertexPrecision::half;
        compileNext();
        v.vertexPrecision = VertexPrecision::single;
        v.triangle = TriangleTest::woop;
        compileNext();
    }
}

/// Meshes that stand in several places, whose walk keeps nothing but its stack in local memory.
TEST(Nvrtc, KernelsOfScenesWithPlacesCompile) {
    SKIP_WITHOUT_NVRTC();
    const std::vector<int> known = testedArchitectures();
    Variant v = triangleVariant();
    v.traits.features |= kPlaces | kWalls;
    v.accel = Accel::bvh;
    v.maxRegisters = 168;
    for (const Traversal traversal : {Traversal::ifIf, Traversal::whileWhile}) {
        v.traversal = traversal;
        const CompiledKernel kernel = compileCleanly(v, known.back());
        EXPECT_EQ(kernel.functions.at(0).spillBytes, 0);
        // Places and nodes are in registers; 8 bytes more are not (CUDA 13.0).
        const int stack = int{sizeof(Postponed)} * kPlacesStack;
        EXPECT_GE(kernel.functions.at(0).stackBytes, stack);
        EXPECT_LE(kernel.functions.at(0).stackBytes, stack + 16);
    }
    constexpr Engine kEngines[] = {Engine::regeneration, Engine::wavefront, Engine::megakernel};
    std::size_t number = 0;
    for (const Accel accel : {Accel::brute, Accel::bvh}) {
        for (const TriangleTest test :
             {TriangleTest::watertight, TriangleTest::mollerTrumbore, TriangleTest::woop}) {
            v.accel = accel;
            v.triangle = test;
            v.vertexLayout = static_cast<VertexLayout>(number % 3);
            v.lightSampling = number % 2 == 0;
            v.engine = kEngines[number % 3];
            v.nodeMemory = static_cast<NodeMemory>(number % 3);
            v.precision = number % 4 == 1 ? Precision::float64 : Precision::float32;
            compileCleanly(v, known[number++ % known.size()]);
        }
    }
}

/// The clock is read where it is asked for, and nowhere else.
TEST(Nvrtc, OnlyTheTwinReadsTheClock) {
    SKIP_WITHOUT_NVRTC();
    Variant v = defaultVariant();
    v.code = Code::ptx;
    EXPECT_EQ(compileCleanly(v, testedArchitectures().back()).code.find("%clock"),
              std::string::npos);
    Variant twin = timeVariant(v);
    twin.traits = v.traits;
    twin.code = Code::ptx;
    EXPECT_NE(compileCleanly(twin, testedArchitectures().back()).code.find("%clock64"),
              std::string::npos);
}

/// Without counts nothing is added to counters, and nothing else changes.
TEST(Nvrtc, KernelsWithoutCountsHaveNone_long) {
    SKIP_WITHOUT_NVRTC();
    for (const Engine engine : {Engine::megakernel, Engine::regeneration, Engine::wavefront}) {
        Variant v = defaultVariant();
        v.engine = engine;
        v.compaction = Compaction::off;  // whose queues have atomics of their own
        const CompiledKernel counting = compileCleanly(v, testedArchitectures().back());
        v.code = Code::ptx;
        EXPECT_NE(compileCleanly(v, testedArchitectures().back()).code.find("atom."),
                  std::string::npos);
        v.countRays = false;
        EXPECT_EQ(compileCleanly(v, testedArchitectures().back()).code.find("atom."),
                  std::string::npos);
        v.code = Code::machine;
        const CompiledKernel silent = compileCleanly(v, testedArchitectures().back());
        for (size_t i = 0; i < silent.functions.size(); ++i)
            EXPECT_LE(silent.functions[i].registers, counting.functions[i].registers);
    }
}

/// They are compiled apart from the kernels of variants, for all scenes at once.
TEST_P(Architecture, CompilesTheKernelsThatBuildHierarchies) {
    SKIP_WITHOUT_NVRTC();
    const std::vector<int> known = testedArchitectures();
    if (!std::count(known.begin(), known.end(), GetParam()))
        GTEST_SKIP() << "this NVRTC makes no code for sm_" << GetParam();
    const KernelProgram program = treeProgram(GetParam());
    const auto compiled = compileProgram(program, embeddedKernelSources());
    ASSERT_TRUE(compiled) << compiled.reason();
    EXPECT_EQ(warningsIn(compiled->log), "");
    ASSERT_EQ(compiled->functions.size(), program.kernels.size());
    for (size_t i = 0; i < program.kernels.size(); ++i) {
        const CompiledFunction& f = compiled->functions[i];
        SCOPED_TRACE(program.kernels[i].name);
        EXPECT_GT(f.registers, 0);
        EXPECT_LE(f.registers, 64) << "fewer blocks would be resident";
        EXPECT_EQ(f.spillBytes, 0);
        EXPECT_EQ(f.stackBytes, 0);
    }
}

TEST_P(Architecture, CompilesTheKernelThatAddsFilms) {
    SKIP_WITHOUT_NVRTC();
    const std::vector<int> known = testedArchitectures();
    if (!std::count(known.begin(), known.end(), GetParam()))
        GTEST_SKIP() << "this NVRTC makes no code for sm_" << GetParam();
    const auto compiled = compileProgram(filmProgram(GetParam()), embeddedKernelSources());
    ASSERT_TRUE(compiled) << compiled.reason();
    EXPECT_EQ(warningsIn(compiled->log), "");
    ASSERT_EQ(compiled->functions.size(), 1u);
    EXPECT_EQ(compiled->functions[0].spillBytes, 0);
    KernelProgram text = filmProgram(GetParam());
    text.code = Code::ptx;
    const auto listing = compileProgram(text, embeddedKernelSources());
    ASSERT_TRUE(listing) << listing.reason();
    EXPECT_NE(listing->code.find("ld.global.v4"), std::string::npos) << "a pixel is read at once";
}

/// Each step's kernel is the one of its name.
TEST(Nvrtc, KernelsThatBuildHierarchiesAreFoundByTheirStep) {
    const KernelProgram program = treeProgram(90);
    const auto name = [&](TreeStep step, const TreeVariant& v) {
        return program.kernels.at(numberOf(step, v)).name;
    };
    const TreeVariant any, other{Precision::float64, SceneLayout::soa, true, MortonBits::bits60};
    EXPECT_EQ(name(TreeStep::boxes, any),
              "rayscope::treeBoxes<rayscope::Precision(1), rayscope::SceneLayout(0), false>");
    EXPECT_EQ(name(TreeStep::boxes, other),
              "rayscope::treeBoxes<rayscope::Precision(0), rayscope::SceneLayout(1), true>");
    EXPECT_EQ(name(TreeStep::triangles, any), "rayscope::treeTriangles<float>");
    EXPECT_EQ(name(TreeStep::triangles, other), "rayscope::treeTriangles<double>");
    EXPECT_EQ(name(TreeStep::keys, any), "rayscope::treeKeys<unsigned>");
    EXPECT_EQ(name(TreeStep::sort, other), "rayscope::treeSort<unsigned long long>");
    EXPECT_EQ(name(TreeStep::radix, other), "rayscope::treeRadix<unsigned long long>");
    EXPECT_EQ(name(TreeStep::depth, other), "rayscope::treeDepth");
    EXPECT_EQ(name(TreeStep::ranks, any), "rayscope::treeRanks");
    EXPECT_EQ(name(TreeStep::children, any), "rayscope::treeChildren");
    EXPECT_EQ(name(TreeStep::parents, any), "rayscope::treeParents");
    EXPECT_EQ(name(TreeStep::clusters, other), "rayscope::treeClusters<unsigned long long>");
    EXPECT_EQ(name(TreeStep::fit, other), "rayscope::treeFit");
    EXPECT_EQ(numberOf(TreeStep::nodes, any) + 1, program.kernels.size());
    EXPECT_EQ(name(TreeStep::nodes, other), "rayscope::treeNodes");
    TreeVariant listed;
    listed.triangles.layout = VertexLayout::soa;
    EXPECT_EQ(name(TreeStep::list, listed), "rayscope::treeList<float, rayscope::ListForm(2)>");
    listed.triangles.test = TriangleTest::woop;
    listed.precision = Precision::float64;
    EXPECT_EQ(name(TreeStep::list, listed), "rayscope::treeList<double, rayscope::ListForm(4)>");
}

TEST(Nvrtc, RecursionReportsTheFrameItNeeds) {
    SKIP_WITHOUT_NVRTC();
    Variant v = defaultVariant();
    v.path = Path::recursive;
    for (int time = 0; time < 2; ++time) {  // where there is a driver NVRTC has a cache
        const CompiledKernel kernel = compileCleanly(v, testedArchitectures().front(), true);
        EXPECT_GT(kernel.functions.at(0).frameBytes, 0) << time;
        EXPECT_GE(kernel.functions.at(0).spillBytes, 0) << time;
    }
}

TEST(Nvrtc, BrokenSourceGivesLogWithFileAndLine) {
    SKIP_WITHOUT_NVRTC();
    std::vector<KernelSource> sources = embeddedKernelSources();
    const auto path = std::find_if(sources.begin(), sources.end(), [](const KernelSource& s) {
        return s.name == "renderer/core/path.h";
    });
    ASSERT_NE(path, sources.end());
    path->text = "#pragma once\n#include \"renderer/core/shade.h\"\nint broken = ;\n";
    const auto result = compile(defaultVariant(), testedArchitectures().front(), sources);
    ASSERT_FALSE(result);
    EXPECT_NE(result.reason().find("renderer/core/path.h(3): error"), std::string::npos)
        << result.reason();
}

TEST(Nvrtc, EveryVariantHasItsOwnName) {
    std::set<std::string> names;
    const std::vector<Variant>& variants = testedVariants();
    std::vector<Variant> distinct;
    for (const Variant& v : variants) {
        if (std::find(distinct.begin(), distinct.end(), v) == distinct.end()) distinct.push_back(v);
        names.insert(nameExpression(v, stagesOf(v).front()));
    }
    EXPECT_EQ(names.size(), distinct.size());
}

TEST(Nvrtc, OnlyStatisticsAreNotWarnings) {
    const std::string statistics =
        "ptxas info    : Used 47 registers\n    0 bytes stack frame, 0 bytes spill stores\n";
    EXPECT_EQ(warningsIn(statistics), "");
    EXPECT_EQ(warningsIn(statistics + "a.h(1): warning #1-D: x\n"), "a.h(1): warning #1-D: x\n");
}

TEST(Nvrtc, ArchitectureRunsOnLaterMinorRevisions) {
    const CompilerInfo info{13, 0, {75, 80, 86, 90, 120}};
    EXPECT_EQ(architectureFor(90, info), 90);
    EXPECT_EQ(architectureFor(89, info), 86);
    EXPECT_EQ(architectureFor(121, info), 120);
    EXPECT_EQ(architectureFor(70, info), 0);
    EXPECT_EQ(architectureFor(100, info), 0);
}

/// A folder of its own for each test, removed afterwards.
class Cache : public testing::Test {
protected:
    Cache()
        : folder_(fs::temp_directory_path() /
                  ("rayscope-cache-" + std::to_string(getpid()) + "-" +
                   testing::UnitTest::GetInstance()->current_test_info()->name())),
          cache_(folder_) {
        kernel_.code = std::string("machine\0code", 12);
        kernel_.functions = {{Stage::extend, "_Zname", 47, 8, 16, 120},
                             {Stage::shade, "_Zother", 48, 0, 0, 0}};
        kernel_.log = "ptxas info";
        kernel_.compileMs = 99;
    }
    ~Cache() override {
        std::error_code error;
        fs::remove_all(folder_, error);
    }

    std::string entry() const {
        std::ifstream file(cache_.pathOf("key"), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void writeEntry(const std::string& bytes) const {
        std::ofstream(cache_.pathOf("key"), std::ios::binary) << bytes;
    }

    fs::path folder_;
    KernelCache cache_;
    CompiledKernel kernel_;
};

TEST_F(Cache, GivesBackWhatWasStored) {
    EXPECT_FALSE(cache_.load("key"));
    cache_.store("key", kernel_);
    const auto found = cache_.load("key");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, kernel_.code);
    EXPECT_EQ(found->functions, kernel_.functions);
    EXPECT_EQ(found->log, kernel_.log);
    EXPECT_EQ(found->compileMs, 0);
    EXPECT_FALSE(cache_.load("another key"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "left a temporary file";
}

TEST_F(Cache, EveryDamageCountsAsAbsent) {
    cache_.store("key", kernel_);
    const std::string good = entry();
    for (size_t size = 0; size < good.size(); ++size) {
        writeEntry(good.substr(0, size));
        EXPECT_FALSE(cache_.load("key")) << "cut to " << size << " bytes";
    }
    for (size_t i = 0; i < good.size(); ++i) {
        std::string flipped = good;
        flipped[i] = static_cast<char>(flipped[i] ^ 4);
        writeEntry(flipped);
        EXPECT_FALSE(cache_.load("key")) << "bit flipped in byte " << i;
    }
    writeEntry(good + "x");
    EXPECT_FALSE(cache_.load("key"));
    writeEntry(good);
    EXPECT_TRUE(cache_.load("key"));
}

TEST_F(Cache, FolderThatCannotBeWrittenIsNoError) {
    std::ofstream(folder_.string()) << "a file where the folder should be";
    cache_.store("key", kernel_);
    EXPECT_FALSE(cache_.load("key"));
    const KernelCache none{fs::path()};
    none.store("key", kernel_);
    EXPECT_FALSE(none.load("key"));
}

TEST_F(Cache, KeyDependsOnAllThatMakesAKernel) {
    struct Versioned : Compiler {
        std::string is;
        explicit Versioned(std::string version) : is(std::move(version)) {}
        Result<std::string> version() const override { return is; }
        Result<CompiledKernel> compile(const KernelProgram&, const std::vector<KernelSource>&,
                                       const GoOn&) const override {
            return Failure{"not here"};
        }
    };
    const Versioned old("NVRTC 13.0"), newer("NVRTC 13.1");
    const auto keyOf = [](const Variant& v, int architecture, const Compiler& compiler,
                          const std::vector<KernelSource>& sources) {
        KernelProgram program = programOf(v, architecture);
        program.compiler = &compiler;
        return *cacheKey(program, sources);
    };
    const std::vector<KernelSource>& sources = embeddedKernelSources();
    std::vector<KernelSource> edited = sources;
    edited.back().text += "\n";
    Variant precise = defaultVariant();
    precise.math = Math::precise;
    const Variant v = defaultVariant();
    const std::set<std::string> keys{keyOf(v, 90, old, sources), keyOf(v, 86, old, sources),
                                     keyOf(v, 90, newer, sources), keyOf(v, 90, old, edited),
                                     keyOf(precise, 90, old, sources)};
    EXPECT_EQ(keys.size(), 5u);
}

TEST_F(Cache, DamagedKernelIsCompiledAgain) {
    SKIP_WITHOUT_NVRTC();
    const int architecture = testedArchitectures().front();
    const auto get = [&] {
        auto result = compileCached(cache_, programOf(defaultVariant(), architecture),
                                    embeddedKernelSources());
        EXPECT_TRUE(result) << result.reason();
        return result ? *result : CompiledKernel{};
    };
    const CompiledKernel first = get();
    EXPECT_GT(first.compileMs, 0);
    EXPECT_EQ(get().compileMs, 0);
    EXPECT_EQ(get().code, first.code);
    for (const fs::directory_entry& e : fs::directory_iterator(folder_)) {
        fs::resize_file(e.path(), e.file_size() / 2);
    }
    EXPECT_GT(get().compileMs, 0);
    EXPECT_EQ(get().compileMs, 0);
}

TEST_F(Cache, WhatNoCompilerSaysCountsAsAbsent) {
    const auto refused = [&](auto change) {
        CompiledKernel kernel = kernel_;
        change(kernel);
        cache_.store("key", kernel);
        return !cache_.load("key");
    };
    EXPECT_FALSE(refused([](CompiledKernel&) {}));
    EXPECT_TRUE(refused([](CompiledKernel& k) { k.functions.clear(); }));
    EXPECT_TRUE(refused([](CompiledKernel& k) { k.functions[0].stage = static_cast<Stage>(99); }));
    EXPECT_TRUE(refused([](CompiledKernel& k) { k.functions[0].frameBytes = 1 << 30; }));
    EXPECT_TRUE(refused([](CompiledKernel& k) { k.functions[1].registers = -2; }));
}

TEST_F(Cache, KernelsOfAnotherVariantAreCompiledAgain) {
    SKIP_WITHOUT_NVRTC();
    const int architecture = testedArchitectures().front();
    const KernelProgram program = programOf(defaultVariant(), architecture);
    cache_.store(*cacheKey(program, sourcesOf(program, embeddedKernelSources())), kernel_);
    const auto made = compileCached(cache_, program, embeddedKernelSources());
    ASSERT_TRUE(made);
    EXPECT_GT(made->compileMs, 0);
}

TEST(Sources, FolderStandsInForEmbeddedFiles) {
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-kernels-" + std::to_string(getpid()));
    EXPECT_NE(setKernelSourceDirectory(kMine, folder.string()).reason(), "");
    EXPECT_EQ(kernelSources(kMine), embeddedKernelSources());
    const std::string name = embeddedKernelSources().front().name;
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << "changed";
    const unsigned before = kernelSourcesVersion(kMine);
    EXPECT_EQ(setKernelSourceDirectory(kMine, folder.string()).reason(), "");
    EXPECT_NE(kernelSourcesVersion(kMine), before);
    EXPECT_EQ(kernelSources(kMine).front().text, "changed");
    EXPECT_EQ(kernelSources(kMine).back(), embeddedKernelSources().back());
    fs::create_directories(folder / embeddedKernelSources().back().name);
    EXPECT_EQ(kernelSources(kMine).back(), embeddedKernelSources().back());
    EXPECT_EQ(setKernelSourceDirectory(kMine, "").reason(), "");
    EXPECT_EQ(kernelSources(kMine), embeddedKernelSources());
    fs::remove_all(folder);
}

LaunchNeeds picture() {
    LaunchNeeds n;
    n.rows = 720;
    n.samples = 32;
    n.granule = 4;
    n.rowsToFill = 128;
    n.budgetMs = 12;
    return n;
}

/// The sizes of the launches of one pass when every launch is done before the next is planned.
std::vector<int> bandsOfPass(LaunchNeeds n) {
    std::vector<int> bands;
    while (n.cursor < n.rows && bands.size() < 1000) {
        bands.push_back(rowsOfLaunch(n));
        n.cursor += bands.back();
    }
    return bands;
}

TEST(LaunchPlan, PassThatFitsIsOneLaunch) {
    LaunchNeeds n = picture();
    n.msPerRowSample = 2.0 / (720 * 32);
    EXPECT_EQ(bandsOfPass(n), std::vector<int>{720});
}

TEST(LaunchPlan, BandsKeepToTheBudgetAndEndThePass) {
    for (double passMs : {13., 30., 100., 500., 3000.}) {
        LaunchNeeds n = picture();
        n.msPerRowSample = passMs / (720 * 32);
        int rows = 0;
        for (int band : bandsOfPass(n)) {
            ASSERT_GT(band, 0);
            const bool whole = band % n.granule == 0 || rows + band == n.rows;
            EXPECT_TRUE(whole) << band;
            if (band > n.granule) {
                EXPECT_LE(band * n.samples * n.msPerRowSample, n.budgetMs);
            }
            rows += band;
        }
        EXPECT_EQ(rows, 720) << passMs << " ms";
    }
}

TEST(LaunchPlan, BandsHaveNoMoreRowsThanTheirMemory) {
    for (double msPerPass : {0., 2., 100.}) {
        LaunchNeeds n = picture();
        n.granule = 1;
        n.mostRows = 9;
        n.msPerRowSample = msPerPass / (720 * 32);
        int rows = 0;
        for (int band : bandsOfPass(n)) {
            ASSERT_GT(band, 0);
            EXPECT_LE(band, 9);
            rows += band;
        }
        EXPECT_EQ(rows, 720) << msPerPass;
    }
}

/// Under a sky, whose rows take a thirtieth of the time of those below.
TEST(LaunchPlan, BandsKnowWhereThePictureTakesLong) {
    RowTimes times;
    const auto msOfRow = [](int row) { return row < 360 ? .001 : .03; };  // of a sample a pixel
    for (int pass = 0; pass < 6; ++pass) {
        LaunchNeeds n = picture();
        n.fills = true;
        for (int launches = 0; n.cursor < n.rows; ++launches) {
            ASSERT_LT(launches, 500);
            n.msPerRowSample =
                times.meanWithin(kMostFillMs / n.samples, n.cursor, n.rows, n.granule);
            const int rows = rowsOfLaunch(n);
            ASSERT_GT(rows, 0);
            double ms = 0;
            for (int row = n.cursor; row < n.cursor + rows; ++row) ms += n.samples * msOfRow(row);
            if (pass > 0) {
                EXPECT_LE(ms, 2 * kMostFillMs) << pass << " at " << n.cursor;
            }
            if (pass > 1) {  // a band of the pass before had rows of both
                EXPECT_LE(ms, 1.2 * kMostFillMs) << pass << " at " << n.cursor;
            }
            if (pass > 2) {
                EXPECT_NEAR(n.samples * times.mean(n.cursor, rows, n.rows) * rows, ms, .35 * ms)
                    << n.cursor;
            }
            times.learn(n.cursor, rows, n.rows, ms / n.samples / rows);
            n.cursor += rows;
        }
    }
}

/// So that all rows enter the rate, not only those of the sky.
TEST(LaunchPlan, BandsFillTheDeviceWhereItTakesNoLongerThanTheyMay) {
    RowTimes times;
    LaunchNeeds n = picture();
    n.fills = true;
    const double dense = kFillMs / n.rowsToFill / n.samples;
    for (const int sky : {0, 100, 360, 650}) {
        const auto msOfRow = [&](int row) { return row < sky ? dense / 30 : dense; };
        for (int pass = 0; pass < 6; ++pass) {
            for (n.cursor = 0; n.cursor < n.rows;) {
                n.msPerRowSample =
                    times.meanWithin(kMostFillMs / n.samples, n.cursor, n.rows, n.granule);
                const int rows = rowsOfLaunch(n);
                double ms = 0;
                for (int row = n.cursor; row < n.cursor + rows; ++row)
                    ms += n.samples * msOfRow(row);
                if (pass > 2) {
                    EXPECT_GE(rows, n.rowsToFill) << sky << " " << n.cursor;
                    EXPECT_LE(ms, 2 * kMostFillMs) << sky << " " << n.cursor;
                }
                times.learn(n.cursor, rows, n.rows, ms / n.samples / rows);
                n.cursor += rows;
            }
        }
    }
}

/// A launch of the whole picture says nothing of its parts, but how long they take together.
TEST(LaunchPlan, DifferencesBetweenRowsAreKept) {
    RowTimes times;
    EXPECT_EQ(times.mean(0, 100, 100), 0);
    times.learn(0, 50, 100, 1);
    EXPECT_GT(times.mean(50, 50, 100), 1) << "with caution";
    times.learn(50, 50, 100, 3);
    times.learn(0, 100, 100, 4);  // twice as long as before
    EXPECT_NEAR(times.mean(0, 49, 100), 2, .1);
    EXPECT_NEAR(times.mean(51, 49, 100), 6, .1);
    EXPECT_NEAR(times.meanWithin(40, 0, 100, 4), 2, .1);
    EXPECT_NEAR(times.meanWithin(1, 60, 100, 4), 6, .1) << "no fewer rows than a launch has";
}

/// Its first launches share the device with other kernels, which makes them look slow; launches
/// that are small for that reason fill no device, and yet show that they were wrong.
TEST(LaunchPlan, ASpeedThatWasTakenBesideOthersIsNotBelievedForever) {
    RowTimes times;
    LaunchNeeds n = picture();
    n.fills = true;
    const double msOfRow = kFillMs / n.rowsToFill / n.samples;
    times.learn(0, n.rows, n.rows, 200 * msOfRow);
    for (int pass = 0; pass < 10; ++pass) {
        for (n.cursor = 0; n.cursor < n.rows;) {
            n.msPerRowSample =
                times.meanWithin(kMostFillMs / n.samples, n.cursor, n.rows, n.granule);
            const int rows = rowsOfLaunch(n);
            ASSERT_GT(rows, 0);
            if (pass == 9) {
                EXPECT_GE(rows, n.rowsToFill) << n.cursor;
            }
            // fewer rows than fill the device take as long as those that do
            const double ms = n.samples * msOfRow * std::max(rows, n.rowsToFill);
            times.learn(n.cursor, rows, n.rows, ms / n.samples / rows, rows >= n.rowsToFill);
            n.cursor += rows;
        }
    }
    const double known = times.mean(0, n.rows, n.rows);
    times.learn(0, 1, n.rows, 100 * known, false);
    EXPECT_EQ(times.mean(0, n.rows, n.rows), known) << "a launch of a row is slow";
}

/// Its first launch is small and takes as long as one of eight times as many rows: by that speed
/// no more rows would ever fit.
TEST(LaunchPlan, LaunchesOfAHeavyKernelComeToFillTheDevice) {
    for (const bool fills : {false, true}) {
        for (const double msToFill : {20., 40., 60.}) {
            LaunchNeeds n = picture();
            n.fills = fills;
            std::vector<int> bands;
            for (int pass = 0; pass < 2; ++pass) {
                for (n.cursor = 0; n.cursor < n.rows; n.cursor += bands.back()) {
                    const bool known = !bands.empty() && bands.back() >= n.rowsToFill;
                    n.fillMs = fills && !known ? kFirstFillMs : kLongestLaunchMs;
                    bands.push_back(rowsOfLaunch(n));
                    ASSERT_GT(bands.back(), 0);
                    const double ms =
                        msToFill * std::max(bands.back(), n.rowsToFill) / n.rowsToFill;
                    EXPECT_LE(ms, 2 * msToFill) << "several small ones rather than a long one";
                    n.msPerRowSample = ms / bands.back() / n.samples;
                }
            }
            EXPECT_LT(bands[0], n.rowsToFill);
            for (size_t i = 6; i < bands.size(); ++i)
                EXPECT_GE(bands[i], n.rowsToFill) << msToFill << " ms, launch " << i;
        }
    }
}

/// A display's driver would end it.
TEST(LaunchPlan, NoLaunchFillsTheDeviceForSeconds) {
    LaunchNeeds n = picture();
    n.fillMs = kLongestLaunchMs;
    n.msPerRowSample = 4000. / n.rowsToFill / n.samples;
    for (const int band : bandsOfPass(n)) {
        EXPECT_LE(band * n.samples * n.msPerRowSample, kLongestLaunchMs);
        EXPECT_GE(band, n.granule);
    }
    n.mostRows = 9;
    n.granule = 2;
    n.msPerRowSample = 100. / n.rowsToFill / n.samples;
    for (const int band : bandsOfPass(n)) EXPECT_LE(band, 9);
}

TEST(LaunchPlan, BusyDeviceGetsNoMore) {
    LaunchNeeds n = picture();
    n.msPerRowSample = 10.0 / (720 * 32);
    n.queuedMs = 12;
    EXPECT_EQ(rowsOfLaunch(n), 0);
    n.queuedMs = 11;  // room for less than what fills the device
    EXPECT_EQ(rowsOfLaunch(n), 0);
}

TEST(LaunchPlan, LaunchesThatFillAreNotCutToWhatIsLeftOfTheBudget) {
    LaunchNeeds n = picture();
    n.fills = true;
    n.budgetMs = 4;
    n.msPerRowSample = 2.0 / (720 * 32);
    EXPECT_EQ(rowsOfLaunch(n), 720);
    n.queuedMs = 2.9;
    EXPECT_EQ(rowsOfLaunch(n), 720) << "3.9 ms are nearer to 4 than 2.9";
    n.queuedMs = 3.1;
    EXPECT_EQ(rowsOfLaunch(n), 0);
    n.queuedMs = 0;
    n.budgetMs = 40;
    n.msPerRowSample = 20.0 / (720 * 32);
    for (int band : bandsOfPass(n)) {
        EXPECT_LE(band, 216) << "6 ms: a picture does not wait for more";
        EXPECT_GT(band, 108) << "nor is the last one a scrap";
    }
    n.msPerRowSample = 2000.0 / (720 * 32);
    EXPECT_EQ(rowsOfLaunch(n), n.granule) << "something, however slow";
}

TEST(LaunchPlan, PassesAreSmallerThanADriverEnds) {
    Scene scene;
    scene.spheres.resize(9);
    const auto guess = [&](Accel accel) { return guessedMs(1280 * 8 * 64, scene, accel); };
    EXPECT_LT(guess(Accel::brute), kLongestLaunchMs) << "small scenes are not held back";
    scene.spheres.resize(100'000);
    EXPECT_GT(guess(Accel::brute), kLongestLaunchMs);
    EXPECT_LT(guess(Accel::bvh), kLongestLaunchMs);
}

TEST(LaunchPlan, UnknownKernelIsTriedOnAnIdleDevice) {
    LaunchNeeds n = picture();
    EXPECT_EQ(rowsOfLaunch(n), 16);
    n.queuedMs = .1;
    EXPECT_EQ(rowsOfLaunch(n), 0);
}

}  // namespace
}  // namespace rayscope

#else

TEST(Nvrtc, Compiles) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
