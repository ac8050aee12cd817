#pragma once

#include <optional>
#include <string>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// Notices what came of a kernel source that was saved.
class SourceWatch {
public:
    struct News {
        std::string text;
        bool bad = false;
    };
    /// Once a frame in which the picture is traced; `version` is kernelSourcesVersion(), `kernel`
    /// the one that renders. News once for each change.
    std::optional<News> look(unsigned version, const KernelInfo& kernel);

private:
    std::optional<unsigned> version_;
    int frames_ = 0;  ///< since the change; 0: nothing to wait for
};

}  // namespace rayscope
