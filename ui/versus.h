#pragma once

#include <array>
#include <optional>
#include <vector>

#include "renderer/devices/backends.h"
#include "renderer/lab/noise.h"

namespace rayscope {

/// Two settings on one screen: A is pinned, B is what the user goes on changing.
enum class Side { a, b };
inline constexpr std::array<Side, 2> kSides{Side::a, Side::b};
inline Side other(Side side) {
    return side == Side::a ? Side::b : Side::a;
}

/// The films of both sides, kept by the window; of the same size and camera.
class SideFilms {
public:
    virtual ~SideFilms() = default;
    /// Begins films anew that have to be, both at once where they would differ otherwise. False
    /// where there is no memory for them.
    virtual bool align() = 0;
    virtual void restart(Side side) = 0;
    virtual FrameStats trace(Side side, double budgetMs) = 0;
    virtual const Film& film(Side side) const = 0;
    /// Waits for what the side has launched; what had not been reported.
    virtual FrameStats finish(Side side) = 0;
    /// That rendered the side last.
    virtual KernelInfo kernel(Side side) const = 0;
    /// Another number: another film.
    virtual long number(Side side) const = 0;
    /// Its pixels, or an even part of them that is always the same; the renderer is idle.
    virtual std::vector<Pixel> fetch(Side side) = 0;
};

/// The error that a film had when it had taken so much kernel time.
struct ErrorPoint {
    double kernelMs, error;
};

/// What a side has done since its film began.
struct SideRecord {
    FrameStats stats;
    KernelInfo kernel;  ///< as it was after its last turn
    /// The film has samples by another kernel: its own is being compiled, or cannot be.
    bool foreign = false;
    double pixels = 0;  ///< of the film
    NoiseEstimate noise;
    std::vector<ErrorPoint> history;  ///< one a look at the noise
    long film = 0;                    ///< SideFilms::number()

    /// A pixel, fractions of a pass counted.
    double samples() const;
    /// Of launches that filled the device.
    std::optional<double> raysPerSecond() const;
    /// The standard error of a pixel and channel, over the mean radiance of the picture.
    std::optional<double> error() const;
    /// The same in radiance.
    std::optional<double> standardError() const;
};

/// The standard error of a pixel's difference between A and B, in radiance.
std::optional<double> noiseOf(const SideRecord& a, const SideRecord& b);

/// The time that B needs for an error, over the time that A needs for the same.
struct Lead {
    double ratio = 1;
    double spread = 0;  ///< standard error of the ratio, over the ratio
    /// The ratio differs from 1 by more than chance, at two standard errors.
    bool clear() const;
};

/// Error falls with the root of time, so that mean square error x time stays what it is; nothing
/// before both are known.
std::optional<Lead> leadOf(const SideRecord& a, const SideRecord& b);

/// Lets two sides take turns with the time of the frames, and keeps what each of them did.
///
/// At rest a side gets a whole frame, and is waited for before the next turn, so that no kernel
/// shares the GPU with one of the other side. The GPU works while the window is drawn as it does
/// otherwise, and is idle only between the end of a turn and the next. While the camera moves both
/// share every frame, so that the picture is renewed as often as without A.
class Versus {
public:
    struct Wish {
        const Settings& a;
        const Settings& b;
        bool moving = false;
        double budgetMs = 0;  ///< for both sides together
    };

    /// One frame; what B did in it. Throws std::runtime_error where a device fails.
    FrameStats frame(SideFilms& films, const Wish& wish);

    /// Forgets everything: another pair or scene, or the end.
    void reset() { *this = {}; }

    /// Both films begin anew, and the side that has had less kernel time is next.
    void startRace();
    void stopRace() { racing_ = false; }
    bool racing() const { return racing_; }

    const SideRecord& record(Side side) const { return records_[static_cast<size_t>(side)]; }

private:
    SideRecord& at(Side side) { return records_[static_cast<size_t>(side)]; }
    FrameStats settle(SideFilms& films, bool moving);
    void noticeChanges(SideFilms& films, const Wish& wish);
    void noticeFilms(const SideFilms& films);
    FrameStats turn(SideFilms& films, Side side, double ms);
    Side next() const;

    std::array<SideRecord, 2> records_;
    std::array<std::optional<Settings>, 2> known_;  ///< that the films are of
    Side last_ = Side::b;                           ///< whose turn it was
    bool owing_ = false;                            ///< that turn has not been settled
    bool racing_ = false, restart_ = false;
};

}  // namespace rayscope
