// From instructions to lines: the tables that NVRTC writes, and the part of a path's work that each
// line is. No GPU is needed.

#include "renderer/backend/line_table.h"

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#if __has_include(<cupti_pcsampling.h>)
#include <cupti_pcsampling.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "renderer/backend/cubin.h"
#include "renderer/backend/function_name.h"
#include "renderer/backend/kernel_code.h"
#include "renderer/choices/axes.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/toolkit.h"
#include "renderer/profile/hot_lines.h"
#include "renderer/scene/json.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

struct Program {
    std::string scene;
    std::vector<std::string> settings;
};
/// All files of the kernels, and every kind of surface.
const std::vector<Program> kPrograms{
    {"vt9", {}},
    {"vt9", {"path=recursive"}},
    {"vt9", {"engine=regeneration", "scene_memory=baked", "material_dispatch=single"}},
    {"vt9",
     {"engine=regeneration", "samples_from=queue", "begin=merged", "search=keys",
      "scene_memory=baked"}},
    {"vt9", {"engine=regeneration", "samples_from=warp", "light_sampling=on"}},
    {"vt9", {"scene_memory=shared", "precision=double"}},
    {"vt9", {"samples_as=threads", "math=precise", "sampling=rejection"}},
    {"vt46", {"engine=wavefront", "kernels=separate", "record=wide"}},
    {"cornell", {"light_sampling=on", "begin=merged", "engine=regeneration"}},
    {"cornell", {"engine=wavefront", "kernels=separate", "light_sampling=on"}},
    {"card", {"engine=wavefront", "compaction=host"}},
    {"card", {}},
    {"weekend", {"accel=bvh"}},
    {"weekend", {"accel=bvh4", "scene_memory=global"}},
    {"weekend", {"accel=grid"}},
    {"vt46", {"accel=bvh", "light_sampling=on"}},
    {"weekend",
     {"accel=bvh", "engine=wavefront", "kernels=separate", "ray_order=origin",
      "material_order=sorted"}},
};

CodeWish wishFor(const Program& program) {
    CodeWish wish;
    wish.scene = *findScene(program.scene);
    wish.settings = defaultSettings(Backend::cuda, wish.scene);
    assignAll(wish.settings, program.settings);
    return wish;
}

std::string named(const Program& program) {
    std::string text = program.scene;
    for (const std::string& setting : program.settings) text += " " + setting;
    return text;
}

KernelCode codeOf(const Program& program) {
    const CodeWish wish = wishFor(program);
    EXPECT_EQ(unsupported(wish.settings, wish.scene), "");
    Result<KernelCode> code = kernelCode(wish);
    if (!code) {
        ADD_FAILURE() << code.reason();
        return {};
    }
    return *std::move(code);
}

LineTable tableOf(const KernelCode& code) {
    Result<LineTable> table = readLineTable(code.cubin);
    if (!table) {
        ADD_FAILURE() << table.reason();
        return {};
    }
    return *std::move(table);
}

std::vector<std::string> sourceNames() {
    std::vector<std::string> names;
    for (const KernelSource& source : embeddedKernelSources()) names.push_back(source.name);
    return names;
}

TEST(LineTables, KnowEveryInstructionUpToItsKernel) {
    SKIP_WITHOUT_NVRTC();
    for (const Program& program : {kPrograms[0], kPrograms[9]}) {
        SCOPED_TRACE(named(program));
        const KernelCode code = codeOf(program);
        const LineTable table = tableOf(code);
        ASSERT_EQ(table.kernels.size(), code.kernels.size());
        for (const KernelFacts& kernel : code.kernels) {
            int deepest = 0;
            for (int i = 0; i < kernel.code.instructions; ++i) {
                int place = table.placeAt(kernel.symbol, 16 * static_cast<std::uint64_t>(i));
                ASSERT_GE(place, 0) << kernel.name << " " << i;
                int depth = 0;
                for (; place >= 0; place = table.places[place].caller, ++depth)
                    ASSERT_GT(table.places[place].line, 0);
                deepest = std::max(deepest, depth);
            }
            EXPECT_GT(deepest, kernel.name == "accumulate" ? 3 : 6) << kernel.name;
            EXPECT_EQ(table.placeAt(kernel.symbol, 1 << 20), -1);
        }
        EXPECT_EQ(table.placeAt("another", 0), -1);
    }
}

#if __has_include(<cupti_pcsampling.h>) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(LineTables, HaveTheLinesThatCuptiHas) {
    SKIP_WITHOUT_NVRTC();
    void* const library = openToolkitLibrary("libcupti.so", {CUDART_VERSION / 1000});
    if (library == nullptr) GTEST_SKIP() << "CUPTI is not installed";
    const auto lineOf = reinterpret_cast<decltype(&cuptiGetSassToSourceCorrelation)>(
        dlsym(library, "cuptiGetSassToSourceCorrelation"));
    ASSERT_NE(lineOf, nullptr);
    const KernelCode code = codeOf(kPrograms[9]);
    const LineTable table = tableOf(code);
    int compared = 0;
    for (const KernelFacts& kernel : code.kernels) {
        for (int i = 0; i < kernel.code.instructions; i += 7) {
            const std::uint64_t address = 16 * static_cast<std::uint64_t>(i);
            CUpti_GetSassToSourceCorrelationParams p{};
            p.size = CUpti_GetSassToSourceCorrelationParamsSize;
            p.cubin = code.cubin.data();
            p.cubinSize = code.cubin.size();
            p.functionName = kernel.symbol.c_str();
            p.pcOffset = address;
            ASSERT_EQ(lineOf(&p), CUPTI_SUCCESS);
            const SourcePlace& place = table.places[table.placeAt(kernel.symbol, address)];
            EXPECT_EQ(table.files[place.file], std::string(p.dirName) + "/" + p.fileName);
            EXPECT_EQ(place.line, static_cast<int>(p.lineNumber));
            std::free(p.dirName);
            std::free(p.fileName);
            ++compared;
        }
    }
    EXPECT_GT(compared, 100);
}
#endif

TEST(LineTables, AreRefusedWhereTheyAreDamaged) {
    SKIP_WITHOUT_NVRTC();
    const std::string cubin = codeOf(kPrograms[0]).cubin;
    EXPECT_FALSE(readLineTable(""));
    EXPECT_NE(readLineTable("not a cubin").reason(), "");
    std::mt19937 random(1);
    int read = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string damaged = cubin;
        if (i % 3 == 0) damaged.resize(random() % damaged.size());
        // the sections' names and the line table lie in front
        for (int k = 0; k < 1 + i % 8 && !damaged.empty(); ++k)
            damaged[random() % std::min<std::size_t>(damaged.size(), 0x4a00)] ^=
                static_cast<char>(1 << random() % 8);
        const Result<LineTable> table = readLineTable(damaged);
        if (!table) continue;
        ++read;
        for (const SourcePlace& place : table->places) {
            ASSERT_LT(place.file, static_cast<int>(table->files.size()));
            ASSERT_LT(place.caller, static_cast<int>(table->places.size()));
            ASSERT_LT(place.function, static_cast<int>(table->functions.size()));
        }
    }
    EXPECT_GT(read, 100) << "some damage is harmless";
}

TEST(Parts, EveryLineOfTheKernelsHasOne) {
    SKIP_WITHOUT_NVRTC();
    std::set<std::string> files;
    std::set<Part> parts;
    int all = 0, unnamed = 0;
    for (const Program& program : kPrograms) {
        SCOPED_TRACE(named(program));
        const LineTable table = tableOf(codeOf(program));
        const SourceMap map(table, sourceNames());
        for (const auto& [kernel, rows] : table.kernels) {
            for (const LineTable::Row& row : rows) {
                if (row.place < 0) continue;
                const int working = map.working(row.place);
                const SourceMap::Place& place = map.place(working);
                ++all;
                if (place.function.empty() && place.part == Part::caller) {
                    ++unnamed;  // ptxas makes more of an atomic, and not all of it says where
                    continue;
                }
                EXPECT_NE(place.part, Part::caller)
                    << map.files()[place.file] << ":" << place.line << " " << place.function;
                parts.insert(map.part(row.place));
            }
        }
        files.insert(map.files().begin(), map.files().end());
    }
    EXPECT_LT(unnamed, all / 500);
    for (const std::string& file : files) {
        EXPECT_TRUE(std::ranges::any_of(
            kPartsOfCode,
            [&](const PartOfCode& row) { return file == row.file && *row.function == '\0'; }))
            << file
            << " is a file of the kernels: what part of a path's work is it (core/parts.h)?";
    }
    EXPECT_EQ(parts.size(), kParts) << "every part is met";
}

TEST(Parts, AreOfFunctionsThatExist) {
    for (const PartOfCode& row : kPartsOfCode) {
        const auto& sources = embeddedKernelSources();
        const auto file = std::ranges::find(sources, row.file, &KernelSource::name);
        ASSERT_NE(file, sources.end()) << row.file;
        EXPECT_NE(file->text.find(std::string(row.function) + "("), std::string::npos)
            << row.file << " has no function " << row.function;
    }
}

/// The functions that do the work of each part.
std::map<Part, std::set<std::string>> functionsOf(const Program& program) {
    const LineTable table = tableOf(codeOf(program));
    const SourceMap map(table, sourceNames());
    std::map<Part, std::set<std::string>> functions;
    for (const auto& [kernel, rows] : table.kernels) {
        for (const LineTable::Row& row : rows) {
            if (row.place >= 0)
                functions[map.part(row.place)].insert(map.place(map.working(row.place)).function);
        }
    }
    return functions;
}

TEST(Parts, ASearchIsThatOfWhoSearches) {
    SKIP_WITHOUT_NVRTC();
    auto functions = functionsOf({"cornell", {"light_sampling=on"}});
    for (const Part part : {Part::search, Part::shadow})
        EXPECT_TRUE(functions[part].contains("nearestRoot")) << kPartNames[static_cast<int>(part)];
    EXPECT_FALSE(functions[Part::search].contains("occluded"));
    EXPECT_TRUE(functions[Part::glass].contains("scatterGlass"));
    EXPECT_TRUE(functions[Part::light].contains("sampleLight"));
}

TEST(Parts, AQueuesShadowRaysAreNoSearch) {
    SKIP_WITHOUT_NVRTC();
    auto functions =
        functionsOf({"vt9",
                     {"light_sampling=on", "engine=regeneration", "samples_from=queue",
                      "begin=merged", "search=keys", "scene_memory=baked", "scene_layout=aos"}});
    for (const Part part : {Part::search, Part::shadow})
        EXPECT_TRUE(functions[part].contains("crossBaked")) << kPartNames[static_cast<int>(part)];
    EXPECT_TRUE(functions[Part::light].contains("sampleLight"));
}

TEST(FunctionNames, AreBare) {
    EXPECT_EQ(functionName("_ZN8rayscope6device7makeRngINS0_5RngOfIjEEEET_jjj"), "makeRng");
    EXPECT_EQ(functionName("_ZN8rayscope6devicemlIfEENS_4Vec3IT_EES4_S3_"), "operator*");
    EXPECT_EQ(functionName("_ZN8rayscope7placeOfERKNS_7VariantEii"), "placeOf");
    EXPECT_EQ(functionName("_ZNK3BoxIiE4withIfEEDaT_"), "with") << "deduced results, templates";
    EXPECT_EQ(functionName("_ZZN3Box4walkEvENKUliE_clEi"), "walk") << "a lambda within";
    EXPECT_EQ(functionName("memset"), "memset");
}

TEST(LineInformation, ChangesNoInstruction) {
    SKIP_WITHOUT_NVRTC();
    for (const Program& program : kPrograms) {
        const Result<bool> same = sameWithoutLines(wishFor(program));
        ASSERT_TRUE(same) << same.reason();
        EXPECT_TRUE(*same) << named(program);
    }
}

}  // namespace
}  // namespace rayscope

#endif
