#include "renderer/lab/film_run.h"

#include "renderer/base/timeline.h"
#include "renderer/lab/trial.h"

namespace rayscope {

FilmRun::FilmRun(Renderer& renderer, Film& film, const Settings& settings, const Camera& camera,
                 int samples)
    : renderer_(renderer), film_(film), settings_(settings), camera_(camera), samples_(samples) {
    problem_ = renderer.unsupported(settings);
}

bool FilmRun::step(double budgetMs) {
    const Clock::time_point start = Clock::now();
    if (!problem_.empty()) return true;
    renderer_.finish();  // what others have launched is not ours to count
    do {
        if (!begun_) {
            renderer_.clear(film_);
            film_.target = samples_;
            stats_ = {};
        }
        const int samples = film_.samples, cursor = film_.cursor;
        const double left = budgetMs - millisecondsSince(start);
        const Zone zone("advance");
        stats_ += renderer_.advance(settings_, camera_, film_, left);
        kernel_ = renderer_.kernel();
        begun_ = kernel_.ready;  // else another kernel has rendered
        if (!begun_ || (film_.samples == samples && film_.cursor == cursor))
            problem_ = kernelProblem(renderer_, settings_);
    } while (problem_.empty() && !(begun_ && film_.done()) && millisecondsSince(start) < budgetMs);
    stats_ += renderer_.finish();
    recordRate(stats_.rays.total(), stats_.kernelMs);
    return !problem_.empty() || (begun_ && film_.done());
}

double FilmRun::share() const {
    if (!begun_ || samples_ <= 0) return 0;
    const double pass = film_.cursor > 0 ? .5 * film_.passSamples : 0;
    return (film_.samples + pass) / samples_;
}

}  // namespace rayscope
