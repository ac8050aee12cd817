#pragma once

namespace rayscope {

/// From now on Ctrl-C, SIGTERM, a terminal that closes and a reader of standard output that goes
/// only set what interrupted() says, so that long work can keep what is done; a second Ctrl-C ends
/// the program.
void watchForInterrupt();
bool interrupted();

}  // namespace rayscope
