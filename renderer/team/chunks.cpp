#include "renderer/team/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "renderer/film/rows.h"

namespace rayscope {

std::string Portion::text() const {
    std::string text =
        fmt::format("{} {} {} {} {} {}", stats.rays.camera, stats.rays.bounce, stats.rays.shadow,
                    stats.kernelMs, stats.processorMs, stats.buildMs);
    for (const SampleRange& range : ranges) text += fmt::format(" {} {}", range.first, range.count);
    return text;
}

void Portion::addText(const std::string& text) {
    std::istringstream words(text);
    FrameStats more;
    words >> more.rays.camera >> more.rays.bounce >> more.rays.shadow >> more.kernelMs >>
        more.processorMs >> more.buildMs;
    stats += more;
    for (SampleRange range; words >> range.first >> range.count;) ranges.push_back(range);
}

Chunks::Chunks(Renderer& renderer, const Settings& settings, const Camera& camera, int width,
               int height)
    : renderer_(renderer), settings_(settings), camera_(camera) {
    problem_ = renderer.unsupported(settings);
    if (problem_.empty())
        problem_ = film_.allocate(renderer, settings.backend, width, height).reason();
    whole_.pixels.resize(std::size_t{1} * width * height);  // sums are of these, whatever happens
}

std::optional<Chunks::Rendered> Chunks::step(double budgetMs) {
    if (!problem_.empty()) return {};
    try {
        return render(budgetMs);
    } catch (const std::exception& error) {
        problem_ = error.what();
        drop();
        return {};
    }
}

std::optional<Chunks::Rendered> Chunks::render(double budgetMs) {
    if (!run_) {
        if (waiting_.empty()) return {};
        chunk_ = waiting_.front();
        waiting_.pop_front();
        began_ = Clock::now();
        run_ = std::make_unique<FilmRun>(renderer_, film_, settings_, camera_, chunk_.count,
                                         chunk_.first);
    }
    if (!run_->step(budgetMs)) return {};
    problem_ = run_->problem();
    kernel_ = run_->kernel();
    whole_.stats += run_->stats();
    work_ += film_.session().work();
    run_.reset();
    if (!problem_.empty()) return {};
    const Film film = film_.fetched();
    addPixels(whole_.pixels, film.pixels);
    whole_.ranges.push_back(chunk_);
    return Rendered{chunk_, millisecondsSince(began_)};
}

double Chunks::underWay() const {
    return run_ ? run_->share() * chunk_.count : 0;
}

void Chunks::drop() {
    run_.reset();
    waiting_.clear();
}

Portion Chunks::take() {
    Portion taken;
    taken.pixels.resize(whole_.pixels.size());
    std::swap(taken, whole_);
    return taken;
}

}  // namespace rayscope
