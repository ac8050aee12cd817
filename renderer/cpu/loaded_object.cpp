#include "renderer/cpu/loaded_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "renderer/choices/sources.h"
#include "renderer/compile/host_compiler.h"
#include "renderer/cpu/apart_kernel.h"
#include "renderer/cpu/memory_file.h"

namespace rayscope {

LoadedObject::LoadedObject(const CompiledKernel& compiled, int source)
    : file_(source == kBuiltIn
                ? compiled.code
                : throw std::logic_error("edited code must not be in this process")) {
    handle_ = dlopen(file_.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
        throw std::runtime_error(fmt::format("a kernel cannot be loaded: {}", dlerror()));
    for (std::size_t i = 0; i < compiled.functions.size(); ++i) {
        const void* const pointer = dlsym(handle_, hostSymbol(i).c_str());
        if (pointer == nullptr) {
            dlclose(handle_);
            throw std::runtime_error("a kernel cannot be loaded: it is not in its object");
        }
        functions_.emplace_back(compiled.functions[i].stage, *static_cast<void* const*>(pointer));
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
    : request_(std::move(built.request)), compiled_(*std::move(built.kernel)) {
    if (request_.source == kBuiltIn)
        object_.emplace(compiled_, request_.source);
    else
        apart_ = std::make_unique<ApartKernel>(compiled_, request_.variant);
}

HostKernel::~HostKernel() = default;

const LoadedObject& HostKernel::object() const {
    if (!object_) throw std::logic_error("edited code is not in this process");
    return *object_;
}

bool HostKernel::runs() const {
    return !apart_ || apart_->dead().empty();
}

}  // namespace rayscope
