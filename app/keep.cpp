#include "app/keep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <filesystem>

#include "app/commands.h"
#include "app/interrupt.h"
#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/base/say.h"
#include "renderer/base/version.h"
#include "renderer/lab/report.h"
#include "renderer/lab/wire.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The numbers of the cores that this process may use.
json allowedCores() {
    json cores = json::array();
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &allowed)) cores.push_back(core);
    }
    return cores;
}

bool shareCores(const json& a, const json& b) {
    for (const json& core : a) {
        if (std::find(b.begin(), b.end(), core) != b.end()) return true;
    }
    return false;
}

/// Whether two ranks measure with the same processor.
bool shareProcessor(const json& a, const json& b) {
    if (a["host"] != b["host"]) return false;
    if (a["gpu"] != "" && a["gpu"] == b["gpu"]) return true;
    return a["on_cpu"] == true && shareCores(a["cores"], b["cores"]);
}

/// "rank 3", "ranks 3, 4 and 7"
std::string ranksText(const std::vector<std::size_t>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
        text += std::to_string(ranks[i]);
    }
    return text;
}

/// Of ranks that measure, all have rank 0's devices, each its own.
void chooseEqual(std::vector<Member>& members) {
    std::vector<std::size_t> others, sharing;
    for (std::size_t rank = 1; rank < members.size(); ++rank) {
        Member& member = members[rank];
        if (member.about["devices"] != members[0].about["devices"]) {
            member.takesPart = false;
            others.push_back(rank);
            continue;
        }
        for (std::size_t before = 0; before < rank && member.takesPart; ++before) {
            if (members[before].takesPart && shareProcessor(members[before].about, member.about)) {
                member.takesPart = false;
                sharing.push_back(rank);
            }
        }
    }
    if (!others.empty()) {
        complain(fmt::format(
            "devices differ: rank 0 has {}, but {} {} {}: figures of one report are of equal "
            "devices, so {} nothing",
            members[0].about["devices"].get<std::string>(), ranksText(others),
            others.size() == 1 ? "has" : "have",
            members[others[0]].about["devices"].get<std::string>(),
            others.size() == 1 ? "it measures" : "they measure"));
    }
    if (!sharing.empty()) {
        complain(fmt::format("{} {} a processor with a rank before, and {} nothing",
                             ranksText(sharing), sharing.size() == 1 ? "shares" : "share",
                             sharing.size() == 1 ? "measures" : "measure"));
    }
}

}  // namespace

bool goOn() {
    return !interrupted();
}

bool helping() {
    team().listen();
    return goOn() && !team().over();
}

std::string lostDevice(const Machine& machine) {
    return machine.noCuda.starts_with("CUDA has failed") ? machine.noCuda : std::string();
}

std::variant<std::string, Refusal> checkpointFor(const KeepOptions& keep, const std::string& output,
                                                 const std::string& kind) {
    std::string path = keep.checkpoint.empty() ? keep.resume : keep.checkpoint;
    if (path.empty() && !team().alone())
        path = (output.empty() || output == "-" ? "rayscope-" + kind : output) + ".checkpoint";
    if (path.empty() || !team().leads()) return path;
    std::error_code unknown;
    const bool resumed = !keep.resume.empty() && fs::equivalent(path, keep.resume, unknown);
    if (fs::exists(path, unknown) && !resumed) {
        return Refusal{1, fmt::format("{} is there already: --resume goes on from it; else remove "
                                      "it, or give --checkpoint another name",
                                      path)};
    }
    if (const auto can = canBeWritten(path); !can) return Refusal{1, can.reason()};
    return path;
}

void finishCheckpoint(const std::string& path, bool complete, const std::string& problem) {
    std::error_code unknown;
    if (path.empty()) return;
    if (!problem.empty()) complain(problem);
    if (complete)
        fs::remove(path, unknown);
    else if (fs::exists(path, unknown))
        complain(fmt::format("--resume {} goes on from here", path));
}

json aboutDevices(const std::vector<const Renderer*>& renderers) {
    json about = {
        {"version", versionText()}, {"cores", allowedCores()}, {"gpu", ""}, {"on_cpu", false}};
    std::string names;
    for (const Renderer* renderer : renderers) {
        if (renderer == nullptr) continue;
        const DeviceInfo device = renderer->device();
        names += (names.empty() ? "" : " and ") + device.name + " (" + device.detail + ")";
        if (device.pciBusId.empty())
            about["on_cpu"] = true;
        else
            about["gpu"] = device.pciBusId;
    }
    about["devices"] = names;
    return about;
}

json withWork(json about, const json& what) {
    json same = json::object();
    for (const char* key : {"size", "spp", "frames", "keys", "ladder", "rungs"})
        same[key] = what.value(key, json());
    const json state = what.value("state", json::object());
    for (const char* key : {"scene", "camera"}) same[key] = state.value(key, json());
    same["sources"] = sourceDigests();
    constexpr auto kReplace = json::error_handler_t::replace;  // file names may not be UTF-8
    about["work"] = fmt::format("{:016x}", fnv1a(same.dump(-1, ' ', false, kReplace)));
    return about;
}

json whatOf(const Study& study, const StudyWish& wish, const State& state) {
    std::string names;
    for (const StudyItem& item : study.items) names += item.name + "\n";
    return {{"title", study.title},
            {"items", fmt::format("{:016x}", fnv1a(names))},
            {"state", toJson(state)},
            {"size", {wish.width, wish.height}}};
}

std::variant<Sharing, Refusal> shareWork(Purpose purpose, const KeepOptions& keep,
                                         const std::string& output, const std::string& kind,
                                         const json& about, json what) {
    Sharing sharing;
    auto file = checkpointFor(keep, output, kind);
    if (Refusal* refusal = std::get_if<Refusal>(&file)) return *refusal;
    sharing.checkpoint = std::get<std::string>(std::move(file));
    const bool measures = purpose == Purpose::measure;
    const auto all = [](std::vector<Member>&) {};
    const json mine = withWork(about, what);
    const auto mustered =
        measures ? team().muster(mine, chooseEqual, goOn) : team().muster(mine, all, goOn);
    if (!mustered) return Refusal{1, mustered.reason()};
    if (!team().leads()) {
        sharing.role = *mustered ? Sharing::Role::help : Sharing::Role::nothing;
        return sharing;
    }
    if (team().alone() && sharing.checkpoint.empty()) return sharing;
    if (measures) what["devices"] = about["devices"];
    if (json sources = sourceDigests(); !sources.empty()) what["sources"] = std::move(sources);
    sharing.helpers = std::make_unique<TeamHelpers>(
        team(),
        TeamHelpers::Wish{kind, std::move(what), sharing.checkpoint, keep.every, measures ? 1 : 2});
    if (keep.resume.empty()) return sharing;
    const auto resumed = sharing.helpers->resume(keep.resume);
    if (!resumed) return Refusal{1, resumed.reason()};
    return sharing;
}

int finishSharing(const Sharing& sharing, int code) {
    if (!sharing.helpers) return code;
    const std::string problem = code == 0 ? std::string() : sharing.helpers->save();
    finishCheckpoint(sharing.checkpoint, code == 0, problem);
    return code;
}

int helpWithStudy(Machine& machine, const std::vector<SharedScene>& scenes, const StudyWish& wish) {
    std::string problem;
    const auto work = [&](const std::string& text) -> std::optional<std::string> {
        const auto errand = errandFrom(text, scenes);
        if (!errand) return {};
        Study study;
        study.scenes = scenes;
        StudyItem& item = study.items.emplace_back();
        item.a = errand->a;
        item.b = errand->b;
        item.scene = errand->scene;
        StudyWish mine = wish;
        mine.seconds = errand->seconds;
        mine.work = errand->work;
        StudyJob job(machine, std::move(study), mine);
        if (!playWhile(job, helping)) return {};
        problem = lostDevice(machine);  // rank 0 gives the item to another
        if (!problem.empty()) return {};
        return bytesOf(job.study().items.front());
    };
    serveErrands(team(), work, goOn);
    return problem.empty() ? 0 : refuse({1, problem});
}

}  // namespace rayscope
