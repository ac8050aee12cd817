#pragma once
namespace rayscope {
inline constexpr int kBakedSpheres = 9;
inline constexpr double kBakedScene[9][7] = {
    {0, -100.5, -1, 101.25, },
    {2, 0, -1, 4.75, },
    {0, 0, -1, 0.75, },
    {-2, 0, -1, 4.75, },
    {2, 0, 1, 4.75, },
    {0, 0, 1, 0.75, },
    {-2, 0, 1, 4.75, },
    {0.5, 1, 0.5, 1.25, },
    {-1.5, 1.5, 0, 4.4100000000000001, },
};
inline constexpr int kBakedSides[9] = {1, 1, 1, 1, 1, 1, 1, 0, 1, };
inline constexpr bool kBakedOutside = true;
inline constexpr int kBakedBoxes = 0;
inline constexpr double kBakedBox[1][3][2] = {
};
inline constexpr int kBakedBoxOf[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, };
}
