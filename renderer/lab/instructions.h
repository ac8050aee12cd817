#pragma once

#include <string>
#include <vector>

#include "renderer/backend/kernel_code.h"
#include "renderer/backend/line_table.h"
#include "renderer/backend/renderer.h"

namespace rayscope {

class Trial;

/// How often each instruction of the settings' kernels was executed in a pass, and what it is; by
/// a model as well.
struct CountedInstructions {
    std::vector<KernelCounts> counts;  ///< of some of the kernels, or of all
    Rays rays;                         ///< of that pass
    KernelCode code;                   ///< the machine code that was counted
    LineTable lines;                   ///< of it
    std::vector<KernelSource> files;
    std::vector<std::string> sources() const;  ///< their names
};

/// Plays passes of so many samples for some seconds, as above, and samples where the threads of a
/// CPU are meanwhile: `seen`. Counts are these samples (countsOf()); the rays are those of one
/// pass. Fails as the renderer does, or if the code has no lines.
Result<CountedInstructions> sampleInstructions(Renderer& renderer, Trial& trial, int samples,
                                               const CodeWish& wish, HostSamples& seen);

/// Why instructions of these settings cannot be told by line, or nothing.
std::string unknownLines(const Settings& settings);

/// Plays a pass of so many samples from the first one, of a trial that has ended.
void playWhole(Trial& trial, int samples);

/// Counts one kernel, by its name or, where that is empty, the first one, in a pass of so many
/// samples, which the trial plays anew from its first one. The trial has ended and its renderer has
/// the wish's scene. Fails where nobody may count, there is no such kernel, or as unknownLines()
/// says.
Result<CountedInstructions> countInstructions(Renderer& renderer, Trial& trial, int samples,
                                              const CodeWish& wish, const std::string& kernel);

/// The same of all kernels by a model, which needs nobody's permission: twins of the kernels count
/// their blocks in such a pass (modelled_counts.h). Fails as unknownLines() says, or as the driver.
Result<CountedInstructions> modelInstructions(Renderer& renderer, Trial& trial, int samples,
                                              const CodeWish& wish);

}  // namespace rayscope
