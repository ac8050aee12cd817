#include "renderer/cuda/toolkit.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace rayscope {

namespace {

#ifndef RAYSCOPE_CUDA_LIBRARY_DIR
#define RAYSCOPE_CUDA_LIBRARY_DIR "/usr/local/cuda/lib64"
#endif

/// Folders in the order in which they are tried; "" is the dynamic linker's own search. In a
/// toolkit CUPTI has its own folder.
std::vector<std::string> libraryFolders() {
    std::vector<std::string> folders{""};
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* home = std::getenv(name)) {
            folders.push_back(std::string(home) + "/lib64/");
            folders.push_back(std::string(home) + "/extras/CUPTI/lib64/");
        }
    }
    folders.push_back(std::string(RAYSCOPE_CUDA_LIBRARY_DIR) + "/");
    folders.push_back("/usr/local/cuda/lib64/");
    folders.push_back("/usr/local/cuda/extras/CUPTI/lib64/");
    return folders;
}

}  // namespace

void* openToolkitLibrary(const std::string& name, const std::vector<int>& majors) {
    for (int major : majors) {
        for (const std::string& folder : libraryFolders()) {
            const std::string path = fmt::format("{}{}.{}", folder, name, major);
            if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        }
    }
    return nullptr;
}

}  // namespace rayscope
