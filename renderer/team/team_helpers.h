#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/elapsed.h"
#include "renderer/film/checkpoint.h"
#include "renderer/lab/helpers.h"
#include "renderer/lab/sequence.h"
#include "renderer/team/ledger.h"
#include "renderer/team/team.h"

namespace rayscope {

/// The ranks of a team, and a checkpoint of all that they and this process have done.
class TeamHelpers : public Helpers {
public:
    struct Wish {
        std::string kind;        ///< the command
        nlohmann::json what;     ///< that it does: a checkpoint of anything else is refused
        std::string checkpoint;  ///< the file; empty: none
        double every = 60;       ///< seconds between checkpoints
        int inHand = 1;          ///< errands that a rank is given at a time
    };

    TeamHelpers(Team& team, Wish wish);
    /// Goes on from a checkpoint. Fails if it is of something else.
    Result<void> resume(const std::string& path);

    void begin() override;
    std::optional<std::string> known(const std::string& errand) const override;
    bool give(int number, const std::string& errand) override;
    /// Also writes the checkpoint when it is due. Where that fails it says so once, and tries again
    /// the next time.
    std::optional<Reply> take() override;
    std::optional<int> takeBack() override;
    void done(const std::string& errand, const std::string& reply) override;

    /// Writes the checkpoint, if there is anything new. Returns why not; empty if it is written.
    std::string save();

private:
    struct Given {
        int number;
        std::string errand;
        bool wanted = true;  ///< by the list of parts that it was given for
    };
    Team& team_;
    Wish wish_;
    Ledger ledger_;
    std::vector<std::deque<Given>> hands_;  ///< of each rank
    Clock::time_point saved_ = Clock::now();
    bool dirty_ = false;
    std::string problem_;  ///< of the last checkpoint that was due
};

/// Does errands of rank 0 until the work is over. `work` returns the reply; nothing if it was told
/// to stop. `goOn` says no when this process is to end.
void serveErrands(Team& team,
                  const std::function<std::optional<std::string>(const std::string&)>& work,
                  const Team::GoOn& goOn);

/// The frames of a sequence that rank 0 gives to this rank.
std::unique_ptr<Frames> framesOfLead(Team& team);

}  // namespace rayscope
