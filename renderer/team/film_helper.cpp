#include <fmt/format.h>

#include <sstream>
#include <thread>

#include "renderer/film/rows.h"
#include "renderer/team/film_team.h"

namespace rayscope {

namespace {

constexpr double kHelperStepMs = 50;
constexpr std::chrono::microseconds kHelperWait{100};
constexpr double kPatienceMs = 3000;  ///< until rank 0 answers a rank that has to stop

class FilmHelper {
public:
    FilmHelper(Team& team, Renderer& renderer, const FilmCheckpoint& film)
        : team_(team),
          chunks_(renderer, film.state.settings, film.state.camera, film.width, film.height) {}

    void work(const Team::GoOn& goOn) {
        std::optional<Clock::time_point> told;
        while (!team_.over()) {
            while (const auto letter = team_.receive()) read(*letter);
            addUp();
            if (!goOn()) {
                if (!told) team_.send(0, {Word::stopped});
                if (!told) told = Clock::now();
                chunks_.drop();
                if (millisecondsSince(*told) > kPatienceMs) return;
            }
            render();
        }
    }
    const std::string& problem() const { return chunks_.problem(); }

private:
    /// What was given to a sum.
    struct Given {
        int sum;
        Portion portion;
    };

    void read(const Letter& letter) {
        switch (letter.word) {
            case Word::chunk: {
                SampleRange chunk;
                std::istringstream(letter.text) >> chunk.first >> chunk.count;
                chunks_.push(chunk);
                break;
            }
            case Word::stop:
                chunks_.drop();
                wanted_ = letter.number;
                break;
            case Word::sum:  // rank 0 has the one before
                wanted_ = letter.number;
                confirmed_ = letter.number - 1;
                break;
            case Word::meet:
                meets_ = letter.number;
                break;
            case Word::rescue:
                sendAll(letter.number);
                break;
            default:
                break;
        }
    }

    /// Takes part in the sums that rank 0 has asked for, one after the other. Waits only for one
    /// that rank 0 waits for, too: it may have given up, and then asks for a rescue.
    void addUp() {
        if (adding_ && meets_ == sums_ && team_.sum() != nullptr) adding_ = false;
        if (adding_ || sums_ == wanted_) return;
        while (!given_.empty() && given_.front().sum <= confirmed_) given_.pop_front();
        const Given& now = given_.emplace_back(Given{++sums_, chunks_.take()});
        team_.send(0, {Word::portion, sums_, now.portion.text()});
        team_.beginSum(now.portion.pixels);
        adding_ = true;
    }

    /// What no sum up to this one holds.
    void sendAll(int sum) {
        Portion all = chunks_.take();
        for (const Given& given : given_) {
            if (given.sum <= sum) continue;
            addPixels(all.pixels, given.portion.pixels);
            all.addText(given.portion.text());
        }
        if (all.pixels.size() * sizeof(PixelSum) > kMostLetterBytes) return;
        std::string bytes(reinterpret_cast<const char*>(all.pixels.data()),
                          all.pixels.size() * sizeof(PixelSum));
        team_.send(0, {Word::rescued, 0, bytes + all.text()});
    }

    void render() {
        if (const auto rendered = chunks_.step(kHelperStepMs)) {
            const SampleRange& chunk = rendered->chunk;
            team_.send(0, {Word::rendered, 0,
                           fmt::format("{} {} {}", chunk.first, chunk.count, rendered->ms)});
        }
        if (!chunks_.problem().empty() && !broken_) {
            broken_ = true;
            chunks_.drop();
            team_.send(0, {Word::broken, 0, chunks_.problem()});
        }
        if (chunks_.inHand() == 0) std::this_thread::sleep_for(kHelperWait);
    }

    Team& team_;
    Chunks chunks_;
    std::deque<Given> given_;
    int sums_ = 0, wanted_ = 0, confirmed_ = 0, meets_ = 0;
    bool adding_ = false, broken_ = false;
};

}  // namespace

std::string helpWithFilm(Team& team, Renderer& renderer, const FilmCheckpoint& film,
                         const Team::GoOn& goOn) {
    FilmHelper helper(team, renderer, film);
    helper.work(goOn);
    return helper.problem();
}

}  // namespace rayscope
