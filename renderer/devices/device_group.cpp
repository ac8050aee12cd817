#include "renderer/devices/device_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "renderer/backend/film_memory.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/devices/group_session.h"
#include "renderer/devices/starting.h"

namespace rayscope {

namespace {

/// "2 x NVIDIA H200 and AMD EPYC, 14 threads"
std::string together(const std::vector<std::string>& names) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < names.size();) {
        std::size_t end = i;
        while (end < names.size() && names[end] == names[i]) ++end;
        parts.push_back(end - i > 1 ? fmt::format("{} x {}", end - i, names[i]) : names[i]);
        i = end;
    }
    return fmt::format("{}", fmt::join(parts, " and "));
}

class GroupRenderer : public Renderer {
public:
    explicit GroupRenderer(std::vector<GroupMember> members)
        : group_(std::make_shared<DeviceGroup>(std::move(members))) {}

    DeviceInfo device() const override {
        DeviceInfo info = lead().device();
        std::vector<std::string> names;
        for (const GroupMember& member : group_->members)
            if (member.works()) names.push_back(member.renderer->device().name);
        info.name = together(names);
        return info;
    }

    void useThread() override { lead().useThread(); }
    void setScene(const SharedScene& scene) override {
        group_->scene = scene;
        tell([&](Renderer& renderer) { renderer.setScene(scene); });
    }
    void moveSpheres(const MovedScene& scene) override {
        group_->scene = scene.outline();
        tell([&](Renderer& renderer) { renderer.moveSpheres(scene); });
    }
    void adjustSphere(int number, const Sphere& sphere) override {
        tell([&](Renderer& renderer) { renderer.adjustSphere(number, sphere); });
    }
    void giveHierarchy(const SharedBvh& built) override {
        tell([&](Renderer& renderer) { renderer.giveHierarchy(built); });
    }

    std::string unsupported(const Settings& settings) const override {
        if (settings.backend != group_->backend) return lead().unsupported(settings);
        for (std::size_t i = 0; i < group_->members.size(); ++i) {
            const GroupMember& member = group_->members[i];
            const std::string reason = member.works() ? reasonOf(member, i, settings) : "";
            if (reason.empty()) continue;
            return member.backend == settings.backend
                       ? reason
                       : fmt::format("{}: {}", member.label(), reason);
        }
        return {};
    }

    std::unique_ptr<Session> open(Film& film) override {
        return std::make_unique<GroupSession>(group_, film);
    }

    std::string lost() const override {
        std::vector<std::string> sentences;
        for (const GroupMember& member : group_->members)
            if (!member.works())
                sentences.push_back(fmt::format("{} is lost: {}", member.name(), member.problem));
        return fmt::format("{}", fmt::join(sentences, "; "));
    }

    std::optional<Backend> goOnWithout(const std::string& reason) override {
        std::vector<GroupMember>& members = group_->members;
        members[group_->lead].problem = reason;
        const auto next = std::ranges::find_if(members, &GroupMember::works);
        if (next == members.end()) return {};
        group_->lead = static_cast<std::size_t>(next - members.begin());
        return next->backend;
    }

    PathLengths pathLengths(const Settings& settings, const Camera& camera, int width, int height,
                            int samples, const std::stop_token& stop) override {
        return lead().pathLengths(settings, camera, width, height, samples, stop);
    }
    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        return lead().pixelTimes(settings, camera, width, height, samples, stop);
    }
    Result<std::unique_ptr<Simulator>> simulate(const Simulation& simulation,
                                                const Bodies& start) override {
        return lead().simulate(simulation, start);
    }
    Result<std::unique_ptr<CounterReader>> counterReader(const std::vector<std::string>&) override {
        return Failure{
            "hardware counters are of one GPU, and several render: choose one with --device"};
    }
    Result<std::vector<KernelCounts>> countInstructions(const std::string&,
                                                        const std::function<void()>&) override {
        return Failure{
            "instructions are counted on one GPU, and several render: choose one with "
            "--device"};
    }
    Result<std::vector<std::uint64_t>> countByTwins(const KernelTwins&,
                                                    const std::function<void()>&) override {
        return Failure{"kernels count on one GPU, and several render: choose one with --device"};
    }
    Result<StallSamples> sampleStalls(double, const std::function<void()>&) override {
        return Failure{
            "what warps wait for is sampled on one GPU, and several render: choose one with "
            "--device"};
    }

private:
    Renderer& lead() const { return *group_->members[group_->lead].renderer; }

    /// To all; to the lead last, whose device the thread then uses. Another that fails is done
    /// without.
    void tell(const std::function<void(Renderer&)>& what) {
        for (std::size_t i = 0; i < group_->members.size(); ++i) {
            GroupMember& member = group_->members[i];
            if (!member.works() || i == group_->lead) continue;
            try {
                what(*member.renderer);
            } catch (const std::exception& error) {
                member.problem = error.what();
            }
        }
        what(lead());
    }

    /// Why a member does not trace its part of a picture; empty if it does.
    std::string reasonOf(const GroupMember& member, std::size_t i, const Settings& settings) const {
        const Settings own = group_->settingsOf(i, settings);
        if (own.variant.lightSampling != settings.variant.lightSampling)
            return "there is no light_sampling as asked for: leave it out of --device";
        return member.renderer->unsupported(own);
    }

    std::shared_ptr<DeviceGroup> group_;
};

}  // namespace

int GroupMember::number() const {
    return backend == Backend::cpu ? kHost : renderer->device().number;
}

std::string GroupMember::label() const {
    return backend == Backend::cpu ? "CPU" : fmt::format("GPU {}", renderer->device().number);
}

std::string GroupMember::name() const {
    const std::string name = renderer->device().name;
    return backend == Backend::cpu ? name : fmt::format("{} ({})", name, label());
}

DeviceGroup::DeviceGroup(std::vector<GroupMember> all)
    : members(std::move(all)),
      backend(members.front().backend),
      crew(static_cast<int>(members.size())) {}

Settings DeviceGroup::settingsOf(std::size_t member, const Settings& settings) const {
    const GroupMember& of = members[member];
    Settings own =
        of.backend == settings.backend ? settings : switchedTo(of.backend, settings, scene);
    own.launches = settings.launches;
    if (of.backend == Backend::cuda) return own;
    // Those of other GPUs wait for a device most of the time, one each.
    int cpus = 0, before = 0, gpus = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const bool cpu = members[i].backend == Backend::cpu;
        if (!members[i].works()) continue;
        (cpu ? cpus : gpus) += 1;
        before += cpu && i < member;
    }
    const int asked = settings.backend == Backend::cpu ? settings.threads : 0;
    const int all = asked > 0 ? asked : std::max(1, coreCount() - gpus);
    if (cpus == 1 && gpus == 0) return own;
    own.threads = std::max(1, all * (before + 1) / cpus - all * before / cpus);
    return own;
}

bool DeviceGroup::mixed() const {
    bool cpus = false, gpus = false;
    for (const GroupMember& member : members)
        if (member.works()) (member.backend == Backend::cpu ? cpus : gpus) = true;
    return cpus && gpus;
}

std::size_t DeviceGroup::firstOfDevice(std::size_t member) const {
    const int number = members[member].number();
    if (number == kHost) return member;
    std::size_t first = 0;
    while (members[first].number() != number) ++first;
    return first;
}

std::unique_ptr<Renderer> makeGroup(std::vector<GroupMember> members) {
    return std::make_unique<GroupRenderer>(std::move(members));
}

}  // namespace rayscope
