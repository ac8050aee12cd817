#pragma once

namespace rayscope {

/// From now on Ctrl-C, SIGTERM, a closed terminal or a closed reader of standard output only make
/// interrupted() return true (base/stop.h), so that long work can keep what is done. A second
/// Ctrl-C ends the program. Ctrl-C or a closed terminal that the starter ignores stays ignored.
void watchForInterrupt();
bool interrupted();

}  // namespace rayscope
