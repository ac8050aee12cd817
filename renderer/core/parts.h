#pragma once

// Which part of a path's work each function of the kernels is, for a profile that tells where time
// goes. Kernels do not include this.

namespace rayscope {

/// caller: whatever its caller is, as a dot product.
enum class Part {
    loop,     ///< from one ray of a path to the next, counts
    start,    ///< which sample, and its camera ray
    search,   ///< for the nearest hit
    shadow,   ///< the search of a shadow ray
    miss,     ///< the sky
    surface,  ///< position, normal and material of a hit, and which of these it is
    lambert,
    metal,
    dielectric,
    glass,
    glossy,
    direction,  ///< of the next ray, by a formula that camera and materials share
    light,      ///< samples of lamps
    random,     ///< random numbers
    state,      ///< paths in memory between kernels
    accumulate,
    caller
};
inline constexpr int kParts = static_cast<int>(Part::caller);

inline constexpr const char* kPartNames[kParts] = {
    "loop",       "start", "search", "shadow",    "miss",  "surface", "lambert", "metal",
    "dielectric", "glass", "glossy", "direction", "light", "random",  "state",   "accumulate"};

/// A function of a file, or what else is in the file ("").
struct PartOfCode {
    const char* file;
    const char* function;
    Part part;
};

inline constexpr PartOfCode kPartsOfCode[] = {
    {"renderer/core/aim.h", "", Part::direction},
    {"renderer/core/bvh.h", "", Part::search},
    {"renderer/core/bvh4.h", "", Part::search},
    {"renderer/core/camera_ray.h", "", Part::start},
    {"renderer/core/cells.h", "part", Part::surface},
    {"renderer/core/cells.h", "followAmongCells", Part::loop},
    {"renderer/core/cells.h", "renderPiecesAmongCells", Part::loop},
    {"renderer/core/cells.h", "", Part::search},
    {"renderer/core/compact.h", "compactSurface", Part::surface},
    {"renderer/core/compact.h", "stay", Part::start},
    {"renderer/core/compact.h", "begin", Part::start},
    {"renderer/core/compact.h", "survives", Part::surface},
    {"renderer/core/compact.h", "end", Part::accumulate},
    {"renderer/core/compact.h", "bounce", Part::surface},
    {"renderer/core/compact.h", "lastHit", Part::surface},
    {"renderer/core/compact.h", "sideOf", Part::surface},
    {"renderer/core/compact.h", "normalAt", Part::surface},
    {"renderer/core/compact.h", "facingAt", Part::surface},
    {"renderer/core/compact.h", "leave", Part::direction},
    {"renderer/core/compact.h", "", Part::loop},
    {"renderer/core/fixed_film.h", "", Part::accumulate},
    {"renderer/core/footprint.h", "", Part::start},
    {"renderer/core/grid.h", "", Part::search},
    {"renderer/core/half.h", "", Part::search},
    {"renderer/core/intersect.h", "occluded", Part::shadow},
    {"renderer/core/intersect.h", "occludedBy", Part::shadow},
    {"renderer/core/intersect.h", "occludedInLanes", Part::shadow},
    {"renderer/core/intersect.h", "occludedWalking", Part::shadow},
    {"renderer/core/intersect.h", "", Part::search},
    {"renderer/core/keys.h", "occludedByKey", Part::shadow},
    {"renderer/core/keys.h", "", Part::search},
    {"renderer/core/lanes.h", "", Part::caller},
    {"renderer/core/light_queue.h", "", Part::light},
    {"renderer/core/linear_bvh.h", "", Part::state},
    {"renderer/core/maths.h", "", Part::caller},
    {"renderer/core/compressed.h", "", Part::search},
    {"renderer/core/mesh.h", "normalAt", Part::surface},
    {"renderer/core/mesh.h", "applyTextures", Part::surface},
    {"renderer/core/mesh.h", "hasTextures", Part::surface},
    {"renderer/core/mesh.h", "texturePlace", Part::surface},
    {"renderer/core/mesh.h", "colourAt", Part::surface},
    {"renderer/core/mesh.h", "finish", Part::surface},
    {"renderer/core/mesh.h", "brightnessAt", Part::light},
    {"renderer/core/mesh.h", "storedTriangle", Part::surface},
    {"renderer/core/mesh.h", "placeOf", Part::surface},
    {"renderer/core/mesh.h", "weightsAt", Part::surface},
    {"renderer/core/mesh.h", "goesThrough", Part::surface},
    {"renderer/core/mesh.h", "TriangleHit", Part::surface},
    {"renderer/core/mesh.h", "onSideOf", Part::caller},
    {"renderer/core/mesh.h", "", Part::search},
    {"renderer/core/mesh_search.h", "anyShape", Part::shadow},
    {"renderer/core/mesh_search.h", "", Part::search},
    {"renderer/core/mesh_test.h", "", Part::search},
    {"renderer/core/mesh_tree.h", "", Part::search},
    {"renderer/core/mesh_wide.h", "", Part::search},
    {"renderer/core/near_cells.h", "", Part::search},
    {"renderer/core/nodes.h", "", Part::search},
    {"renderer/core/path.h", "scatter", Part::light},
    {"renderer/core/path.h", "miss", Part::miss},
    {"renderer/core/path.h", "startPath", Part::start},
    {"renderer/core/path.h", "rowGenerator", Part::start},
    {"renderer/core/path.h", "addSamples", Part::accumulate},
    {"renderer/core/path.h", "", Part::loop},
    {"renderer/core/path_store.h", "", Part::state},
    {"renderer/core/place_search.h", "anyPlaced", Part::shadow},
    {"renderer/core/place_search.h", "", Part::search},
    {"renderer/core/places.h", "", Part::caller},
    {"renderer/core/platform.h", "addTogether", Part::accumulate},
    {"renderer/core/platform.h", "", Part::caller},
    {"renderer/core/picture.h", "radianceFrom", Part::miss},
    {"renderer/core/picture.h", "skyAt", Part::miss},
    {"renderer/core/picture.h", "", Part::surface},
    {"renderer/core/pool.h", "gain", Part::accumulate},
    {"renderer/core/pool.h", "goOn", Part::loop},
    {"renderer/core/pool.h", "followInStep", Part::loop},
    {"renderer/core/pool.h", "renderPixelInStep", Part::loop},
    {"renderer/core/pool.h", "renderPieces", Part::loop},
    {"renderer/core/pool.h", "", Part::start},
    {"renderer/core/random.h", "", Part::random},
    {"renderer/core/sampling.h", "lampAt", Part::light},
    {"renderer/core/sampling.h", "", Part::caller},
    {"renderer/core/scene_view.h", "", Part::caller},
    {"renderer/core/shade.h", "reflect", Part::caller},
    {"renderer/core/shade.h", "skyRadiance", Part::miss},
    {"renderer/core/shade.h", "hitKind", Part::loop},
    {"renderer/core/shade.h", "scatterLambert", Part::lambert},
    {"renderer/core/shade.h", "scatterMetal", Part::metal},
    {"renderer/core/shade.h", "roughen", Part::metal},
    {"renderer/core/shade.h", "scatterDielectric", Part::dielectric},
    {"renderer/core/shade.h", "refract", Part::dielectric},
    {"renderer/core/shade.h", "scatterGlass", Part::glass},
    {"renderer/core/shade.h", "refractWeighted", Part::glass},
    {"renderer/core/shade.h", "interfaceOf", Part::caller},
    {"renderer/core/shade.h", "schlick", Part::caller},
    {"renderer/core/shade.h", "goThrough", Part::caller},
    {"renderer/core/shade.h", "scatterGlossy", Part::glossy},
    {"renderer/core/shade.h", "lightSamples", Part::light},
    {"renderer/core/shade.h", "sampleCardLight", Part::light},
    {"renderer/core/shade.h", "lightInView", Part::light},
    {"renderer/core/shade.h", "sampleLight", Part::light},
    {"renderer/core/shade.h", "sampleLamps", Part::light},
    {"renderer/core/shade.h", "sampleSky", Part::light},
    {"renderer/core/shade.h", "", Part::surface},
    {"renderer/core/shapes.h", "cross", Part::search},
    {"renderer/core/shapes.h", "crossingOf", Part::search},
    {"renderer/core/shapes.h", "nearestRoot", Part::search},
    {"renderer/core/shapes.h", "distance", Part::search},
    {"renderer/core/shapes.h", "kindOf", Part::caller},
    {"renderer/core/shapes.h", "withShape", Part::caller},
    {"renderer/core/shapes.h", "", Part::surface},
    {"renderer/core/sort_keys.h", "", Part::state},
    {"renderer/core/stages.h", "filmIndex", Part::caller},
    {"renderer/core/stages.h", "cameraRayOf", Part::start},
    {"renderer/core/stages.h", "generate", Part::start},
    {"renderer/core/stages.h", "storePlace", Part::surface},
    {"renderer/core/stages.h", "surfaceOf", Part::surface},
    {"renderer/core/stages.h", "search", Part::search},
    {"renderer/core/stages.h", "gather", Part::state},
    {"renderer/core/stages.h", "samplesOf", Part::accumulate},
    {"renderer/core/stages.h", "accumulate", Part::accumulate},
    {"renderer/core/stages.h", "", Part::loop},
    {"renderer/core/tiles.h", "loadTile", Part::search},
    {"renderer/core/tiles.h", "closestHit", Part::search},
    {"renderer/core/tiles.h", "", Part::loop},
    {"renderer/core/triangle.h", "", Part::search},
    {"renderer/core/vector.h", "", Part::caller},
    {"renderer/core/wide.h", "", Part::caller},
    {"renderer/cuda/kernels/kernel.h", "threadOfBlock", Part::caller},
    {"renderer/cuda/kernels/kernel.h", "", Part::loop},
    {"renderer/cuda/kernels/kept.h", "", Part::caller},
    {"renderer/cuda/kernels/megakernel.cu", "sumOfPixel", Part::accumulate},
    {"renderer/cuda/kernels/megakernel.cu", "renderSample", Part::accumulate},
    {"renderer/cuda/kernels/megakernel.cu", "addSums", Part::accumulate},
    {"renderer/cuda/kernels/megakernel.cu", "compactSurfaces", Part::surface},
    {"renderer/cuda/kernels/megakernel.cu", "", Part::loop},
    {"renderer/cuda/kernels/radix_sort.h", "", Part::state},
    {"renderer/cuda/kernels/sort.h", "", Part::state},
    {"renderer/cuda/kernels/top_nodes.h", "", Part::search},
    {"renderer/cuda/kernels/wavefront.cu", "append", Part::state},
    {"renderer/cuda/kernels/wavefront.cu", "keyOf", Part::state},
    {"renderer/cuda/kernels/wavefront.cu", "listKeys", Part::state},
    {"renderer/cuda/kernels/wavefront.cu", "sortPaths", Part::state},
    {"renderer/cuda/kernels/wavefront.cu", "runPixels", Part::accumulate},
    {"renderer/cuda/kernels/wavefront.cu", "", Part::loop},
};

}  // namespace rayscope
