#pragma once

#include <deque>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "renderer/film/checkpoint.h"
#include "renderer/team/chunks.h"
#include "renderer/team/team.h"

// A picture that a team renders: rank 0 hands out samples, a chunk at a time and one more in hand,
// and adds up the films of all ranks at the end and for every checkpoint. The sums are of
// doubles, so that the picture is that of a single process to rounding.

namespace rayscope {

/// What a rank has rendered in this run.
struct RankWork {
    int samples = 0;  ///< a pixel
    FrameStats stats{};
    std::string problem{};  ///< why it has stopped; empty if it has not
};

struct FilmTeamWish {
    FilmCheckpoint film;     ///< what is wished, and what of it is there already
    std::string checkpoint;  ///< the file; empty: none
    double every = 60;       ///< seconds between checkpoints
};

/// Renders a picture with the rest of the team, of which this process is rank 0. A rank whose
/// device fails is done without.
class FilmLead : public Job {
public:
    FilmLead(Team& team, Renderer& renderer, FilmTeamWish wish);

    bool step(double budgetMs) override;
    double share() const override;
    /// Adds up what there is and writes the checkpoint, in well under a second, after which mpirun
    /// kills. Without ranks that are lost if they do not answer.
    void cancel() override;

    /// All whole chunks.
    FilmCheckpoint& film() { return wish_.film; }
    bool complete() const { return wish_.film.done.count() >= wish_.film.spp; }
    /// It was told to stop before that, by this process or by another rank.
    bool stopped() const { return stopped_; }
    const std::vector<RankWork>& ranks() const { return ranks_; }
    /// Of the film, with what it took before it was resumed.
    FrameStats stats() const;
    KernelInfo kernel() const { return chunks_.kernel(); }
    /// Of several devices of rank 0.
    const GroupWork& work() const { return chunks_.work(); }
    /// How long each sum took, from the word to the picture, ms.
    const std::vector<double>& sumMs() const { return sumMs_; }
    /// Why the last checkpoint is not on disk; empty if it is.
    std::string checkpointProblem();

private:
    /// What rank 0 knows of a rank's chunks.
    struct Hand {
        std::vector<SampleRange> chunks{};  ///< that it has been given, and no sum holds
        int waiting = 0;                    ///< of these, not rendered
        double msPerSample = 0;             ///< 0: unknown
        int last = 0;                       ///< samples of the last chunk
    };

    void readLetters();
    void hearOf(int rank, SampleRange chunk, double ms);
    void giveChunks();
    std::optional<SampleRange> chunkFor(const Hand& hand);
    void sitOut(int rank, const std::string& problem);
    void beginSum();
    void addPortion(int rank, const std::string& text);
    bool sumEnded();
    void fold(const std::vector<PixelSum>& pixels);
    void rescue(Clock::time_point until);
    void save(bool wait);
    bool handedOut() const;

    Team& team_;
    FilmTeamWish wish_;
    Chunks chunks_;
    std::deque<SampleRange> queue_;  ///< that nobody has been given
    std::vector<Hand> hands_;
    std::vector<RankWork> ranks_;

    FrameStats before_;                             ///< of the checkpoint that this goes on from
    int sums_ = 0;                                  ///< begun
    bool adding_ = false;                           ///< a sum is under way
    Portion own_;                                   ///< rank 0's part of it
    std::vector<std::optional<Portion>> portions_;  ///< of the sum, without pixels
    Clock::time_point sumBegan_, saved_ = Clock::now();
    std::vector<double> sumMs_;
    std::future<std::string> file_;
    std::string fileProblem_;
    bool stopped_ = false;
};

/// Renders what rank 0 says until the picture is done. Returns why the device has failed; empty if
/// it has not. `goOn` says no when this process is to end.
std::string helpWithFilm(Team& team, Renderer& renderer, const FilmCheckpoint& film,
                         const Team::GoOn& goOn);

}  // namespace rayscope
