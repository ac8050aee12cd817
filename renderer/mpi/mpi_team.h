#pragma once

#include <memory>

#include "renderer/team/team.h"

namespace rayscope {

/// The ranks that mpirun has started, or a process that it has not. There is one at a time, and
/// only the thread that makes it may use it. Sums go up a tree of the machines: those of a machine
/// first.
/// `ranksOfMachine`: for tests, as if every machine had so many; 0: as it is.
std::unique_ptr<Team> makeMpiTeam(int ranksOfMachine = 0);

}  // namespace rayscope
