#include "renderer/cuda/band.h"

#include "renderer/core/footprint.h"

namespace rayscope {

namespace {

template <class Real>
cudaError_t launchPixelsAs(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                           LaunchRing& ring) {
    LaunchParams<Real> p = bandParams<Real>(kernel, scene, band);
    const Variant& v = kernel.variant();
    const int height = footprint(v).height;
    const dim3 grid(blocksAcross(v, band.film.width, band.film.passSamples),
                    (band.rows + height - 1) / height);
    p.counters = ring.begin();
    void* arguments[] = {&p};
    return cudaLaunchKernel(kernel.function(Stage::whole), grid, dim3(v.blockX, v.blockY),
                            arguments, 0, nullptr);
}

}  // namespace

template <class Real>
LaunchParams<Real> bandParams(LoadedKernel& kernel, DeviceScene& scene, const Band& band) {
    const Variant& v = kernel.variant();
    Settings actual = band.settings;
    actual.variant = v;
    LaunchParams<Real> p = launchParams<Real>(actual, scene.scene(), band.camera, band.film);
    p.y0 = band.film.cursor;
    p.y1 = band.film.cursor + band.rows;
    if (v.sceneMemory != SceneMemory::constant) {
        p.scene = scene.onDevice(v.precision, v.sceneLayout, v.accel);
    } else if (kernel.constantScene != scene.version()) {
        const PackedScene& bytes = scene.packed(v.precision, v.sceneLayout, v.accel);
        kernel.setConstantScene(bytes.data(), bytes.size());
        kernel.constantScene = scene.version();
    }
    return p;
}

template LaunchParams<float> bandParams(LoadedKernel&, DeviceScene&, const Band&);
template LaunchParams<double> bandParams(LoadedKernel&, DeviceScene&, const Band&);

cudaError_t launchPixels(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                         LaunchRing& ring) {
    return kernel.variant().precision == Precision::float64
               ? launchPixelsAs<double>(kernel, scene, band, ring)
               : launchPixelsAs<float>(kernel, scene, band, ring);
}

}  // namespace rayscope
