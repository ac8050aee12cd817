#pragma once

namespace rayscope {

/// The calling thread, and what it starts from now on, gets what others leave of the cores. Only
/// Linux has priorities of single threads; elsewhere nothing happens.
void workInTheBackground();

}  // namespace rayscope
