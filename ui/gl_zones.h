#pragma once

// OpenGL's part of a frame on the timeline: when the GPU (or who plays it) drew what.

namespace rayscope {

/// Behind commands that llvmpipe, Mesa's OpenGL without a GPU, makes a scene of (a framebuffer's,
/// or a frame's): the fence of that scene is destroyed some seconds later. llvmpipe itself destroys
/// it when all of its threads have counted, though the last may still hold its mutex, and then
/// unlocks memory that is another's: the program ends at some time after. Seen with Mesa 22.3.6,
/// whose lp_fence_signalled() reads the count without the mutex. Does nothing with other drivers.
void keepFence();

/// The context is gone, and they with it.
void forgetFences();

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
