#pragma once

#include <vector>

#include "renderer/core/scene_view.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// A uniform grid over the spheres of a scene, which core/grid.h walks.
struct Grid {
    GridHeader header{};
    std::vector<GridCell> cells;
    std::vector<int> list;  ///< of spheres: first those in no cell, then cell by cell
};

/// The number of cells, and which of the largest spheres are in none and tested by every ray, are
/// what the surface area heuristic finds cheapest: a ray visits a cell as often as the cell's area
/// is a part of the grid's.
Grid buildGrid(const Scene& scene);

/// Every ray tests the sphere from now on, and no cell lists it. The grid is then correct wherever
/// it goes.
void moveOutside(Grid& grid, int sphere);

/// Upper bounds on the sizes of a grid, also after all spheres have been moved outside.
size_t mostGridCells(size_t spheres);
size_t mostGridEntries(size_t spheres);

/// The grid of a scene while spheres are edited; see EditedBvh.
class EditedGrid {
public:
    void change();
    bool move(int sphere);
    const Grid& of(const Scene& scene);

private:
    Grid grid_;
    std::vector<int> moved_;
    bool built_ = false;
};

}  // namespace rayscope
