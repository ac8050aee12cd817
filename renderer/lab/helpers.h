#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rayscope {

/// How long to wait before one looks again whether somebody has done something.
inline constexpr std::chrono::milliseconds kHelpersWait{1};

/// Parts of a job that others do, or that were done before. An errand says all that somebody needs
/// to know who has the same command; a reply is what came of it.
class Helpers {
public:
    struct Reply {
        int number;  ///< as in give()
        std::string text;
    };
    virtual ~Helpers() = default;
    /// A list of parts begins: what was given before belongs to another, whose numbers mean other
    /// parts. Its replies are kept, but not given to anybody.
    virtual void begin() = 0;
    /// The reply, if that errand was done before this run began.
    virtual std::optional<std::string> known(const std::string& errand) const = 0;
    /// Gives it to somebody who is free; false if nobody is.
    virtual bool give(int number, const std::string& errand) = 0;
    /// An errand that has been done, each once.
    virtual std::optional<Reply> take() = 0;
    /// The number of one that comes back undone, because who had it is gone.
    virtual std::optional<int> takeBack() = 0;
    /// This process has done one itself.
    virtual void done(const std::string& errand, const std::string& reply) = 0;
};

/// A list of parts: which this process does, and which others do at the same time.
class Parts {
public:
    struct Content {
        int count = 0;
        std::function<std::string(int)> errand;  ///< of a part; not asked where there is nobody
        /// A part was done elsewhere, or before. False: the reply means nothing.
        std::function<bool(int, const std::string&)> accept;
    };

    /// Without helpers, this process does all of them, in order.
    Parts(Helpers* helpers, Content content);

    /// There is nothing to be done for this part.
    void settle(int part) { set(part, State::done); }
    /// Looks whether others have done something.
    void collect();
    /// Also gives them more. Call it often.
    void serve();
    /// The next part for this process; nothing while it has only to wait for others, and when all
    /// parts are done.
    std::optional<int> next();
    /// This process has done the part. `reply` is asked only where somebody wants to know.
    void finish(int part, const std::function<std::string()>& reply);
    /// All parts are done, wherever.
    bool over() const { return done_ == content_.count; }
    bool isDone(int part) const { return states_[static_cast<size_t>(part)] == State::done; }
    int done() const { return done_; }
    /// So many, from the first on, are done.
    int leading() const;

private:
    enum class State : unsigned char { waiting, away, here, done };
    void set(int part, State state);
    std::optional<int> waiting();

    Helpers* helpers_;
    Content content_;
    std::vector<State> states_;
    int from_ = 0;  ///< no part before it waits
    int done_ = 0;
};

}  // namespace rayscope
