#include "renderer/devices/group_session.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "renderer/base/timeline.h"
#include "renderer/devices/part_film.h"
#include "renderer/film/chunk_size.h"

namespace rayscope {

namespace {

/// Of a chunk. So much is lost when a device is; of a film that is watched, so late are samples.
constexpr double kChunkMs = 250, kWatchedChunkMs = 50;
/// What takes no longer is shared out at once, as the speeds are.
constexpr double kAtOnceMs = 60;
constexpr int kWithoutEnd = 1 << 28;

constexpr double FrameStats::*kTimes[] = {&FrameStats::kernelMs, &FrameStats::timedMs,
                                          &FrameStats::processorMs, &FrameStats::waitedMs};

}  // namespace

FrameStats SharedTimes::add(const std::vector<FrameStats>& reports, double devices) {
    sums_.resize(reports.size());
    FrameStats said;
    for (const auto time : kTimes) {
        for (std::size_t i = 0; i < reports.size(); ++i) {
            sums_[i].*time += reports[i].*time;
            said.*time += reports[i].*time / devices;
        }
        said_.*time += said.*time;
    }
    return said;
}

FrameStats SharedTimes::finish() {
    FrameStats missing;
    for (const auto time : kTimes) {
        for (const FrameStats& sum : sums_) missing.*time = std::max(missing.*time, sum.*time);
        missing.*time -= said_.*time;
    }
    sums_.clear();
    said_ = {};
    return missing;
}

GroupSession::GroupSession(std::shared_ptr<DeviceGroup> group, Film& film)
    : Session(film), group_(std::move(group)), lead_(group_->lead) {
    open();
}

void GroupSession::open() {
    const GroupMember& first = group_->members[lead_];
    for (std::size_t i = 0; i < group_->members.size(); ++i) {
        GroupMember& member = group_->members[i];
        parts_.emplace_back();
        if (!member.works()) continue;
        std::unique_ptr<PartFilm> memory;
        if (i != lead_) {
            memory = first.backend == Backend::cpu
                         ? makeHostFilm()
                         : makeRemoteFilm(member.number(), first.number());
        }
        parts_[i] = std::make_unique<GroupPart>(*member.renderer, Film{}, std::move(memory));
    }
    useLead();
}

GroupSession::~GroupSession() {
    while (!parts_.empty()) parts_.pop_back();
    try {
        useLead();
    } catch (const std::exception&) {  // it has failed
    }
}

/// The calling thread's device is the lead's again.
void GroupSession::useLead() {
    group_->members[lead_].renderer->useThread();
}

void GroupSession::clearPixels() {
    begin(false);
}

/// All parts begin; the film keeps its samples or has none.
void GroupSession::begin(bool keep) {
    base_ = keep ? film().samples : 0;
    added_ = 0;
    wallMs_ = 0;
    since_.reset();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (i == lead_ || !works(i)) continue;
        if (const auto begun = parts_[i]->begin(film(), false); !begun)
            group_->members[i].problem = begun.reason();
    }
    if (const auto begun = lead().begin(film(), keep); !begun)
        throw std::runtime_error(begun.reason());
    begun_ = fresh_ = true;
}

FrameStats GroupSession::advance(const Settings& settings, const Camera& camera, double budgetMs) {
    if (!begun_) begin(true);
    if (std::exchange(fresh_, false)) queue_.begin(film().samples + pass().skipped);
    if (!since_) since_ = Clock::now();
    lead().setPixels(film().pixels);
    std::vector<Settings> own;
    for (std::size_t i = 0; i < parts_.size(); ++i) own.push_back(group_->settingsOf(i, settings));
    const std::vector<PartTask> tasks = planned(own, camera, budgetMs);
    group_->crew.run([&](int thread) {
        const auto i = static_cast<std::size_t>(thread);
        if (works(i)) parts_[i]->work(queue_, tasks[i]);
    });
    dismissFailed();
    gather();
    bool goesOn = false;  // some device
    for (std::size_t i = 0; i < parts_.size(); ++i)
        goesOn |= works(i) && parts_[i]->session().worksOn();
    if (!goesOn) {
        wallMs_ += millisecondsSince(*since_);
        since_.reset();
    }
    return takeStats();
}

/// How many of so many samples each part is to have, by the speeds; equal numbers where these are
/// not known yet. None for one whose first sample would come last, but now and then one, as a
/// device may have been slow for a moment.
GroupSession::Shares GroupSession::sharesOf(int left) {
    const bool more = left > queue_.left();
    Shares shares{std::vector<double>(parts_.size())};
    double speed = 0, fastest = 0;
    bool known = true;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (!works(i)) continue;
        const double ms = parts_[i]->msPerSample();
        known &= ms > 0;
        shares.of[i] = ms > 0 ? 1 / ms : 0;
        speed += shares.of[i];
        fastest = std::max(fastest, shares.of[i]);
    }
    const double endMs = known ? left / speed : INFINITY;
    double sum = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (!works(i)) continue;
        const bool late = known && shares.of[i] < fastest && 1 / shares.of[i] > endMs;
        if (late && !(more && parts_[i]->triedAgain()))
            shares.of[i] = 0;
        else if (late)
            shares.of[i] = speed / left;
        else if (!known)
            shares.of[i] = 1;
        sum += shares.of[i];
        shares.devices += shares.of[i] > 0;
    }
    for (double& share : shares.of) share = sum > 0 ? left * share / sum : 0;
    shares.atOnce = endMs <= kAtOnceMs;
    shares.final = shares.atOnce || !known;
    double before = 0;
    for (double& share : shares.of) {  // whole samples, all of them
        const double now = before + share;
        if (shares.final) share = std::round(now) - std::round(before);
        before = now;
    }
    return shares;
}

/// All that is left where that takes no time, else a part of it.
std::vector<PartTask> GroupSession::planned(const std::vector<Settings>& settings,
                                            const Camera& camera, double budgetMs) {
    const int left = target() > 0 ? target() - film().samples - outstanding() : kWithoutEnd;
    const Shares shares = sharesOf(left);
    queue_.setLeft(left);
    std::vector<PartTask> tasks;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const int pass = std::max(1, settings[i].samples);
        PartTask task{settings[i], camera, budgetMs};
        task.untilEnd = !watched() && target() > 0;
        task.patient = group_->mixed();
        task.longestMs = watched() ? kWatchedChunkMs : kChunkMs;
        task.pass = shares.atOnce ? 1 : pass;
        task.share = shares.of[i];
        // else whoever is done first goes on with what others would have had
        task.most = shares.final ? static_cast<int>(task.share) : kWithoutEnd;
        if (!shares.atOnce && shares.devices > 1 && task.share > 0)
            task.share = std::max(1., kPartOfShare * task.share);
        if (watched() && film().samples == 0) {  // the first passes are seen at once
            const int launches = settings[i].launches == kAsManyAsFit ? 1 : settings[i].launches;
            task.share = std::min(task.share, 1. * pass * launches);
        }
        tasks.push_back(task);
    }
    return tasks;
}

int GroupSession::outstanding() const {
    int samples = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (works(i)) samples += parts_[i]->outstanding();
    return samples;
}

/// The others go on without them, and render what is lost. Throws if the film is lost.
void GroupSession::dismissFailed() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (parts_[i] == nullptr || works(i)) continue;
        if (i == lead_) throw std::runtime_error(parts_[i]->problem());
        parts_[i]->giveUp(queue_);
        if (group_->members[i].works()) group_->members[i].problem = parts_[i]->problem();
    }
}

/// Adds what others have sent. The host waits for that only where nothing else is left to do.
void GroupSession::gather() {
    bool idle = !watched();
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (works(i)) idle &= !parts_[i]->progressed();
    // the device of a fresh film waits in its own queue
    addSent(idle, watched() && film().samples == 0);
    film().samples = base_ + lead().complete() + added_;
    useLead();
}

void GroupSession::addSent(bool wait, bool early) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (i == lead_ || !works(i) || !parts_[i]->sent()) continue;
        const bool arrived = parts_[i]->arrived(wait);
        if (!works(i) || !(arrived || early)) continue;
        const Zone zone("add films");
        parts_[i]->memory().add(film().pixels, lead().rest());
        added_ += parts_[i]->added();
        parts_[i]->sendWaiting();
    }
}

FrameStats GroupSession::finish() {
    if (!begun_) return {};
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (i != lead_ && works(i)) parts_[i]->finish();
    // a watched film may be OpenGL's now
    for (bool again = !watched(); again;) {
        addSent(true, false);
        again = false;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            again |= i != lead_ && works(i) && parts_[i]->sent();
    }
    lead().finish();
    dismissFailed();
    film().samples = base_ + lead().complete() + added_;
    if (since_) wallMs_ += millisecondsSince(*since_);
    since_.reset();
    FrameStats stats = takeStats();
    stats += times_.finish();
    return stats;
}

FrameStats GroupSession::takeStats() {
    std::vector<FrameStats> reports(parts_.size());
    double devices = 0;
    FrameStats sum;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (parts_[i] == nullptr) continue;
        const FrameStats report = parts_[i]->takeStats();
        sum.rays += report.rays;
        sum.timedRays += report.timedRays;
        sum.launches += report.launches;
        if (i == lead_) {
            sum.buildMs = report.buildMs;
            sum.hierarchyBytes = report.hierarchyBytes;
        }
        // a GPU that is opened twice does one thing after the other
        const std::size_t device = group_->firstOfDevice(i);
        for (const auto time : kTimes) reports[device].*time += report.*time;
        devices += works(i) && device == i;
    }
    const FrameStats times = times_.add(reports, std::max(devices, 1.));
    for (const auto time : kTimes) sum.*time = times.*time;
    return sum;
}

bool GroupSession::abandonPass() {
    if (!begun_) return Session::abandonPass();
    bool some = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (works(i)) some |= parts_[i]->abandon();
    }
    film().samples = base_ + lead().complete() + added_;
    // whoever goes on with the film does so above all numbers that are given
    if (!fresh_) skip(queue_.next() - film().samples);
    useLead();
    return !some || film().samples > 0;
}

bool GroupSession::worksOn() const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (works(i) && !parts_[i]->session().worksOn()) return false;
    return true;
}

void GroupSession::wake() {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (i != lead_ && works(i)) parts_[i]->session().wake();
    lead().session().wake();
}

void GroupSession::releasePaths() {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (i != lead_ && works(i)) parts_[i]->session().releasePaths();
    lead().session().releasePaths();
}

KernelInfo GroupSession::kernel() const {
    KernelInfo info = lead().session().kernel();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (i == lead_ || !works(i)) continue;
        const KernelInfo other = parts_[i]->session().kernel();
        info.ready &= other.ready || !parts_[i]->asked();
        if (info.compileLog.empty()) info.compileLog = other.compileLog;
    }
    return info;
}

double GroupSession::ownShare() const {
    double all = 0, devices = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (!works(i)) continue;
        all += static_cast<double>(parts_[i]->done().rays);
        ++devices;
    }
    const auto own = static_cast<double>(lead().done().rays);
    return own > 0 ? own / all : 1 / std::max(devices, 1.);
}

GroupWork GroupSession::work() const {
    GroupWork work;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const GroupMember& member = group_->members[i];
        DeviceWork done = parts_[i] != nullptr ? parts_[i]->done() : DeviceWork{};
        done.name = member.name();
        done.label = member.label();
        if (!member.works()) done.problem = member.problem;
        work.devices.push_back(std::move(done));
    }
    work.wallMs = wallMs_ + (since_ ? millisecondsSince(*since_) : 0);
    return work;
}

}  // namespace rayscope
