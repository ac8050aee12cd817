#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "renderer/scene/mtl.h"

namespace rayscope {

/// The materials that an OBJ file uses, from its libraries, with their pictures.
class ObjMaterialsUsed {
public:
    /// Materials and textures are added to the mesh.
    ObjMaterialsUsed(Companions& companions, Mesh& mesh, Remarks& remarks)
        : companions_(companions), mesh_(mesh), remarks_(remarks) {}

    /// Reads all libraries that the text names, wherever it does; the first one that has a
    /// material counts.
    void readLibraries(std::string_view text);

    /// The number of a material of the mesh.
    int use(std::string_view name, int line);
    /// Materials that no library has are white, for colours of vertices to be seen as they are.
    void whitenUnknown();
    bool isTextured(int material) const { return hasPicture(mesh_.textures[material]); }
    /// How its textures lie: for placed().
    int placing(int material) const { return placings_[material]; }
    glm::dvec2 placed(int placing, const glm::dvec2& uv) const {
        const std::array<double, 4>& way = ways_[placing];
        return {uv.x * way[0] + way[2], uv.y * way[1] + way[3]};
    }

private:
    using SharedPicture = std::shared_ptr<const Picture8>;

    void libraries(std::string_view names, int line);
    bool library(const std::string& name, int line, bool needed);
    void remarkOn(const std::string& kind, std::string_view name, const std::string& sentence,
                  const std::string& where);
    int add(const std::string& name, const ObjMaterial& found);
    Textures texturesOf(const ObjMaterial& material, FileSurface& surface);
    void remarkOnPlacing(const ObjMaterial& material);
    void cutHolesBy(const SharedPicture& alpha, const ObjMap& map, Textures& textures);
    bool count(const Picture8& picture);
    Texture texture(const ObjMap& map);
    SharedPicture picture(const ObjMap& map);
    Result<Picture8> read(const ObjMap& map);

    Companions& companions_;
    Mesh& mesh_;
    Remarks& remarks_;
    ObjMaterials found_;
    std::map<std::string, int, std::less<>> used_;
    std::map<std::string, bool> libraries_;  ///< by path, or name where there is none
    std::vector<int> placings_;              ///< of each material
    std::vector<int> unknown_;               ///< materials that no library has
    std::vector<std::array<double, 4>> ways_{{1, 1, 0, 0}};  ///< scales and offsets in u and v
    std::map<std::array<double, 4>, int> wayNumbers_{{{1, 1, 0, 0}, 0}};
    std::map<std::pair<std::string, std::string>, SharedPicture> pictures_;  ///< by name and folder
    std::map<std::tuple<SharedPicture, SharedPicture, bool>, SharedPicture>
        cut_;                           ///< by the colour and the alpha
    std::size_t texels_ = 0;            ///< of all pictures
    std::map<std::string, int> named_;  ///< in remarks, of each kind
};

}  // namespace rayscope
