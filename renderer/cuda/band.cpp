#include "renderer/cuda/band.h"

namespace rayscope {

template <class Real>
LaunchParams<Real> bandParams(const Band& band) {
    const Variant& v = band.variant();
    Settings actual = band.settings;
    actual.variant = v;
    const bool positions = v.lightSampling || v.roots == Roots::known;
    LaunchParams<Real> p =
        launchParams<Real>(actual, positions ? band.scene.scene() : band.scene.outline(),
                           band.camera, band.film, band.pass);
    p.y0 = band.pass.cursor;
    p.y1 = band.pass.cursor + band.rows;
    const ScenePacking packing = packingOf(v, band.settings);
    if (v.sceneMemory != SceneMemory::constant) {
        p.scene = band.scene.onDevice(packing);
        if (v.nodeMemory == NodeMemory::texture) band.scene.setTexels(packing, p.params);
    } else if (band.kernel.constantScene != band.scene.version()) {
        const PackedScene& bytes = band.scene.packed(packing);
        band.kernel.setConstantScene(bytes.data(), bytes.size());
        band.kernel.constantScene = band.scene.version();
    }
    return p;
}

template LaunchParams<float> bandParams(const Band&);
template LaunchParams<double> bandParams(const Band&);

}  // namespace rayscope
