#pragma once

#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/film/film.h"

namespace rayscope {

/// What ranks tell each other. The first group is a team's own.
enum class Word : char {
    hello,  ///< to rank 0: who I am
    go,     ///< to all: the work begins, with you (number 1) or without (0)
    over,   ///< to all: the work has ended
    left,   ///< to rank 0: I have ended, with this exit code, and had to say this
    errand,
    reply,
    chunk,     ///< to whom renders: samples
    rendered,  ///< to rank 0: these samples
    sum,       ///< to all: add up what you have
    portion,   ///< to rank 0: what my part of a sum holds
    meet,      ///< to all: everybody has begun this sum, so wait for its end
    broken,    ///< to rank 0: my device has failed
    stop,      ///< to all: drop what is under way, and add up what you have
    stopped,   ///< to rank 0: I was told to stop
    rescue,    ///< to all: send me what no sum holds, as somebody is lost
    rescued,   ///< to rank 0: the pixels
};

/// MPI counts bytes in an int.
inline constexpr std::size_t kMostLetterBytes = std::size_t{1} << 30;

struct Letter {
    Word word{};
    int number = 0;
    std::string text{};
    int from = 0;  ///< rank
};

/// A rank as rank 0 knows it.
struct Member {
    nlohmann::json about;   ///< its device, as its command says
    bool takesPart = true;  ///< else it has nothing to do
    bool gone = false;
    int code = 0;          ///< exit code, when it has gone
    std::string sentence;  ///< what it complained of
};

/// Processes that do one command together, each with a device of its own. Rank 0 leads: it alone
/// has the command's files and output. All of them have been given the same words.
class Team {
public:
    using GoOn = std::function<bool()>;

    virtual ~Team() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// The machine that this rank is on, and its number among the ranks there.
    virtual std::string host() const = 0;
    virtual int place() const = 0;
    bool leads() const { return rank() == 0; }
    bool alone() const { return size() == 1; }

    /// Returns at once.
    void send(int to, const Letter& letter);
    void sendAll(const Letter& letter);
    /// The next letter, if there is one. Those of the team itself are read by listen().
    std::optional<Letter> receive();
    /// Takes what has come, so that over() and members() are up to date.
    void listen();
    /// Rank 0 has said that the work has ended.
    bool over() const { return over_; }

    /// All begin, once each knows what it does the work with; nobody begins if one cannot, or if
    /// about["work"], a digest of what is to be done, differs. On rank
    /// 0 `choose` may clear Member::takesPart. True where this rank takes part. `goOn` is asked
    /// while one waits.
    Result<bool> muster(nlohmann::json about,
                        const std::function<void(std::vector<Member>&)>& choose, const GoOn& goOn);
    /// Of rank 0, when all have mustered.
    const std::vector<Member>& members() const { return members_; }

    /// The command has ended here with this exit code and these complaints. Waits until it has
    /// everywhere, and returns the exit code of all; `say` is then told what others complained of.
    int dismiss(int code, const std::string& complaints,
                const std::function<void(const std::string&)>& say, const GoOn& goOn);

    /// Nobody is left who does not know that the work has ended, and has ended himself.
    bool dismissed() const;

    /// Begins to add up everybody's pixels, in the same order of sums everywhere, one sum at a
    /// time. The pixels must stay as they are until it has ended.
    virtual void beginSum(const std::vector<PixelSum>& pixels) = 0;
    /// Not nullptr when the sum has ended; it is rank 0 that has it. Once everybody has begun it
    /// may wait until everybody has called it.
    virtual const std::vector<PixelSum>* sum() = 0;

protected:
    virtual void post(int to, std::string bytes) = 0;
    struct Parcel {
        int from;
        std::string bytes;
    };
    virtual std::optional<Parcel> fetch() = 0;

private:
    Result<bool> waitForGo(const GoOn& goOn);
    Result<void> waitForHellos(const GoOn& goOn);
    Result<void> haveTheSameWork() const;

    void read(Letter letter);
    std::string nameOf(std::size_t rank) const;

    std::vector<Member> members_;
    std::deque<Letter> inbox_;
    std::optional<int> go_;
    bool over_ = false;
};

/// A process that has no others.
class Alone : public Team {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::string host() const override { return {}; }
    int place() const override { return 0; }
    void beginSum(const std::vector<PixelSum>& pixels) override { pixels_ = &pixels; }
    const std::vector<PixelSum>* sum() override { return pixels_; }

protected:
    void post(int, std::string) override {}
    std::optional<Parcel> fetch() override { return {}; }

private:
    const std::vector<PixelSum>* pixels_ = nullptr;
};

/// Whoever does this command together: this process alone, until useTeam().
Team& team();
void useTeam(Team& team);

}  // namespace rayscope
