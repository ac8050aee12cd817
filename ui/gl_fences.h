#pragma once

namespace rayscope {

/// Behind commands that llvmpipe, Mesa's OpenGL without a GPU, makes a scene of (a framebuffer's,
/// or a frame's): the fence of that scene is destroyed some seconds later. llvmpipe itself destroys
/// it when all of its threads have counted, though the last may still hold its mutex, and then
/// unlocks memory that is another's: the program ends at some time after. Seen with Mesa 22.3.6,
/// whose lp_fence_signalled() reads the count without the mutex. Does nothing with other drivers.
void keepFence();

/// The context is gone, and they with it.
void forgetFences();

}  // namespace rayscope
