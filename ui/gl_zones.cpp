#include "ui/gl_zones.h"

#include <glad/gl.h>

#include <array>
#include <deque>
#include <limits>
#include <string_view>
#include <vector>

#include "renderer/base/timeline.h"

namespace rayscope {

namespace {

constexpr std::int64_t kAnchorLife = 1'000'000'000;  ///< nanoseconds
/// The shortest of so many looks at both clocks is taken: others were interrupted.
constexpr int kTrials = 8;
/// On their way; what comes then has no zone.
constexpr std::size_t kMostPending = 256;

bool wanted() {
    return zonesGoTo(kToMemory | kToTracy);
}

/// OpenGL's clock beside the CPU's.
class GlClock {
public:
    std::int64_t toCpu(GLuint64 time) {
        if (anchored_ == 0 || timelineNow() - anchored_ > kAnchorLife) anchor();
        return static_cast<std::int64_t>(time) + ahead_;
    }

private:
    void anchor() {
        std::int64_t closest = std::numeric_limits<std::int64_t>::max();
        for (int i = 0; i < kTrials; ++i) {
            GLint64 time = 0;
            const std::int64_t before = timelineNow();
            glGetInteger64v(GL_TIMESTAMP, &time);
            const std::int64_t took = timelineNow() - before;
            if (took >= closest) continue;
            closest = took;
            ahead_ = before + took / 2 - time;
        }
        anchored_ = timelineNow();
    }

    std::int64_t anchored_ = 0;
    std::int64_t ahead_ = 0;  ///< the CPU's clock, of OpenGL's
};

class GlTimers {
public:
    bool begin(const char* name) {
        if (pending_.size() >= kMostPending) return false;
        pending_.push_back({name, query(), query()});
        glQueryCounter(pending_.back().began, GL_TIMESTAMP);
        return true;
    }

    void end() { glQueryCounter(pending_.back().ended, GL_TIMESTAMP); }

    void collect() {
        while (!pending_.empty()) {
            const Pending& zone = pending_.front();
            GLint there = 0;
            glGetQueryObjectiv(zone.ended, GL_QUERY_RESULT_AVAILABLE, &there);
            if (there == 0) return;
            recordGpuZone(zone.name, timeOf(zone.began), timeOf(zone.ended), kGlTrack);
            unused_.insert(unused_.end(), {zone.began, zone.ended});
            pending_.pop_front();
        }
    }

private:
    struct Pending {
        const char* name;
        GLuint began, ended;
    };

    GLuint query() {
        if (unused_.empty()) {
            GLuint fresh = 0;
            glGenQueries(1, &fresh);
            return fresh;
        }
        const GLuint used = unused_.back();
        unused_.pop_back();
        return used;
    }

    std::int64_t timeOf(GLuint query) {
        GLuint64 time = 0;
        glGetQueryObjectui64v(query, GL_QUERY_RESULT, &time);
        return clock_.toCpu(time);
    }

    GlClock clock_;
    std::deque<Pending> pending_;
    std::vector<GLuint> unused_;
};

/// Of the one context that the program draws with. Never destroyed: that is gone before.
GlTimers& timers() {
    static GlTimers& instance = *new GlTimers;
    return instance;
}

/// Those of some seconds, of the one context that the program draws with.
std::array<GLsync, 256> fences{};
std::size_t oldest = 0;

bool isLlvmpipe() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return name != nullptr && std::string_view(name).find("llvmpipe") != std::string_view::npos;
}

}  // namespace

void keepFence() {
    static const bool wanted = isLlvmpipe();
    if (!wanted) return;
    glDeleteSync(fences[oldest]);  // at first none, which OpenGL ignores
    fences[oldest] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    oldest = (oldest + 1) % fences.size();
}

void forgetFences() {
    fences = {};
}

GlZone::GlZone(const char* name) : open_(wanted() && timers().begin(name)) {
    if (open_) keepFence();
}

GlZone::~GlZone() {
    if (!open_) return;
    timers().end();
    keepFence();
}

void collectGlZones() {
    timers().collect();
}

}  // namespace rayscope
