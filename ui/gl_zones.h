#pragma once

// OpenGL's part of a frame on the timeline: when the GPU (or who plays it) drew what.

namespace rayscope {

/// OpenGL commands from here to the end of the block, on the thread that has the context: a zone of
/// the track "OpenGL", by timer queries (ARB_timer_query). Zones do not lie within each other.
/// Costs a branch while nobody keeps zones. The name lives as long as the program.
class GlZone {
public:
    explicit GlZone(const char* name);
    ~GlZone();
    GlZone(const GlZone&) = delete;
    GlZone& operator=(const GlZone&) = delete;

private:
    bool open_ = false;
};

/// Passes on the zones that have ended; once a frame.
void collectGlZones();

}  // namespace rayscope
