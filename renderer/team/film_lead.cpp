#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <thread>

#include "renderer/film/chunk_size.h"
#include "renderer/film/rows.h"
#include "renderer/team/film_team.h"

namespace rayscope {

namespace {

/// Of a chunk. So much is lost when a rank stops; and to add it to the film, which takes some
/// milliseconds, is a small part of it.
constexpr double kChunkMs = 1000;
/// Chunks that a rank has in hand: one to work on, and one while rank 0 does not listen.
constexpr int kInHand = 2;
/// Of a step of rank 0, which does not listen meanwhile.
constexpr double kLeadStepMs = 25;
/// After SIGTERM mpirun waits for a second. What is not there after the first of these is lost...
constexpr std::chrono::milliseconds kSumPatience{350}, kRescuePatience{250};
constexpr std::chrono::microseconds kLeadWait{50};

nlohmann::json spentOn(const FrameStats& stats) {
    return {{"camera", stats.rays.camera},
            {"bounce", stats.rays.bounce},
            {"shadow", stats.rays.shadow},
            {"kernel_ms", stats.kernelMs}};
}

/// What is missing, or no number, is 0.
FrameStats statsFrom(const nlohmann::json& spent) {
    FrameStats stats;
    const auto read = [&](const char* key, auto& value) {
        if (spent.is_object() && spent.contains(key) && spent[key].is_number())
            value = spent[key].get<std::remove_reference_t<decltype(value)>>();
    };
    read("camera", stats.rays.camera);
    read("bounce", stats.rays.bounce);
    read("shadow", stats.rays.shadow);
    read("kernel_ms", stats.kernelMs);
    return stats;
}

}  // namespace

FilmLead::FilmLead(Team& team, Renderer& renderer, FilmTeamWish wish)
    : team_(team),
      wish_(std::move(wish)),
      chunks_(renderer, wish_.film.state.settings, wish_.film.state.camera, wish_.film.width,
              wish_.film.height),
      hands_(static_cast<std::size_t>(team.size())),
      ranks_(hands_.size()) {
    problem_ = chunks_.problem();
    FilmCheckpoint& film = wish_.film;
    before_ = statsFrom(film.spent);
    const std::vector<SampleRange> missing = film.done.missing(film.spp);
    queue_.assign(missing.begin(), missing.end());
    if (film.pixels.empty()) film.pixels.resize(std::size_t{1} * film.width * film.height);
}

bool FilmLead::step(double budgetMs) {
    const Clock::time_point start = Clock::now();
    do {
        readLetters();
        if (stopped_ || !problem_.empty()) cancel();
        if (stopped_ || complete()) break;
        giveChunks();
        const bool due = !wish_.checkpoint.empty() && millisecondsSince(saved_) > 1e3 * wish_.every;
        if (!adding_ && (due || handedOut())) beginSum();
        const auto rendered = chunks_.step(std::min(budgetMs, kLeadStepMs));
        if (rendered) hearOf(0, rendered->chunk, rendered->ms);
        if (!chunks_.problem().empty()) sitOut(0, chunks_.problem());
        if (adding_ && sumEnded()) save(false);
        if (chunks_.inHand() == 0) std::this_thread::sleep_for(kLeadWait);
    } while (millisecondsSince(start) < budgetMs);
    return stopped_ || complete();
}

/// Of several ranks, times are their means.
FrameStats FilmLead::stats() const {
    FrameStats sum;
    double active = 0;
    for (const RankWork& rank : ranks_) {
        sum += rank.stats;
        active += rank.samples > 0;
    }
    sum.kernelMs /= std::max(active, 1.);
    sum.processorMs /= std::max(active, 1.);
    sum += before_;
    return sum;
}

std::string FilmLead::checkpointProblem() {
    if (file_.valid()) fileProblem_ = file_.get();
    return fileProblem_;
}

double FilmLead::share() const {
    double samples = wish_.film.done.count() + chunks_.underWay();
    for (const Hand& hand : hands_) {
        for (const SampleRange& chunk : hand.chunks) samples += chunk.count;
        samples -= hand.waiting * hand.last;
    }
    return std::clamp(samples / wish_.film.spp, 0., .999);
}

void FilmLead::readLetters() {
    while (const auto letter = team_.receive()) {
        std::istringstream words(letter->text);
        SampleRange chunk;
        double ms = 0;
        switch (letter->word) {
            case Word::rendered:
                words >> chunk.first >> chunk.count >> ms;
                hearOf(letter->from, chunk, ms);
                break;
            case Word::portion:
                addPortion(letter->from, letter->text);
                break;
            case Word::broken:
                sitOut(letter->from, letter->text);
                break;
            case Word::stopped:
                stopped_ = true;
                break;
            default:
                break;
        }
    }
    const std::vector<Member>& members = team_.members();
    const auto gone = std::find_if(members.begin(), members.end(),
                                   [](const Member& member) { return member.gone; });
    if (gone != members.end() && problem_.empty())
        problem_ =
            fmt::format("rank {} has ended before the picture was done", gone - members.begin());
}

/// A rank has rendered a chunk.
void FilmLead::hearOf(int rank, SampleRange chunk, double ms) {
    Hand& hand = hands_[static_cast<std::size_t>(rank)];
    --hand.waiting;
    hand.msPerSample = ms / chunk.count;
}

bool FilmLead::handedOut() const {
    return queue_.empty() && std::all_of(hands_.begin(), hands_.end(),
                                         [](const Hand& hand) { return hand.waiting == 0; });
}

std::optional<SampleRange> FilmLead::chunkFor(const Hand& hand) {
    if (queue_.empty()) return {};
    SampleRange& front = queue_.front();
    double left = 0, active = 0;
    for (const SampleRange& range : queue_) left += range.count;
    for (const RankWork& rank : ranks_) active += rank.problem.empty();
    const double share = active > 1 ? kPartOfShare * left / active : left;
    int count = samplesOfChunk(
        {share, hand.msPerSample, kChunkMs, hand.last, wish_.film.state.settings.samples});
    count = std::min(count, front.count);
    const SampleRange chunk{front.first, count};
    front = {chunk.end(), front.count - count};
    if (front.count == 0) queue_.pop_front();
    return chunk;
}

void FilmLead::giveChunks() {
    for (int turn = 0; turn < kInHand; ++turn) {  // everybody has one before anybody has two
        for (std::size_t rank = 0; rank < hands_.size(); ++rank) {
            Hand& hand = hands_[rank];
            if (hand.waiting > turn || !ranks_[rank].problem.empty()) continue;
            const auto chunk = chunkFor(hand);
            if (!chunk) return;
            hand.chunks.push_back(*chunk);
            hand.last = chunk->count;
            ++hand.waiting;
            if (rank == 0)
                chunks_.push(*chunk);
            else
                team_.send(static_cast<int>(rank),
                           {Word::chunk, 0, fmt::format("{} {}", chunk->first, chunk->count)});
        }
    }
}

/// The rank renders no more; its whole chunks still count.
void FilmLead::sitOut(int rank, const std::string& problem) {
    const auto at = static_cast<std::size_t>(rank);
    if (!ranks_[at].problem.empty()) return;
    ranks_[at].problem = problem;
    const bool nobody = std::all_of(ranks_.begin(), ranks_.end(),
                                    [](const RankWork& r) { return !r.problem.empty(); });
    if (nobody && problem_.empty()) problem_ = problem;
    Hand& hand = hands_[at];
    for (; hand.waiting > 0; --hand.waiting) {  // the last ones are not rendered
        queue_.push_front(hand.chunks.back());
        hand.chunks.pop_back();
    }
}

void FilmLead::beginSum() {
    team_.sendAll({Word::sum, ++sums_});
    sumBegan_ = Clock::now();
    portions_.assign(hands_.size(), {});
    own_ = chunks_.take();
    addPortion(0, own_.text());
    team_.beginSum(own_.pixels);
    adding_ = true;
}

void FilmLead::addPortion(int rank, const std::string& text) {
    portions_[static_cast<std::size_t>(rank)].emplace().addText(text);
}

/// True once, when all that the ranks had is in the film.
bool FilmLead::sumEnded() {
    const bool begun = std::all_of(portions_.begin(), portions_.end(),
                                   [](const auto& portion) { return portion.has_value(); });
    if (!begun) return false;
    team_.sendAll({Word::meet, sums_});
    const std::vector<PixelSum>* pixels = nullptr;
    while ((pixels = team_.sum()) == nullptr) std::this_thread::sleep_for(kLeadWait);
    fold(*pixels);
    sumMs_.push_back(millisecondsSince(sumBegan_));
    adding_ = false;
    return true;
}

/// Adds pixels that hold `portions_` to the film.
void FilmLead::fold(const std::vector<PixelSum>& pixels) {
    addPixels(wish_.film.pixels, pixels);
    for (std::size_t rank = 0; rank < hands_.size(); ++rank) {
        if (!portions_[rank]) continue;
        ranks_[rank].stats += portions_[rank]->stats;
        for (const SampleRange& chunk : portions_[rank]->ranges) {
            wish_.film.done.add(chunk);
            ranks_[rank].samples += chunk.count;
            std::erase(hands_[rank].chunks, chunk);
        }
    }
    wish_.film.spent = spentOn(stats());
}

void FilmLead::cancel() {
    stopped_ = true;
    if (complete()) return;
    chunks_.drop();
    const Clock::time_point until = Clock::now() + kSumPatience;
    const auto wait = [&] {
        bool ended = false;
        while (!ended && Clock::now() < until) {
            readLetters();
            ended = sumEnded();
            if (!ended) std::this_thread::sleep_for(kLeadWait);
        }
        return ended;
    };
    team_.sendAll({Word::stop, sums_ + 1});
    bool whole = !adding_ || wait();
    if (whole) {
        beginSum();
        whole = wait();
    }
    if (!whole) rescue(Clock::now() + kRescuePatience);
    save(true);
}

/// Somebody does not answer: the others send one by one what the last sum would have held.
void FilmLead::rescue(Clock::time_point until) {
    team_.sendAll({Word::rescue, static_cast<int>(sumMs_.size())});
    Portion rest = chunks_.take();
    addPixels(own_.pixels, rest.pixels);
    own_.addText(rest.text());
    portions_.assign(hands_.size(), {});
    portions_[0] = own_;
    fold(own_.pixels);
    std::size_t answers = 1;
    const std::size_t bytes = own_.pixels.size() * sizeof(PixelSum);
    while (answers < hands_.size() && Clock::now() < until) {
        const auto letter = team_.receive();
        if (!letter) std::this_thread::sleep_for(kLeadWait);
        if (!letter || letter->word != Word::rescued || letter->text.size() < bytes) continue;
        std::vector<PixelSum> pixels(own_.pixels.size());
        std::copy_n(letter->text.data(), bytes, reinterpret_cast<char*>(pixels.data()));
        portions_.assign(hands_.size(), {});
        addPortion(letter->from, letter->text.substr(bytes));
        fold(pixels);
        ++answers;
    }
}

/// Writes the checkpoint beside the rendering, or waits for it.
void FilmLead::save(bool wait) {
    saved_ = Clock::now();
    if (wish_.checkpoint.empty() || complete() || wish_.film.done.count() == 0) return;
    if (file_.valid()) fileProblem_ = file_.get();
    file_ = std::async(std::launch::async, [path = wish_.checkpoint, film = wish_.film] {
        return writeFilmCheckpoint(path, film).reason();
    });
    if (wait) fileProblem_ = file_.get();
}

}  // namespace rayscope
