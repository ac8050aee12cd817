#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.h"
#include "app/progress.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/film/image_files.h"
#include "renderer/film/rows.h"
#include "renderer/lab/report.h"
#include "renderer/lab/trial.h"
#include "renderer/machine/conditions.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// The samples per pixel of an interrupted picture, in which only some pixels have those of the
/// pass under way.
struct PixelSamples {
    int least = 0, most = 0;
    double mean = 0;
    long long without = 0;  ///< pixels that have none
};

/// Of a picture that a screenshot asks for, as --size and --spp have them.
constexpr int kMostSide = 16384, kMostSamples = 1000000;

struct Rendering {
    OffscreenFilm memory;
    Film film;         ///< its film, in host memory
    ImageFacts facts;  ///< of the film
    std::optional<PixelSamples> interrupted;
    FrameStats stats;
    double wallMs = 0;   ///< as Settings::context says
    double totalMs = 0;  ///< from before the device was opened until the picture is in host memory
    KernelInfo kernel;
    ConditionsSummary conditions;
};

PixelSamples samplesOf(const Film& film) {
    PixelSamples all{INT_MAX, 0};
    std::mutex mutex;
    forRows(film.width, film.height, [&](int begin, int end) {
        PixelSamples part{INT_MAX, 0};
        const std::ptrdiff_t width = film.width;
        for (const Pixel* p = film.pixels + width * begin; p != film.pixels + width * end; ++p) {
            const int samples = static_cast<int>(p->samples);
            part.least = std::min(part.least, samples);
            part.most = std::max(part.most, samples);
            part.mean += samples;
            part.without += samples == 0;
        }
        const std::lock_guard lock(mutex);
        all.least = std::min(all.least, part.least);
        all.most = std::max(all.most, part.most);
        all.mean += part.mean;
        all.without += part.without;
    });
    all.mean /= 1. * film.width * film.height;
    return all;
}

/// Renders until the film has its samples or Ctrl-C is pressed.
Result<void> renderFilm(const Request& request, Session& session, Rendering& result) {
    const State& state = request.state;
    // no sensors if the clock is already running
    const bool quiet = state.settings.context == Context::inside;
    ConditionsWatch watch(quiet ? Sensors{}
                                : sensorsOf(state.settings.backend, request.renderer->device()));
    FilmRun run(*request.renderer, session, state.settings, state.camera, request.spp);
    const Clock::time_point start = Clock::now();
    play(run, "Rendering " + state.scene->name, [&] {
        watch.look();
        return std::string();
    });
    result.wallMs = millisecondsSince(start);
    result.stats = run.stats();
    result.kernel = run.kernel();
    result.conditions = watch.summary();
    if (!run.problem().empty()) return Failure{run.problem()};
    return {};
}

Result<void> render(const Request& request, Rendering& result) {
    OffscreenFilm& memory = result.memory;
    Result<void> done = memory.allocate(*request.renderer, request.state.settings.backend,
                                        request.width, request.height);
    if (done) done = renderFilm(request, memory.session(), result);
    if (!done) return done;
    result.film = memory.fetched();
    result.totalMs = millisecondsSince(request.opened);
    if (request.state.settings.context == Context::inside) result.wallMs = result.totalMs;
    if (!memory.session().done()) result.interrupted = samplesOf(result.film);
    return {};
}

nlohmann::json reportOf(const Request& request, const Rendering& r) {
    const Rays& rays = r.stats.rays;
    const glm::dvec3& mean = r.facts.mean;
    const Settings& settings = request.state.settings;
    nlohmann::json json = reportHead("render", request.renderer->device(), !r.interrupted,
                                     request.width, request.height);
    json.update({{"scene", request.state.scene->name},
                 {"camera", toJson(request.state.camera)},
                 {"backend", valueOf(*findAxis("backend"), settings)},
                 {"settings", toJson(settings)},
                 {"spp", r.interrupted ? r.interrupted->least : request.spp},
                 {"seed", settings.seed},
                 {"rays",
                  {{"camera", rays.camera},
                   {"bounce", rays.bounce},
                   {"shadow", rays.shadow},
                   {"total", rays.total()}}},
                 {"kernel_ms", r.stats.kernelMs},
                 {"wall_ms", r.wallMs},
                 {"total_ms", r.totalMs},
                 {"rays_per_second", 1e3 * static_cast<double>(rays.total()) / r.stats.kernelMs},
                 {"mean_radiance", {mean.x, mean.y, mean.z}},
                 {"image_hash", r.facts.hash}});
    if (const auto& samples = r.interrupted) {
        json["interrupted"] = {{"spp_asked", request.spp},
                               {"spp_mean", samples->mean},
                               {"spp_most", samples->most},
                               {"pixels_without_samples", samples->without}};
    }
    if (r.conditions.samples > 0) json["conditions"] = toJson(r.conditions);
    if (r.stats.buildMs >= 0) json["build_ms"] = r.stats.buildMs;
    const double contextMs = request.renderer->device().contextMs;
    if (contextMs >= 0) json["context_ms"] = contextMs;
    if (r.kernel.registers >= 0) {
        json["kernel"] = {{"registers", r.kernel.registers},
                          {"local_bytes", r.kernel.localBytes},
                          {"spill_bytes", r.kernel.spillBytes},
                          {"occupancy", r.kernel.occupancy}};
        for (const StageInfo& stage : r.kernel.stages) {
            json["kernel"]["stages"][stage.name] = {{"registers", stage.registers},
                                                    {"spill_bytes", stage.spillBytes}};
        }
    }
    return json;
}

/// A screenshot is rendered as large and as often as it says, unless options say otherwise.
void takeShot(const Options& options, Request& request) {
    const auto text = readPngState(options.file);
    if (!text || !options.scene.empty()) return;
    const nlohmann::json state = nlohmann::json::parse(*text, nullptr, false);
    const auto number = [&](const char* pointer, int most) {
        const nlohmann::json::json_pointer place(pointer);
        const bool there = state.contains(place) && state[place].is_number_integer();
        const auto value = there ? state[place].get<long long>() : 0;
        return value <= most ? static_cast<int>(value) : 0;
    };
    const int width = number("/info/size/0", kMostSide), height = number("/info/size/1", kMostSide);
    if (options.size.empty() && width > 0 && height > 0) {
        request.width = width;
        request.height = height;
    }
    for (const char* key : {"/info/interrupted/spp_asked", "/info/spp", "/info/samples"}) {
        const int samples = number(key, kMostSamples);
        if (options.spp > 0 || samples <= 0) continue;
        request.spp = samples;
        break;
    }
}

/// "256", or "3 to 4 of 256"
std::string samplesText(const Request& request, const Rendering& r) {
    if (!r.interrupted) return std::to_string(request.spp);
    const int least = r.interrupted->least, most = r.interrupted->most;
    const std::string range =
        least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
    return fmt::format("{} of {}", range, request.spp);
}

std::string interruption(const Request& request, const Rendering& r) {
    std::string sentence =
        fmt::format("interrupted: the pixels have {} samples", samplesText(request, r));
    if (const long long without = r.interrupted->without; without > 0)
        sentence += fmt::format("; {} have none and are black", without);
    return sentence;
}

void printTable(const Request& request, const Rendering& r) {
    const State& state = request.state;
    const Rays& rays = r.stats.rays;
    const double total = static_cast<double>(rays.total());
    const glm::dvec3& mean = r.facts.mean;
    say("{}  {}x{}  {} samples a pixel  seed {}\n", state.scene->name, request.width,
        request.height, samplesText(request, r), state.settings.seed);
    say("{}  ({})\n", request.renderer->device().name, request.renderer->device().detail);
    say("{}\n\n", describe(state.settings));
    say("{:<8} {:>16} {:>8} {:>14}\n", "rays", "count", "share", "M rays/s");
    const auto row = [&](const char* name, std::uint64_t count) {
        const double n = static_cast<double>(count);
        say("{:<8} {:>16} {:>6.1f} % {:>14.2f}\n", name, count, 100 * n / total,
            n / r.stats.kernelMs / 1e3);
    };
    row("camera", rays.camera);
    row("bounce", rays.bounce);
    row("shadow", rays.shadow);
    row("total", rays.total());
    say("\n{:.4f} rays a sample, kernel {:.1f} ms, wall {:.1f} ms, ",
        total / static_cast<double>(rays.camera), r.stats.kernelMs, r.wallMs);
    say("mean radiance {:.5f} {:.5f} {:.5f}\n", mean.x, mean.y, mean.z);
    if (r.stats.buildMs >= 0) say("hierarchy built in {:.3f} ms\n", r.stats.buildMs);
    if (r.kernel.registers >= 0) {
        say("{} registers, {} bytes local, {} bytes spilled, occupancy {:.0f} %\n",
            r.kernel.registers, r.kernel.localBytes, r.kernel.spillBytes, 100 * r.kernel.occupancy);
    }
}

/// Sets `report`, and writes the picture if it has a name. Its mean and its hash, which cannot be
/// shared out among cores, are computed beside that.
Result<void> writePicture(const std::string& out, const Request& request, Rendering& result,
                          nlohmann::json& report) {
    auto facts = std::async(std::launch::async | std::launch::deferred,
                            [&film = result.film] { return factsOf(film); });
    const auto complete = [&] {
        if (!facts.valid()) return;
        result.facts = facts.get();
        report = reportOf(request, result);
    };
    Result<void> written;
    if (!out.empty()) {
        const DisplayTransform& display = request.state.scene->display;
        written = writeImage(out, result.film, display, request.state.view, [&] {
            complete();
            nlohmann::json state = toJson(withPatches(request.state));
            state["info"] = report;
            return state.dump();
        });
    }
    complete();
    return written;
}

}  // namespace

int runRender(const RenderOptions& options) {
    std::string out = options.out;
    if (out.empty() && options.json.empty()) out = "rayscope.png";
    if (!out.empty()) {
        if (const auto known = checkImageName(out); !known) return refuse({2, known.reason()});
        if (const auto can = canBeWritten(out); !can) return refuse({1, can.reason()});
    }
    std::variant<Request, Refusal> made = makeRequest(options.common);
    if (Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    takeShot(options.common, request);

    Rendering result;
    if (const auto rendered = render(request, result); !rendered)
        return refuse({1, rendered.reason()});
    if (result.interrupted && result.interrupted->most == 0)
        return refuse({1, "interrupted before there was a sample to write"});
    nlohmann::json report;
    const auto written = writePicture(out, request, result, report);
    if (options.json != "-") printTable(request, result);
    int code = 0;
    if (!written)
        code = refuse({1, written.reason()});
    else if (!out.empty() && options.json != "-")
        say("wrote {}\n", out);
    if (const auto done = writeJson(options.json, report); !done) code = refuse({1, done.reason()});
    if (result.interrupted) return refuse({1, interruption(request, result)});
    return code;
}

}  // namespace rayscope
