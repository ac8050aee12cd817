#pragma once

#include <cstdint>

// What rayscope-import, which reads models by assimp, hands to the program (import_model.cpp):
// first an ImportHead; then the corners, normals, coordinates in textures and colours as floats,
// each of these but the first only where the head says so; the faces, four words each: three
// corners and a material; and so many materials, embedded pictures and remarks. A text or a
// picture is its length, 8 bytes, and its bytes.

namespace rayscope {

/// Where the other process finds the bytes of the file, and where it writes the result.
inline constexpr int kImportFile = 3, kImportResult = 4;

inline constexpr std::uint32_t kImportMagic = 0x31504952;

struct ImportHead {
    std::uint32_t magic = kImportMagic;
    std::uint32_t normals = 0, uvs = 0, colours = 0;  ///< 1: there are some
    std::uint64_t corners = 0, faces = 0;
    std::uint64_t materials = 0, pictures = 0, remarks = 0;
};

/// Of a material; the names of its textures follow, base colour and emission, as texts. "*2" is the
/// embedded picture 2.
struct ImportMaterial {
    double base[3] = {.8, .8, .8}, emission[3] = {0, 0, 0};
    double metallic = 0, roughness = 1, transmission = 0, index = 1.5;
};

/// How the other process ends where it has no result. Where the library says why it cannot read a
/// file, the result is that text.
enum ImportEnd : int { kImportDone = 0, kImportRefused = 3, kImportNoMemory = 4, kImportLarge = 5 };

}  // namespace rayscope
