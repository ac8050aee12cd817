#pragma once

#include <optional>
#include <string>

#include "renderer/scene/json_reader.h"

namespace rayscope {

/// A file that a scene's file names.
struct NamedFile {
    std::string path;
    std::string digest;  ///< of what it must hold, as digestText(); empty: anything
};

/// Reads the members `key` and "digest". A file that is not known by its digest must be in the
/// scene's folder or below it, because a scene from somewhere else does not open what it likes.
/// Complains about another, and of a name that does not `fit`: `kinds` are expected.
std::optional<NamedFile> readFileName(ObjectReader& members, const char* key,
                                      const std::string& folder,
                                      bool (*fits)(const std::string& path), const char* kinds);

/// Complains if the file holds something else than it should.
void checkDigest(ObjectReader& members, const char* key, const NamedFile& file,
                 std::uint64_t digest);

std::string digestText(std::uint64_t digest);

/// Whether a path leads to a place in the folder or below, as far as its words tell. Addresses such
/// as file:///etc/passwd do not.
bool staysBelow(const std::string& path);
/// Of the file's name, in small letters: ".glb".
std::string endingOf(const std::string& path);
std::string absolutePath(const std::string& path);

}  // namespace rayscope
