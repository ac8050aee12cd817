#include "app/rendering.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <mutex>

#include "app/progress.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/film/rows.h"

namespace rayscope {

namespace {

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
Result<void> renderFilm(const Request& request, Rendering& result) {
    const State& state = request.state;
    // no sensors if the clock is already running
    const bool quiet = state.settings.context == Context::inside;
    ConditionsWatch watch(quiet ? Sensors{}
                                : sensorsOf(state.settings.backend, request.renderer->device()));
    FilmRun run(*request.renderer, result.memory, state.settings, state.camera, request.spp);
    const Clock::time_point start = Clock::now();
    play(run, "Rendering " + state.scene->name, [&] {
        watch.look();
        return std::string();
    });
    result.wallMs = millisecondsSince(start);
    result.stats = run.stats();
    result.kernel = run.kernel();
    result.work = result.memory.session().work();
    result.conditions = watch.summary();
    if (!run.problem().empty()) return Failure{run.problem()};
    return {};
}

}  // namespace

void tellOfLost(const Renderer& renderer) {
    if (const std::string lost = renderer.lost(); !lost.empty())
        complain(fmt::format("{}. The others have gone on without it", lost));
}

Result<void> render(const Request& request, Rendering& result) {
    OffscreenFilm& memory = result.memory;
    Result<void> done = memory.allocate(*request.renderer, request.state.settings.backend,
                                        request.width, request.height);
    if (done) done = renderFilm(request, result);
    if (!done) return done;
    result.film = memory.fetched();
    result.totalMs = millisecondsSince(request.opened);
    if (request.state.settings.context == Context::inside) result.wallMs = result.totalMs;
    if (!memory.session().done()) result.interrupted = samplesOf(result.film);
    return {};
}

/// Without those pixels that have a sample more: all are alike.
PixelSamples samplesOf(const FilmCheckpoint& film) {
    const int samples = film.done.count();
    const long long pixels = 1ll * film.width * film.height;
    return {samples, samples, 1. * samples, samples == 0 ? pixels : 0};
}

std::optional<Refusal> takeCheckpoint(const std::string& path, const Options& options,
                                      Request& request) {
    const auto film = readFilmCheckpointHead(path);
    if (!film) return Refusal{1, film.reason()};
    if (!options.size.empty() && (request.width != film->width || request.height != film->height)) {
        return Refusal{2, fmt::format("--size {} is not that of {}, {}x{}", options.size, path,
                                      film->width, film->height)};
    }
    request.width = film->width;
    request.height = film->height;
    if (options.spp == 0) request.spp = film->spp;
    if (!resetsFilm(film->state.settings, request.state.settings)) return {};
    const std::string changed = difference(film->state.settings, request.state.settings);
    return Refusal{2, fmt::format("{} is of another picture, without {}", path,
                                  changed.empty() ? "this --seed" : changed)};
}

std::variant<FilmTeamWish, Refusal> filmWish(const Request& request, const KeepOptions& keep,
                                             const std::string& checkpoint) {
    FilmTeamWish wish;
    wish.checkpoint = checkpoint;
    wish.every = keep.every;
    if (!keep.resume.empty() && team().leads()) {
        auto film = readFilmCheckpoint(keep.resume);
        if (!film) return Refusal{1, film.reason()};
        wish.film = *std::move(film);
    }
    FilmCheckpoint& film = wish.film;
    film.state = request.state;
    film.width = request.width;
    film.height = request.height;
    film.spp = request.spp;
    if (film.done.next() <= film.spp) return wish;
    return Refusal{2, fmt::format("--spp {}: {} has sample {} already", film.spp, keep.resume,
                                  film.done.next())};
}

void renderShared(const Request& request, FilmTeamWish wish, Rendering& result) {
    const Backend backend = request.state.settings.backend;
    ConditionsWatch watch(sensorsOf(backend, request.renderer->device()));
    FilmLead lead(team(), *request.renderer, std::move(wish));
    const Clock::time_point start = Clock::now();
    play(lead, "Rendering " + request.state.scene->name, [&] {
        watch.look();
        return std::string();
    });
    result.wallMs = millisecondsSince(start);
    result.totalMs = millisecondsSince(request.opened);
    result.stats = lead.stats();
    result.kernel = lead.kernel();
    result.work = lead.work();
    result.conditions = watch.summary();
    result.sumMs = lead.sumMs();
    FilmCheckpoint& film = result.shared = std::move(lead.film());
    if (film.done.count() < film.spp) result.interrupted = samplesOf(film);
    result.sharedPixels = rounded(film.pixels);
    result.film = {film.width, film.height, result.sharedPixels.data(), film.done.count()};
    for (std::size_t rank = 0; !team().alone() && rank < team().members().size(); ++rank) {
        const nlohmann::json& about = team().members()[rank].about;
        result.ranks.push_back(
            {about.value("host", ""), about.value("devices", ""), lead.ranks()[rank]});
    }
    if (!lead.checkpointProblem().empty()) complain(lead.checkpointProblem());
    result.problem = lead.problem();
}

}  // namespace rayscope
