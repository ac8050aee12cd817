#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "renderer/backend/film_memory.h"
#include "renderer/backend/session.h"
#include "renderer/base/elapsed.h"
#include "renderer/film/sample_set.h"

namespace rayscope {

/// The numbers of samples that nobody has been given.
class SampleQueue {
public:
    /// From this number on, without end; what there was is forgotten.
    void begin(int first);
    /// How many may still be given.
    void setLeft(int samples) { left_ = samples; }
    int left() const { return left_; }
    /// At most so many, with the lowest numbers; of none, count is 0. Any thread may call it.
    SampleRange take(int count);
    /// They were not rendered.
    void putBack(const SampleRange& range);
    /// Above all that have been given.
    int next() const { return next_; }

private:
    std::mutex mutex_;
    int next_ = 0, left_ = 0;
    std::vector<SampleRange> returned_;
};

/// What a part is to do in an advance().
struct PartTask {
    const Settings& settings;  ///< of the device
    const Camera& camera;
    double budgetMs = 0;
    double share = 0;       ///< samples of a chunk at most
    double longestMs = 0;   ///< of a chunk
    int pass = 1;           ///< samples of a pass
    int most = 0;           ///< samples that it takes now
    bool untilEnd = false;  ///< works as long as there are samples, else as long as launches say
    bool patient = false;   ///< waits for its device, as others of the group work on
};

/// One device's part of a film: a session and a film of its own. A chunk of samples counts when it
/// is whole.
class GroupPart {
public:
    /// `memory`: of its film; nullptr: it renders into the group's, `film`.
    GroupPart(Renderer& renderer, const Film& film, std::unique_ptr<PartFilm> memory);

    /// A film of this size begins without samples; `keep`: with those that the group's has. Fails
    /// where there is no memory.
    Result<void> begin(const Film& film, bool keep);
    /// The group's film may lie elsewhere by now.
    void setPixels(Pixel* pixels) { film_.pixels = pixels; }
    /// Film::rest of the film that it renders into.
    Pixel* rest() const { return film_.rest; }

    /// Renders chunks of the queue. What it throws is left in problem().
    void work(SampleQueue& queue, const PartTask& task);
    /// Waits for the device; what has not been reported.
    void finish();
    /// Forgets the rest of the chunk under way, whose settings change. True if some pixels had
    /// samples of it.
    bool abandon();
    /// Gives back what never came to the group's film.
    void giveUp(SampleQueue& queue);

    PartFilm& memory() { return *memory_; }
    /// What was sent is there; `wait`: waits until it is. False too if that fails: see problem().
    bool arrived(bool wait);
    /// Samples were sent and not added yet.
    bool sent() const { return !sent_.empty(); }
    /// They have been added: how many.
    int added();
    /// Sends whole chunks that wait for that.
    void sendWaiting();

    /// Samples that the group's film does not have yet, but will.
    int outstanding() const;
    /// Of those that it has in its own film, if that is the group's.
    int complete() const { return film_.samples; }
    /// In the last work().
    bool progressed() const { return progressed_; }

    Session& session() { return *session_; }
    /// It has had something to render, for which it needs a kernel.
    bool asked() const { return asked_; }
    const std::string& problem() const { return problem_; }
    FrameStats takeStats();
    /// Since begin().
    DeviceWork done() const;
    /// 0: unknown.
    double msPerSample() const;
    /// It is too slow for what there is to do: whether it is given a sample all the same, to see
    /// whether it still is; ever more seldom.
    bool triedAgain();

private:
    void render(SampleQueue& queue, const PartTask& task);
    bool takeChunk(SampleQueue& queue, const PartTask& task);
    void endChunk();
    void take(const FrameStats& stats);
    void learn(const Settings& settings);

    Film film_;
    std::unique_ptr<PartFilm> memory_;
    std::unique_ptr<Session> session_;
    SampleRange chunk_;               ///< under way
    std::vector<SampleRange> whole_;  ///< in its film
    std::vector<SampleRange> sent_;
    int taken_ = 0;  ///< of the queue, in the present work()
    bool progressed_ = false, asked_ = false;
    std::string problem_;

    FrameStats stats_;  ///< not reported
    DeviceWork done_;
    Settings measured_;                   ///< that the speed is of
    long pixels_ = 0;                     ///< likewise
    double kernelMs_ = 0, launched_ = 0;  ///< by which it is known: samples of the whole film
    int last_ = 0;
    int passedOver_ = 0, patience_ = 0;  ///< how often, and until it is tried again
};

}  // namespace rayscope
