#include "renderer/backend/path_memory.h"

namespace rayscope {

bool storesPaths(const Variant& v) {
    return v.engine == Engine::wavefront || v.engine == Engine::hybrid;
}

bool sortsPaths(const Variant& v) {
    return v.engine == Engine::wavefront &&
           (v.rayOrder != RayOrder::none || v.materialOrder != MaterialOrder::none);
}

PathMemory layOut(const PathBytes& bytes, int capacity, unsigned char* block) {
    const auto take = [&](int each) -> unsigned char* {
        if (each == 0) return nullptr;
        unsigned char* const array = block;
        block += static_cast<size_t>(each) * capacity;
        return array;
    };
    PathMemory m{};
    m.rays = take(bytes.ray);
    m.hits = take(bytes.hit);
    m.samples = take(bytes.sample);
    m.random = reinterpret_cast<unsigned*>(take(bytes.random));
    m.from = reinterpret_cast<int*>(take(bytes.from));
    m.sampled = take(bytes.sampled);
    m.alive = take(bytes.alive);
    m.capacity = capacity;
    return m;
}

size_t blockBytes(const PathBytes& bytes, int capacity) {
    return static_cast<size_t>(total(bytes)) * capacity;
}

}  // namespace rayscope
