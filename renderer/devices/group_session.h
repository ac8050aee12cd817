#pragma once

#include <memory>
#include <vector>

#include "renderer/devices/device_group.h"
#include "renderer/devices/group_part.h"

namespace rayscope {

/// The times of devices that work at once, as those of one. Between two finish() they are means,
/// as reports come late and not together; at a finish() they become the time of whoever worked
/// longest in between.
class SharedTimes {
public:
    /// What the devices report next to each other; without their rays.
    FrameStats add(const std::vector<FrameStats>& reports, double devices);
    /// What is missing to the longest.
    FrameStats finish();

private:
    std::vector<FrameStats> sums_;  ///< since the last finish(), of each
    FrameStats said_;
};

/// Renders a film with all devices of a group.
class GroupSession : public Session {
public:
    GroupSession(std::shared_ptr<DeviceGroup> group, Film& film);
    ~GroupSession() override;

    bool abandonPass() override;
    FrameStats advance(const Settings& settings, const Camera& camera, double budgetMs) override;
    bool worksOn() const override;
    double leftMs() override { return lead().session().leftMs(); }
    FrameStats finish() override;
    void wake() override;
    void releasePaths() override;
    KernelInfo kernel() const override;
    GroupWork work() const override;
    double ownShare() const override;

private:
    void clearPixels() override;
    void open();
    void begin(bool keep);
    bool works(std::size_t i) const {
        return parts_[i] != nullptr && parts_[i]->problem().empty() && group_->members[i].works();
    }
    GroupPart& lead() const { return *parts_[lead_]; }
    struct Shares {
        std::vector<double> of;  ///< each part, samples
        int devices = 0;         ///< that have one
        bool atOnce = false;     ///< it takes no time
        bool final = false;      ///< nobody has more; whole numbers
    };
    Shares sharesOf(int left);
    std::vector<PartTask> planned(const std::vector<Settings>& settings, const Camera& camera,
                                  double budgetMs);
    void dismissFailed();
    void gather();
    void addSent(bool wait, bool early);
    void useLead();
    int outstanding() const;
    FrameStats takeStats();

    std::shared_ptr<DeviceGroup> group_;
    std::size_t lead_;
    std::vector<std::unique_ptr<GroupPart>> parts_;  ///< as the group's members; nullptr: lost
    SampleQueue queue_;
    bool begun_ = false;  ///< parts have films of the present size
    bool fresh_ = true;   ///< sample numbers begin with those of pass()
    int base_ = 0;        ///< samples of the film before this session
    int added_ = 0;       ///< to the film, of other parts
    SharedTimes times_;
    double wallMs_ = 0;  ///< without the span under way
    std::optional<Clock::time_point> since_;
};

}  // namespace rayscope
