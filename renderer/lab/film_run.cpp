#include "renderer/lab/film_run.h"

#include "renderer/base/timeline.h"
#include "renderer/lab/trial.h"

namespace rayscope {

FilmRun::FilmRun(Renderer& renderer, Session& session, const Settings& settings,
                 const Camera& camera, int samples)
    : renderer_(renderer),
      session_(session),
      settings_(settings),
      camera_(camera),
      samples_(samples) {
    problem_ = renderer.unsupported(settings);
}

bool FilmRun::step(double budgetMs) {
    const Clock::time_point start = Clock::now();
    if (!problem_.empty()) return true;
    session_.finish();  // what others have launched is not ours to count
    do {
        if (!begun_) {
            session_.clear();
            session_.setTarget(samples_);
            stats_ = {};
        }
        const int samples = session_.film().samples, cursor = session_.pass().cursor;
        const double left = budgetMs - millisecondsSince(start);
        const Zone zone("advance");
        stats_ += session_.advance(settings_, camera_, left);
        kernel_ = session_.kernel();
        begun_ = kernel_.ready;  // else another kernel has rendered
        if (!begun_ || (session_.film().samples == samples && session_.pass().cursor == cursor))
            problem_ = kernelProblem(renderer_, kernel_, settings_);
    } while (problem_.empty() && !(begun_ && session_.done()) &&
             millisecondsSince(start) < budgetMs);
    stats_ += session_.finish();
    recordRate(stats_.rays.total(), stats_.kernelMs);
    return !problem_.empty() || (begun_ && session_.done());
}

double FilmRun::share() const {
    if (!begun_ || samples_ <= 0) return 0;
    const double pass = session_.pass().cursor > 0 ? .5 * session_.pass().samples : 0;
    return (session_.film().samples + pass) / samples_;
}

}  // namespace rayscope
