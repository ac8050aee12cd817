#include "renderer/devices/group_part.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "renderer/film/chunk_size.h"

namespace rayscope {

namespace {

/// The speed is that of about so much kernel time.
constexpr double kSpeedMs = 2000;
/// Until a device that has enough to do is looked after again.
constexpr std::chrono::microseconds kLookAgain{200};
/// Rounds of samples until a device that was too slow for them is tried again.
constexpr int kPatience = 4, kMostPatience = 1 << 16;
constexpr double kOldShare = .1;

int countOf(const std::vector<SampleRange>& ranges) {
    int count = 0;
    for (const SampleRange& range : ranges) count += range.count;
    return count;
}

}  // namespace

void SampleQueue::begin(int first) {
    next_ = first;
    left_ = 0;
    returned_.clear();
}

SampleRange SampleQueue::take(int count) {
    const std::lock_guard lock(mutex_);
    count = std::min(count, left_);
    if (count <= 0) return {};
    SampleRange range{next_, count};
    if (!returned_.empty()) {
        SampleRange& back = returned_.back();
        range = {back.first, std::min(count, back.count)};
        back = {range.end(), back.count - range.count};
        if (back.count == 0) returned_.pop_back();
    }
    left_ -= range.count;
    next_ = std::max(next_, range.end());
    return range;
}

void SampleQueue::putBack(const SampleRange& range) {
    const std::lock_guard lock(mutex_);
    if (range.count > 0) returned_.push_back(range);
}

GroupPart::GroupPart(Renderer& renderer, const Film& film, std::unique_ptr<PartFilm> memory)
    : film_(film), memory_(std::move(memory)), session_(renderer.open(film_)) {}

Result<void> GroupPart::begin(const Film& film, bool keep) {
    film_ = {film.width, film.height, film.pixels};
    if (memory_) {
        if (sent()) memory_->drop();
        if (const auto begun = memory_->begin(film.width, film.height); !begun) return begun;
        film_.pixels = memory_->pixels();
    }
    if (!keep) session_->clear();
    chunk_ = {};
    whole_.clear();
    sent_.clear();
    done_ = {};
    return {};
}

void GroupPart::work(SampleQueue& queue, const PartTask& task) {
    progressed_ = false;
    taken_ = 0;
    if (!problem_.empty()) return;
    try {
        learn(task.settings);
        sendWaiting();
        render(queue, task);
    } catch (const std::exception& error) {
        problem_ = error.what();
        if (problem_.empty()) problem_ = "it has failed";
    }
}

void GroupPart::render(SampleQueue& queue, const PartTask& task) {
    const Clock::time_point start = Clock::now();
    double left = task.budgetMs;
    bool again = true;
    while (again) {
        if (chunk_.count == 0 && !takeChunk(queue, task)) return;
        const int samples = film_.samples, cursor = session_->pass().cursor;
        asked_ = true;
        take(session_->advance(task.settings, task.camera, left));
        const bool moved = film_.samples != samples || session_->pass().cursor != cursor;
        launched_ += film_.samples - samples;
        progressed_ |= moved;
        const bool ended = session_->done();
        if (ended) endChunk();
        left = task.budgetMs - millisecondsSince(start);
        const bool fills = task.settings.launches == kAsManyAsFit;
        again = left > 0 && (task.untilEnd || (fills && (ended || task.patient))) &&
                (moved || task.patient) && session_->kernel().ready;
        if (again && !moved) std::this_thread::sleep_for(kLookAgain);
    }
}

/// A speed is of settings and a size.
void GroupPart::learn(const Settings& settings) {
    Settings now = settings;
    now.launches = now.samples = 0;
    const long pixels = 1l * film_.width * film_.height;
    if (std::exchange(measured_, now) == now && std::exchange(pixels_, pixels) == pixels) return;
    pixels_ = pixels;
    kernelMs_ = launched_ = 0;
    last_ = passedOver_ = 0;
    patience_ = kPatience;
}

bool GroupPart::takeChunk(SampleQueue& queue, const PartTask& task) {
    const int most = task.most - taken_;
    if (task.share < 1 || most < 1) return false;
    chunk_ = queue.take(std::min(
        most, samplesOfChunk({task.share, msPerSample(), task.longestMs, last_, task.pass})));
    taken_ += chunk_.count;
    if (chunk_.count == 0) return false;
    last_ = chunk_.count;
    session_->skip(chunk_.first - film_.samples);
    session_->setTarget(film_.samples + chunk_.count);
    return true;
}

void GroupPart::endChunk() {
    done_.samples += chunk_.count;
    if (memory_) whole_.push_back(chunk_);
    chunk_ = {};
    sendWaiting();
}

void GroupPart::sendWaiting() {
    // only whole chunks are in the film between two of them
    if (whole_.empty() || chunk_.count > 0 || sent()) return;
    memory_->send();
    film_.pixels = memory_->pixels();
    session_->emptied();
    sent_ = std::exchange(whole_, {});
}

bool GroupPart::arrived(bool wait) {
    try {
        if (wait) memory_->wait();
        return wait || memory_->arrived();
    } catch (const std::exception& error) {
        problem_ = error.what();
        return false;
    }
}

int GroupPart::added() {
    return countOf(std::exchange(sent_, {}));
}

int GroupPart::outstanding() const {
    const int underWay = chunk_.count > 0 ? session_->target() - film_.samples : 0;
    if (!memory_) return underWay;
    return chunk_.count + countOf(whole_) + countOf(sent_);
}

void GroupPart::finish() {
    if (!problem_.empty()) return;
    try {
        take(session_->finish());
        sendWaiting();
    } catch (const std::exception& error) {
        problem_ = error.what();
    }
}

bool GroupPart::abandon() {
    const bool some = session_->pass().cursor > 0;
    session_->abandonPass();
    if (chunk_.count == 0) return false;
    const int left = session_->target() - film_.samples;
    chunk_.count -= left;
    if (chunk_.count > 0) endChunk();
    chunk_ = {};
    session_->setTarget(film_.samples);
    return some;
}

void GroupPart::giveUp(SampleQueue& queue) {
    for (const auto* ranges : {&sent_, &whole_})
        for (const SampleRange& range : *ranges) queue.putBack(range);
    queue.putBack(chunk_);
    done_.samples -= countOf(sent_) + countOf(whole_);
    sent_.clear();
    whole_.clear();
    chunk_ = {};
}

void GroupPart::take(const FrameStats& stats) {
    stats_ += stats;
    done_.rays += stats.rays.total();
    done_.kernelMs += stats.kernelMs;
    kernelMs_ += stats.kernelMs;
    if (kernelMs_ < kSpeedMs) return;
    kernelMs_ /= 2;
    launched_ /= 2;
}

bool GroupPart::triedAgain() {
    if (++passedOver_ < patience_) return false;
    passedOver_ = 0;
    kernelMs_ *= kOldShare;  // what is seen now counts for more
    launched_ *= kOldShare;
    patience_ = std::min(2 * patience_, kMostPatience);
    return true;
}

double GroupPart::msPerSample() const {
    return launched_ > 0 ? kernelMs_ / launched_ : 0;
}

FrameStats GroupPart::takeStats() {
    return std::exchange(stats_, {});
}

DeviceWork GroupPart::done() const {
    DeviceWork work = done_;
    if (memory_) work.way = memory_->way();
    work.problem = problem_;
    return work;
}

}  // namespace rayscope
