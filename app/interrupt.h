#pragma once

namespace rayscope {

/// From now on Ctrl-C only sets what interrupted() says, so that long work can keep what is done; a
/// second one ends the program.
void watchForInterrupt();
bool interrupted();

}  // namespace rayscope
