// Numbers side by side, and the hierarchies whose nodes have their children so.

#include "renderer/core/wide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "renderer/scene/wide_tree.h"
#include "tests/made_of_triangles.h"
#include "tests/random_points.h"

namespace rayscope {
namespace {

template <class Real, int N>
struct Places {
    alignas(64) Real v[N];
};

template <class Real, int N>
Places<Real, N> stored(const Wide<Real, N>& wide) {
    Places<Real, N> p;
    wide.store(p.v);
    return p;
}

/// Of any size and sign, among them zeros, infinities and what is no number.
template <class Real, int N>
Places<Real, N> someNumbers(Twister& random) {
    Places<Real, N> p;
    for (Real& x : p.v) {
        x = static_cast<Real>(std::ldexp(uniform(random, -1, 1), static_cast<int>(random() % 40)));
        if (random() % 16 == 0) x = 0;
        if (random() % 32 == 0) x = std::numeric_limits<Real>::infinity();
        if (random() % 32 == 0) x = std::numeric_limits<Real>::quiet_NaN();
    }
    return p;
}

template <class Real>
bool same(Real a, Real b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

template <class Real, int N>
void expectEachIsAsAlone() {
    using W = Wide<Real, N>;
    Twister random(1);
    for (int round = 0; round < 2000; ++round) {
        Places<Real, N> p[4];
        for (auto& numbers : p) numbers = someNumbers<Real, N>(random);
        const W a(p[0].v), b(p[1].v), c(p[2].v), d(p[3].v);
        const auto expect = [&](const W& wide, auto alone) {
            const Places<Real, N> found = stored(wide);
            for (int i = 0; i < N; ++i)
                ASSERT_TRUE(same(found.v[i], alone(p[0].v[i], p[1].v[i], p[2].v[i], p[3].v[i])));
        };
        using R = Real;
        expect(W(p[2].v[0]), [&](R, R, R, R) { return p[2].v[0]; });
        expect(a + b, [](R x, R y, R, R) { return x + y; });
        expect(a - b, [](R x, R y, R, R) { return x - y; });
        expect(a * b, [](R x, R y, R, R) { return x * y; });
        expect(a / b, [](R x, R y, R, R) { return x / y; });
        expect(fastMin(a, b), [](R x, R y, R, R) { return x < y ? x : y; });
        expect(fastMax(a, b), [](R x, R y, R, R) { return x > y ? x : y; });
        expect(mulAdd(a, b, c), [](R x, R y, R z, R) { return mulAdd(x, y, z); });
        expect(productDifference(a, b, c, d),
               [](R x, R y, R z, R w) { return productDifference(x, y, z, w); });
        unsigned less = 0, atMost = 0, both = 0, either = 0;
        for (int i = 0; i < N; ++i) {
            const Real x = p[0].v[i], y = p[1].v[i], z = p[2].v[i];
            less |= x < y ? 1u << i : 0;
            atMost |= x <= y ? 1u << i : 0;
            both |= x < y && y <= z ? 1u << i : 0;
            either |= x < y || y <= z ? 1u << i : 0;
        }
        ASSERT_EQ(bitsOf(a < b), less);
        ASSERT_EQ(bitsOf(a <= b), atMost);
        ASSERT_EQ(bitsOf((a < b) & (b <= c)), both);
        ASSERT_EQ(bitsOf((a < b) | (b <= c)), either);
    }
}

TEST(Wide, EachNumberIsAsAlone) {
    expectEachIsAsAlone<float, 4>();
    expectEachIsAsAlone<float, 8>();
    expectEachIsAsAlone<double, 8>();
    alignas(64) const int numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    EXPECT_EQ(bitsWhere<8>(numbers, 1), 0b1010u);
    EXPECT_EQ(bitsWhere<8>(numbers, 6), 0b10000000u);
    EXPECT_EQ(bitsWhere<8>(numbers, 7), 0u);
}

template <int N>
void expectLeastIsFound() {
    alignas(64) int numbers[N];
    for (int least = 0; least < N; ++least) {
        for (int i = 0; i < N; ++i) numbers[i] = i == least || i == N - 1 ? -7 : i;
        const Ints<N> all(numbers);
        EXPECT_EQ(leastOf(all).first(), -7);
        EXPECT_EQ(whereEqual(all, leastOf(all)), 1u << least | 1u << (N - 1));
        EXPECT_EQ(whereLess(all, -7), 0u);
        EXPECT_EQ(whereLess(all, 0), 1u << least | 1u << (N - 1));
        EXPECT_EQ(minimum(all, leastOf(all)).first(), -7);
    }
}

TEST(Wide, FindsTheLeastInteger) {
    expectLeastIsFound<2>();
    expectLeastIsFound<4>();
    expectLeastIsFound<8>();
    expectLeastIsFound<16>();
}

std::vector<ListedShape<float>> shapesOf(const Scene& scene, const std::vector<int>& list) {
    std::vector<ListedShape<float>> shapes;
    const int spheres = static_cast<int>(scene.spheres.size());
    for (const int i : list) {
        ListedShape<float> shape{};
        shape.id = i < spheres ? i : kTriangleShape + i - spheres;
        if (i >= spheres) {
            const Mesh& mesh = *scene.meshes[0].mesh;
            const auto corner = [&](int k) {
                const glm::vec3 c = mesh.corners[mesh.faces[i - spheres].corners[k]];
                return Vec3<float>{c.x, c.y, c.z};
            };
            shape.a = corner(0), shape.b = corner(1), shape.c = corner(2);
        }
        shapes.push_back(shape);
    }
    return shapes;
}

/// What a walk relies on, of a tree of N children.
template <int N>
class Checked {
public:
    Checked(const Scene& scene, const WideTree<float, N>& tree)
        : boxes_(boxesOf(scene)), spheres_(static_cast<int>(scene.spheres.size())), tree_(tree) {
        const float everywhere = std::numeric_limits<float>::infinity();
        const glm::dvec3 all(everywhere);
        levels = node(tree.root, {-all, all});
    }
    std::map<ShapeId, int> found;  ///< how often
    int levels = 0;

private:
    int node(int index, const Box& around) {
        const WideNode<N>& n = tree_.nodes[index];
        int below = 0;
        for (int i = 0; i < N; ++i) {
            if (n.x[0][i] > n.x[1][i]) continue;  // unused
            const Box box{{n.x[0][i], n.y[0][i], n.z[0][i]}, {n.x[1][i], n.y[1][i], n.z[1][i]}};
            expectWithin(box, around);
            if (n.child[i] >= 0)
                below = std::max(below, node(n.child[i], box));
            else
                leaf(n.child[i], box);
        }
        return below + 1;
    }
    void leaf(int reference, const Box& around) {
        bool spheres = false;
        for (const ShapeId id : tree_.blocks[wideNumber(reference)].id) {
            if (id == kNoShape) continue;
            ++found[id];
            spheres = spheres || id < kTriangleShape;
            const int shape = id < kTriangleShape ? id : spheres_ + id - kTriangleShape;
            expectWithin(boxes_[shape], around);
        }
        EXPECT_EQ(wideLeaf(reference), spheres ? WideLeaf::spheres : WideLeaf::triangles);
    }
    static void expectWithin(const Box& inner, const Box& outer) {
        for (int a = 0; a < 3; ++a) {
            EXPECT_GE(inner.low[a], outer.low[a]);
            EXPECT_LE(inner.high[a], outer.high[a]);
        }
    }

    std::vector<Box> boxes_;
    int spheres_;
    const WideTree<float, N>& tree_;
};

template <int N>
void expectHolds(const Scene& scene, int moved) {
    Bvh bvh = buildBvh(boxesOf(scene));
    for (int i = 0; i < moved; ++i) moveOutside(bvh, i);
    const WideTree<float, N> tree = widened<float, N>(bvh, shapesOf(scene, bvh.list));
    const Checked<N> checked(scene, tree);
    EXPECT_EQ(checked.found.size(), shapeCount(scene));
    for (const auto& [id, times] : checked.found) EXPECT_EQ(times, 1) << id;
    EXPECT_LE(checked.levels, kWideLevels);
}

TEST(Wide, ATreeHasEachShapeOnceWithinItsBoxes) {
    forTreesOfAllSizes(expectHolds<4>);
    forTreesOfAllSizes(expectHolds<8>);
}

}  // namespace
}  // namespace rayscope
