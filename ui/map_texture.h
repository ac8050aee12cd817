#pragma once

#include "renderer/lab/cost_map.h"
#include "ui/present.h"

namespace rayscope {

/// Brings a map's numbers into a texture. All calls on the thread of the context.
class MapTexture {
public:
    MapTexture() = default;
    ~MapTexture();
    MapTexture(const MapTexture&) = delete;
    MapTexture& operator=(const MapTexture&) = delete;

    /// Of map number `number`, for Presenter::drawMap().
    FilmView view(const CostMap& map, long number);

private:
    unsigned texture_ = 0;
    Size size_;
    long number_ = 0;
};

}  // namespace rayscope
