#pragma once

#include <string>
#include <variant>

#include "app/options.h"
#include "renderer/lab/study.h"
#include "renderer/team/team_helpers.h"

// What commands have in common whose work is shared with other ranks, or goes on later.

namespace rayscope {

/// The file for checkpoints; empty: none. `output`: what the command writes, which names it where
/// nobody has; empty or "-": nothing, then `kind` does. A refusal if a file is there that is not
/// gone on from, as work may be in it.
std::variant<std::string, Refusal> checkpointFor(const KeepOptions& keep, const std::string& output,
                                                 const std::string& kind);

/// Says where the work goes on, or removes the checkpoint of work that is done.
void finishCheckpoint(const std::string& path, bool complete, const std::string& problem);

/// False when the command is to end.
bool goOn();
/// The same of a rank that does an errand, which may be needed no more.
bool helping();
/// Why this machine's GPU has failed while it was measured; empty if it has not.
std::string lostDevice(const Machine& machine);

/// What a rank measures with. Two ranks that have equal names for it measure alike; of two that
/// share a processor one has nothing to measure. `renderers`: that are used; nullptr: there is
/// none.
nlohmann::json aboutDevices(const std::vector<const Renderer*>& renderers);

/// The same with a digest of what is to be done, which ranks compare before they begin: scene,
/// camera and size, as settings hang on the device.
nlohmann::json withWork(nlohmann::json about, const nlohmann::json& what);

/// What has to be equal for a study to go on from a checkpoint, but for the devices.
nlohmann::json whatOf(const Study& study, const StudyWish& wish, const State& state);

/// Whether ranks measure, which only equal devices of their own do together, or just work.
enum class Purpose { measure, work };

/// The part that this process has in a command.
struct Sharing {
    enum class Role { lead, help, nothing } role = Role::lead;
    std::string checkpoint;  ///< the file of a lead that keeps one
    /// Of a lead that has ranks to help or keeps a checkpoint, from which it goes on where asked
    /// to.
    std::unique_ptr<TeamHelpers> helpers;
};

/// All ranks begin; rank 0 says which of them measure nothing, and why. `output` as above, `about`:
/// aboutDevices(), `what`: in which a checkpoint that is gone on from has to be equal.
std::variant<Sharing, Refusal> shareWork(Purpose purpose, const KeepOptions& keep,
                                         const std::string& output, const std::string& kind,
                                         const nlohmann::json& about, nlohmann::json what);

/// At the end: finishCheckpoint(); returns the exit code.
int finishSharing(const Sharing& sharing, int code);

/// Measures items that rank 0 asks for, of a study of these scenes. Returns the exit code.
int helpWithStudy(Machine& machine, const std::vector<SharedScene>& scenes, const StudyWish& wish);

}  // namespace rayscope
