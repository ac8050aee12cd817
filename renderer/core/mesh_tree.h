#pragma once

#include "renderer/core/compressed.h"
#include "renderer/core/mesh.h"
#include "renderer/core/triangle.h"

// The list of a scene with triangles as walks read it, in each form that it may have: of the test
// and of the layout of corners.

namespace rayscope {

template <class Real>
struct Corners {
    Vec3<Real> a, b, c;
};

/// A shape's number, read where it is needed.
struct NumberAt {
    const ShapeId* at;
    RAYSCOPE_FN operator ShapeId() const { return *at; }
};

/// VertexLayout::unrolled.
template <class Real>
struct UnrolledList {
    const ListedShape<Real>* shapes;

    RAYSCOPE_FN explicit UnrolledList(const MeshView<Real>& mesh) : shapes(mesh.listed()) {}
    /// Calls triangle(id, what the test takes of it) or sphere(id) with entry k.
    template <class Triangle, class Sphere>
    RAYSCOPE_FN bool visit(int k, bool, Triangle triangle, Sphere sphere) const {
        const ListedShape<Real> shape = shapes[k];
        if (kindOf(shape.id) == ShapeKind::triangle) return triangle(shape.id, shape);
        return sphere(shape.id);
    }
};

/// VertexLayout::unrolled and VertexPrecision::half.
template <class Real>
struct HalfList {
    const HalfShape* shapes;
    const HalfFrame& frame;

    RAYSCOPE_FN explicit HalfList(const MeshView<Real>& mesh)
        : shapes(mesh.template at<HalfShape>(mesh.header->listed)), frame(mesh.header->halves) {}
    template <class Triangle, class Sphere>
    RAYSCOPE_FN bool visit(int k, bool, Triangle triangle, Sphere sphere) const {
        const HalfShape s = shapes[k];
        if (kindOf(s.id) != ShapeKind::triangle) return sphere(s.id);
        return triangle(s.id, Corners<Real>{corner(s.xy[0], s.zz), corner(s.xy[1], s.zz >> 16),
                                            corner(s.xy[2], s.z)});
    }

private:
    RAYSCOPE_FN Vec3<Real> corner(unsigned xy, unsigned z) const {
        const Vec3<float> p = fromHalves(xy & 0xffff, xy >> 16, z & 0xffff, frame);
        return {Real(p.x), Real(p.y), Real(p.z)};
    }
};

/// VertexLayout::indexed.
template <class Real>
struct IndexedList {
    const IndexedShape* shapes;
    const CornerRecord<Real>* corners;

    RAYSCOPE_FN explicit IndexedList(const MeshView<Real>& mesh)
        : shapes(mesh.template at<IndexedShape>(mesh.header->listed)),
          corners(mesh.template at<CornerRecord<Real>>(mesh.header->corners)) {}
    template <class Triangle, class Sphere>
    RAYSCOPE_FN bool visit(int k, bool, Triangle triangle, Sphere sphere) const {
        const IndexedShape shape = shapes[k];
        if (kindOf(shape.id) != ShapeKind::triangle) return sphere(shape.id);
        return triangle(shape.id,
                        Corners<Real>{corners[shape.corner[0]].v, corners[shape.corner[1]].v,
                                      corners[shape.corner[2]].v});
    }
};

/// VertexLayout::soa.
template <class Real>
struct SoaList {
    const Real* components;
    int count;
    const ShapeId* numbers;

    RAYSCOPE_FN explicit SoaList(const MeshView<Real>& mesh)
        : components(mesh.template at<Real>(mesh.header->listed)),
          count(mesh.header->tree.listed),
          numbers(mesh.template at<ShapeId>(mesh.header->numbers)) {}
    /// `spheres`: there may be some.
    template <class Triangle, class Sphere>
    RAYSCOPE_FN bool visit(int k, bool spheres, Triangle triangle, Sphere sphere) const {
        const NumberAt id{numbers + k};
        if (spheres && kindOf(id) != ShapeKind::triangle) return sphere(id);
        return triangle(id, Corners<Real>{corner(k), corner(3 * count + k), corner(6 * count + k)});
    }

private:
    RAYSCOPE_FN Vec3<Real> corner(int first) const {
        return {components[first], components[first + count], components[first + 2 * count]};
    }
};

/// TriangleTest::woop.
template <class Real>
struct TransformedList {
    const TransformedTriangle<Real>* triangles;
    const ShapeId* numbers;

    RAYSCOPE_FN explicit TransformedList(const MeshView<Real>& mesh)
        : triangles(mesh.template at<TransformedTriangle<Real>>(mesh.header->listed)),
          numbers(mesh.template at<ShapeId>(mesh.header->numbers)) {}
    template <class Triangle, class Sphere>
    RAYSCOPE_FN bool visit(int k, bool spheres, Triangle triangle, Sphere sphere) const {
        const NumberAt id{numbers + k};
        if (spheres && kindOf(id) != ShapeKind::triangle) return sphere(id);
        const TransformedTriangle<Real> transformed = triangles[k];
        return triangle(id, transformed);
    }
};

template <class Real, ListForm Form>
struct MeshListOf {
    using Type = UnrolledList<Real>;
};
template <class Real>
struct MeshListOf<Real, ListForm::indexed> {
    using Type = IndexedList<Real>;
};
template <class Real>
struct MeshListOf<Real, ListForm::soa> {
    using Type = SoaList<Real>;
};
template <class Real>
struct MeshListOf<Real, ListForm::half> {
    using Type = HalfList<Real>;
};
template <class Real>
struct MeshListOf<Real, ListForm::transformed> {
    using Type = TransformedList<Real>;
};
template <class Real, Variant V, TriangleTest Test>
using ListOf = typename MeshListOf<Real, listForm(Test, V.vertexLayout, V.vertexPrecision)>::Type;

/// The list and the tree of a scene with triangles, as walk() and walkCompressed() read them.
template <class Real, Variant V, TriangleTest Test>
struct MeshTree {
    const SceneView<Real, V>& scene;
    const MeshHeader* header;
    const unsigned char* nodes;
    ListOf<Real, V, Test> list;

    RAYSCOPE_FN BvhHeader head() const { return header->tree; }
    RAYSCOPE_FN BvhNode node(int i) const {
        return nodeAt(scene, reinterpret_cast<const BvhNode*>(nodes), i);
    }
    RAYSCOPE_FN CompressedNode compressed(int i) const {
        return nodeAt(scene, reinterpret_cast<const CompressedNode*>(nodes), i);
    }
    /// Calls visit(id, triangle) or visit(id, sphere), with what the test takes as a triangle.
    template <class Visit>
    RAYSCOPE_FN bool visit(int k, Visit visit) const {
        return list.visit(k, scene.count() > 0, visit, [&](ShapeId id) RAYSCOPE_INLINED {
            return visit(id, scene.geometryOf(id));
        });
    }
    /// In a scene with places (places.h), of which the list has the complements of the numbers:
    /// calls visitPlace(number) for these.
    template <class Visit, class VisitPlace>
    RAYSCOPE_FN bool visit(int k, Visit visit, VisitPlace visitPlace) const {
        return list.visit(k, true, visit, [&](ShapeId id) RAYSCOPE_INLINED {
            if (id < 0) return visitPlace(~id);
            return visit(id, scene.geometryOf(id));
        });
    }
};

template <TriangleTest Test, class Real, Variant V>
RAYSCOPE_FN MeshTree<Real, V, Test> meshTree(const SceneView<Real, V>& scene) {
    const MeshView<Real> mesh = meshOf(scene);
    return {scene, mesh.header, mesh.template at<unsigned char>(mesh.header->nodes),
            ListOf<Real, V, Test>(mesh)};
}

}  // namespace rayscope
