// What is modelled from the counts of a kernel's blocks. No GPU is needed; an assembler says from
// which block each instruction really comes.

#include "renderer/code/modelled_counts.h"

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "renderer/backend/cubin_file.h"
#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/choices/axes.h"
#include "renderer/code/machine_blocks.h"
#include "renderer/code/words.h"
#include "renderer/cuda/compiler.h"
#include "renderer/lab/instructions.h"
#include "renderer/lab/trial.h"
#include "renderer/profile/hot_lines.h"
#include "renderer/scene/json.h"
#include "tests/made_up_renderer.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

/// A loop in line 4, of which four copies stand beside each other, and the remainder.
constexpr const char* kLoop = R"(extern "C" __global__ void planted(float* x, int n) {
    float s = x[threadIdx.x];
    #pragma unroll 4
    for (int i = 0; i < n; ++i) s = s * s + 1.5f;
    x[threadIdx.x] = s;
}
)";

struct Planted {
    CountingTwin twin;
    std::string cubin;
    LineTable lines;

    explicit Planted(const std::string& text, Math math = Math::fast) {
        const auto compiled = [&](Code code) {
            Variant v;
            v.code = code;
            v.math = math;
            const auto made = compileProgram({&nvrtcCompiler(),
                                              "planted.cu",
                                              {{Stage::whole, "planted"}},
                                              compileFlags(v, kUsualArchitecture),
                                              code},
                                             {{"planted.cu", text}});
            EXPECT_TRUE(made) << made.reason();
            return made ? made->code : std::string();
        };
        twin = *countingTwin(compiled(Code::ptx), {"planted.cu"});
        cubin = compiled(Code::machine);
        lines = *readLineTable(cubin);
    }
    /// Executions by warps of a line, over all of its instructions.
    double executions(int line, const std::vector<std::uint64_t>& counted) const {
        const auto counts =
            modelledCounts(twin, counted, {{"planted", "planted"}}, cubin, lines, {"planted.cu"});
        EXPECT_TRUE(counts) << counts.reason();
        double sum = 0;
        for (const HotLine& one : hotLines(*counts, lines, {"planted.cu"}).lines) {
            if (one.line == line) sum += static_cast<double>(one.executed.warps);
        }
        return sum;
    }
    std::map<int, int> blocksOf(int line) const {
        return twin.kernels.at("planted").blocks.at({{"planted.cu", line}});
    }
};

TEST(Model, ALineThatRunsSevenTimesAsOftenHasSevenTimesTheCount) {
    SKIP_WITHOUT_NVRTC();
    std::string text = kLoop;
    const Planted once(text.replace(text.find("unroll 4"), 8, "unroll 1"));
    std::vector<std::uint64_t> same(2 * static_cast<size_t>(once.twin.blocks), 100);
    std::vector<std::uint64_t> often = same;
    const auto lines = once.blocksOf(4);
    const auto loop = std::ranges::max_element(lines, {}, [](const auto& l) { return l.second; });
    often[2 * static_cast<size_t>(loop->first)] = 700;
    EXPECT_DOUBLE_EQ(once.executions(5, often), once.executions(5, same))
        << "it is not in the loop";
    const double before = once.executions(4, same), after = once.executions(4, often);
    EXPECT_GT(after, 4 * before);
    EXPECT_LE(after, 7 * before);
}

TEST(Model, CopiesOfALineAddUp) {
    SKIP_WITHOUT_NVRTC();
    const Planted copies(kLoop);
    // of each block, what its instructions of the line execute alone
    const auto lines = copies.blocksOf(4);
    ASSERT_GT(lines.size(), 2u);
    std::vector<std::uint64_t> counted(2 * static_cast<size_t>(copies.twin.blocks), 100);
    std::mt19937 random(3);
    double expected = 0, instructions = 0;
    for (const auto& [block, n] : lines) {
        counted[2 * static_cast<size_t>(block)] = 100 + random() % 900;
        expected += n * static_cast<double>(counted[2 * static_cast<size_t>(block)]);
        instructions += n;
    }
    const std::vector<std::uint64_t> ones(counted.size(), 1);
    EXPECT_NEAR(copies.executions(4, counted) / copies.executions(4, ones), expected / instructions,
                .1 * expected / instructions);
}

/// However the counts of several blocks round.
TEST(Model, AWarpHasNoMoreLanesThanThereAre) {
    SKIP_WITHOUT_NVRTC();
    const Planted planted(kLoop);
    std::mt19937 random(1);
    for (int pass = 0; pass < 100; ++pass) {
        std::vector<std::uint64_t> counted(2 * static_cast<std::size_t>(planted.twin.blocks));
        for (std::size_t i = 0; i < counted.size(); i += 2)
            counted[i + 1] = 32 * (counted[i] = random() % 1000);
        const auto counts = modelledCounts(planted.twin, counted, {{"planted", "planted"}},
                                           planted.cubin, planted.lines, {"planted.cu"});
        ASSERT_TRUE(counts) << counts.reason();
        for (const InstructionCount& one : counts->front().instructions)
            ASSERT_LE(one.lanes, 32 * one.warps) << one.address;
    }
}

TEST(Model, SlowPathsAreNeverTaken) {
    SKIP_WITHOUT_NVRTC();
    const Planted division(
        "extern \"C\" __global__ void planted(float* x) { x[0] = x[1] / x[2]; }\n", Math::precise);
    const auto counts = modelledCounts(
        division.twin, std::vector<std::uint64_t>(2 * static_cast<size_t>(division.twin.blocks), 9),
        {{"planted", "planted"}}, division.cubin, division.lines, {"planted.cu"});
    ASSERT_TRUE(counts) << counts.reason();
    std::set<std::uint32_t> executed;
    for (const InstructionCount& i : counts->at(0).instructions) executed.insert(i.address);
    const auto sections = *cubinSections(division.cubin);
    const auto section = std::ranges::find(sections, ".text.planted", &CubinSection::name);
    int calls = 0;
    for (const MachineInstruction& i : machineInstructions(section->content)) {
        if (i.calls == 0) continue;
        ++calls;
        EXPECT_FALSE(executed.contains(i.address));
        EXPECT_FALSE(executed.contains(i.calls)) << "the division that is called";
    }
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(executed.contains(0));
    EXPECT_GT(executed.size(), 10u);
}

TEST(Model, NumbersOfAnotherTwinAreRefused) {
    SKIP_WITHOUT_NVRTC();
    const Planted planted(kLoop);
    const auto model = [&](size_t numbers, const char* kernel, const std::string& cubin) {
        return modelledCounts(planted.twin, std::vector<std::uint64_t>(numbers, 1),
                              {{kernel, "planted"}}, cubin, planted.lines, {"planted.cu"});
    };
    const size_t all = 2 * static_cast<size_t>(planted.twin.blocks);
    EXPECT_TRUE(model(all, "planted", planted.cubin));
    EXPECT_FALSE(model(all - 1, "planted", planted.cubin));
    EXPECT_FALSE(model(all, "another", planted.cubin));
    EXPECT_FALSE(model(all, "planted", "no cubin"));
}

/// Traces nothing, and counts a hundred warps of 16 lanes in each block.
class CountingRenderer : public MadeUpRenderer {
public:
    Result<std::vector<std::uint64_t>> countByTwins(const KernelTwins& twins,
                                                    const std::function<void()>& work) override {
        twins_ = twins;
        work();
        std::vector<std::uint64_t> counted;
        const size_t at = twins.ptx.find(twins.counters + "[") + twins.counters.size() + 1;
        for (int i = 0; i < std::stoi(twins.ptx.substr(at)) / 2; ++i) {
            counted.push_back(100);
            counted.push_back(1600);
        }
        return counted;
    }
    KernelTwins twins_;
};

TEST(Model, IsOfAllKernels) {
    SKIP_WITHOUT_NVRTC();
    CodeWish wish;
    wish.scene = *findScene("vt9");
    wish.settings = defaultSettings(Backend::cuda, wish.scene);
    assignAll(wish.settings, {"engine=wavefront"});
    CountingRenderer renderer;
    TrialWish passes;
    passes.settings = settingsWith(Path::loop);
    passes.width = passes.height = 8;
    Trial trial(renderer, passes, std::make_unique<FixedPasses>(1));
    playToEnd(trial);
    const auto counted = modelInstructions(renderer, trial, 4, wish);
    ASSERT_TRUE(counted) << counted.reason();
    EXPECT_EQ(counted->rays.camera, 4000u);
    ASSERT_GT(counted->code.kernels.size(), 1u);
    ASSERT_EQ(counted->counts.size(), counted->code.kernels.size());
    for (size_t k = 0; k < counted->counts.size(); ++k) {
        const KernelCounts& kernel = counted->counts[k];
        EXPECT_EQ(kernel.symbol, counted->code.kernels[k].symbol);
        EXPECT_EQ(kernel.symbol, renderer.twins_.symbols[k].kernel);
        EXPECT_NE(renderer.twins_.ptx.find(".entry " + renderer.twins_.symbols[k].twin + "("),
                  std::string::npos);
        EXPECT_EQ(kernel.instructions.size(), counted->code.kernels[k].code.instructions);
        for (const InstructionCount& i : kernel.instructions) {
            EXPECT_EQ(i.warps, 100u);
            EXPECT_EQ(i.lanes, 1600u);
        }
    }
    wish.settings.backend = Backend::cpu;
    EXPECT_FALSE(modelInstructions(renderer, trial, 4, wish));
}

struct RealProgram {
    std::string scene;
    std::vector<std::string> settings;
};
void PrintTo(const RealProgram& program, std::ostream* out) {
    *out << program.scene;
    for (const std::string& setting : program.settings) *out << ' ' << setting;
}

class ModelledCounts : public testing::TestWithParam<RealProgram> {
protected:
    void SetUp() override {
        SKIP_WITHOUT_NVRTC();
        wish_.scene = *findScene(GetParam().scene);
        wish_.settings = defaultSettings(Backend::cuda, wish_.scene);
        assignAll(wish_.settings, GetParam().settings);
        const auto code = kernelCode(wish_);
        const auto ptx = kernelPtx(wish_);
        ASSERT_TRUE(code) << code.reason();
        ASSERT_TRUE(ptx) << ptx.reason();
        code_ = *code;
        const auto lines = readLineTable(code_.cubin);
        for (const KernelSource& source : embeddedKernelSources()) sources_.push_back(source.name);
        const auto twin = countingTwin(ptx->text, sources_);
        ASSERT_TRUE(lines) << lines.reason();
        ASSERT_TRUE(twin) << twin.reason();
        lines_ = *lines;
        twin_ = *twin;
        for (size_t i = 0; i < ptx->symbols.size(); ++i)
            symbols_.push_back({code_.kernels.at(i).symbol, ptx->symbols[i]});
    }

    /// What ptxas of the compiler's version makes of PTX; skips the test where there is none.
    Result<std::string> assembled(const std::string& ptx) const {
        const std::string path = findProgram("ptxas", {"/usr/local/cuda/bin"});
        if (path.empty()) return Failure{"there is no ptxas"};
        const TemporaryFolder folder;
        const std::string in = folder.path() + "/in.ptx", out = folder.path() + "/out.cubin";
        EXPECT_TRUE(writeTextFile(in, ptx));
        const auto ran = runProgram(
            {path, "-lineinfo", "-arch", fmt::format("sm_{}", wish_.architecture), in, "-o", out},
            1 << 20, {});
        EXPECT_TRUE(ran);
        EXPECT_EQ(ran->status, 0) << ran->text.substr(0, 2000);
        return *readFile(out, 64 << 20);
    }

    std::vector<KernelCounts> modelled(const std::vector<std::uint64_t>& counted) const {
        const auto counts = modelledCounts(twin_, counted, symbols_, code_.cubin, lines_, sources_);
        EXPECT_TRUE(counts) << counts.reason();
        return counts ? *counts : std::vector<KernelCounts>{};
    }

    /// From which block of PTX most instructions come of the block of machine code that an address
    /// is in, for each kernel, by a table whose lines are the blocks.
    std::vector<std::map<std::uint32_t, int>> originsOf(const LineTable& blocks) const {
        std::vector<std::map<std::uint32_t, int>> all;
        const auto sections = *cubinSections(code_.cubin);
        for (const KernelTwins::Symbols& symbols : symbols_) {
            const auto section =
                std::ranges::find(sections, ".text." + symbols.kernel, &CubinSection::name);
            const auto instructions = machineInstructions(section->content);
            std::map<int, std::map<int, int>> votes;
            for (const MachineInstruction& i : instructions) {
                const int place = blocks.placeAt(symbols.twin, i.address);
                if (place < 0) continue;
                const int block = blocks.places[static_cast<size_t>(place)].line - 1;
                if (block >= 0 && block < twin_.blocks) ++votes[i.block][block];
            }
            auto& origins = all.emplace_back();
            for (const MachineInstruction& i : instructions) {
                const auto& vote = votes[i.block];
                const auto most =
                    std::ranges::max_element(vote, {}, [](const auto& v) { return v.second; });
                if (most != vote.end()) origins[i.address] = most->first;
            }
        }
        return all;
    }

    CodeWish wish_;
    KernelCode code_;
    LineTable lines_;
    CountingTwin twin_;
    std::vector<KernelTwins::Symbols> symbols_;
    std::vector<std::string> sources_;
};

/// The program that was rewritten, with the number of its block, from 1, as the line of each
/// instruction.
std::string marked(const CountingTwin& twin) {
    std::string text;
    int block = 0;
    for (const std::string_view line : linesOf(twin.ptx)) {
        if (line.find("activemask.b32 %rayscopeLanes") != line.npos)
            text += fmt::format("\t.loc 1 {} 1\n", ++block);
        const bool counts =
            line.find("%rayscope") != line.npos || line.find(kBlockCounters) != line.npos;
        if (!counts && operationOf(line) != ".loc") text += std::string(line) + "\n";
    }
    return text;
}

TEST_P(ModelledCounts, TheTwinAssembles) {
    const auto cubin = assembled(twin_.ptx);
    if (!cubin) GTEST_SKIP() << cubin.reason();
    std::vector<std::string> names;
    for (const KernelTwins::Symbols& symbols : symbols_) names.push_back(symbols.twin);
    EXPECT_TRUE(readCubin(*cubin, names));
}

/// Shares of lines in percent, by place.
std::map<std::string, double> sharesOf(const HotLines& hot) {
    std::map<std::string, double> shares;
    for (const HotLine& line : hot.lines)
        shares[fmt::format("{}:{}", line.file, line.line)] =
            100. * static_cast<double>(line.executed.warps) / static_cast<double>(hot.all.warps);
    return shares;
}

/// Where each block of a twin goes on, by the numbers of blocks; -1: the kernel's end.
struct Flow {
    std::vector<std::vector<int>> next;
    std::vector<int> entries;
};

Flow flowOf(const std::string& twin) {
    std::map<std::string, int, std::less<>> labels;
    std::vector<std::vector<std::string>> targets;
    Flow flow;
    bool through = false, entry = false;
    std::vector<std::string_view> waiting;
    for (const std::string_view line : linesOf(twin)) {
        const std::string_view text = trimmed(line);
        const int block = static_cast<int>(targets.size()) - 1;
        if (text.starts_with('{') && line[0] == '{') entry = true;
        if (text.starts_with("$L") && text.ends_with(':'))
            waiting.push_back(text.substr(0, text.size() - 1));
        if (text.starts_with("activemask.b32 %rayscope")) {
            for (const std::string_view label : waiting) labels.emplace(label, block + 1);
            waiting.clear();
            if (entry) flow.entries.push_back(block + 1);
            if (through && !entry) flow.next.back().push_back(block + 1);
            entry = false;
            through = true;
            targets.emplace_back();
            flow.next.emplace_back();
        }
        const std::string_view operation = operationOf(text);
        if (operation.starts_with("bra")) {
            const std::string_view to = trimmed(text.substr(text.rfind('$')));
            targets.back().emplace_back(to.substr(0, to.find(';')));
            through = text.starts_with('@');
        } else if (operation == "ret" || operation == "exit" || operation == "trap") {
            flow.next.back().push_back(-1);
            through = text.starts_with('@');
        }
    }
    for (size_t b = 0; b < targets.size(); ++b) {
        for (const std::string& label : targets[b]) flow.next[b].push_back(labels.at(label));
    }
    return flow;
}

/// What is counted where each branch has a chance of its own.
std::vector<std::uint64_t> anyCounts(const Flow& flow, std::mt19937& random) {
    constexpr int kWalks = 100, kSteps = 20000;
    std::vector<double> chance;
    for (size_t b = 0; b < flow.next.size(); ++b)
        chance.push_back(std::uniform_real_distribution(.05, .95)(random));
    std::vector<std::uint64_t> counted(2 * flow.next.size());
    for (const int entry : flow.entries) {
        for (int walk = 0; walk < kWalks; ++walk) {
            for (int b = entry, step = 0; b >= 0 && step < kSteps; ++step) {
                const auto at = static_cast<size_t>(b);
                counted[2 * at] += 100;
                counted[2 * at + 1] += 800;
                const std::vector<int>& next = flow.next[at];
                const bool first = std::uniform_real_distribution(0., 1.)(random) < chance[at];
                b = next.empty() ? -1 : next.size() == 1 || first ? next[0] : next.back();
            }
        }
    }
    return counted;
}

/// The truth is a machine code whose lines are the blocks that its instructions come from.
TEST_P(ModelledCounts, LinesHaveWhatTheirBlocksHave) {
    const auto cubin = assembled(marked(twin_));
    if (!cubin) GTEST_SKIP() << cubin.reason();
    std::vector<std::string> own, twins;
    for (const KernelTwins::Symbols& symbols : symbols_) {
        own.push_back(symbols.kernel);
        twins.push_back(symbols.twin);
    }
    const auto real = readCubin(code_.cubin, own), same = readCubin(*cubin, twins);
    ASSERT_TRUE(real && same);
    EXPECT_TRUE(*real == *same) << "lines change no instruction, if ptxas is of NVRTC's version";
    const auto blocks = readLineTable(*cubin);
    ASSERT_TRUE(blocks) << blocks.reason();
    const std::vector<std::map<std::uint32_t, int>> origins = originsOf(*blocks);
    const auto truth = [&](const std::vector<std::uint64_t>& counted) {
        std::vector<KernelCounts> counts = modelled(counted);
        for (size_t k = 0; k < counts.size(); ++k) {
            for (InstructionCount& i : counts[k].instructions)
                i.warps = counted[2 * static_cast<size_t>(origins[k].at(i.address))];
        }
        return hotLines(counts, lines_, sources_);
    };
    const Flow flow = flowOf(twin_.ptx);
    ASSERT_EQ(flow.next.size(), static_cast<size_t>(twin_.blocks));
    std::mt19937 random(7);
    std::pair<double, std::string> worst;
    double wrong = 0;
    constexpr int kRounds = 20;
    for (int round = 0; round < kRounds; ++round) {
        const auto counted = anyCounts(flow, random);
        std::map<std::string, double> by = sharesOf(truth(counted));
        for (const auto& [line, share] : sharesOf(hotLines(modelled(counted), lines_, sources_)))
            by[line] -= share;
        for (const auto& [line, points] : by) {
            worst = std::max(worst, {std::abs(points), line});
            wrong += std::abs(points) / 2 / kRounds;
        }
    }
    // what a block of machine code was made of is sometimes more than one
    EXPECT_LT(worst.first, 6) << worst.second;
    EXPECT_LT(wrong, 4);
    std::cout << fmt::format("{}: {:.1f} points at {}, {:.1f} % of all instructions elsewhere\n",
                             testing::PrintToString(GetParam()), worst.first, worst.second, wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ModelledCounts,
    testing::Values(
        RealProgram{"vt9", {}}, RealProgram{"vt9", {"path=recursive"}},
        RealProgram{"vt9",
                    {"engine=regeneration", "scene_memory=baked", "material_dispatch=single"}},
        RealProgram{"vt9",
                    {"engine=regeneration", "samples_from=queue", "begin=merged", "search=keys",
                     "scene_memory=baked"}},
        RealProgram{"vt9", {"scene_memory=shared", "precision=double"}},
        RealProgram{"vt9", {"samples_as=threads", "math=precise", "sampling=rejection"}},
        RealProgram{"vt46", {"engine=wavefront", "kernels=separate", "record=wide"}},
        RealProgram{"cornell", {"light_sampling=on"}}, RealProgram{"card", {}},
        RealProgram{"card", {"engine=wavefront", "compaction=host"}},
        RealProgram{"weekend", {"accel=bvh"}},
        RealProgram{"weekend", {"accel=bvh4", "scene_memory=global"}},
        RealProgram{"weekend", {"accel=grid"}}));

}  // namespace
}  // namespace rayscope

#endif
