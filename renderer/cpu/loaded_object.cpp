#include "renderer/cpu/loaded_object.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "renderer/compile/host_compiler.h"

namespace rayscope {

/// The bytes as a file in memory, so that what is loaded is what has been checked. It stays open
/// while it is loaded: the loader takes files of the same name for the same object.
class LoadedObject::File {
public:
    explicit File(const std::string& bytes)
        : file_(memfd_create("rayscope-kernel", MFD_CLOEXEC)) {
        if (file_ < 0) fail();
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t n = write(file_, bytes.data() + done, bytes.size() - done);
            if (n <= 0) fail();
            done += static_cast<std::size_t>(n);
        }
    }
    ~File() { close(file_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

private:
    [[noreturn]] static void fail() {
        throw std::runtime_error(
            fmt::format("a kernel cannot be loaded: {}", std::strerror(errno)));
    }

    int file_;
};

LoadedObject::LoadedObject(const CompiledKernel& compiled)
    : file_(std::make_unique<File>(compiled.code)) {
    handle_ = dlopen(file_->path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
        throw std::runtime_error(fmt::format("a kernel cannot be loaded: {}", dlerror()));
    for (std::size_t i = 0; i < compiled.functions.size(); ++i) {
        const void* const pointer = dlsym(handle_, hostSymbol(i).c_str());
        if (pointer == nullptr) {
            dlclose(handle_);
            throw std::runtime_error("a kernel cannot be loaded: it is not in its object");
        }
        functions_.emplace_back(compiled.functions[i].stage,
                                *static_cast<void* const*>(pointer));
    }
}

LoadedObject::~LoadedObject() {
    dlclose(handle_);
}

void* LoadedObject::address(Stage stage) const {
    const auto found = std::ranges::find(functions_, stage, &std::pair<Stage, void*>::first);
    if (found == functions_.end()) throw std::logic_error("a stage is not in its program");
    return found->second;
}

HostKernel::HostKernel(BuildResult built)
    : request_(std::move(built.request)),
      compiled_(*std::move(built.kernel)),
      object_(compiled_) {}

}  // namespace rayscope
