#include "ui/map_texture.h"

#include <glad/gl.h>

namespace rayscope {

MapTexture::~MapTexture() {
    if (texture_ != 0) glDeleteTextures(1, &texture_);
}

FilmView MapTexture::view(const CostMap& map, long number) {
    if (number != number_) {
        const Size size{map.width, map.height};
        if (texture_ == 0 || !(size == size_)) {
            if (texture_ != 0) glDeleteTextures(1, &texture_);
            glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
            glTextureStorage2D(texture_, 1, GL_R32F, size.width, size.height);
        }
        glTextureSubImage2D(texture_, 0, 0, 0, size.width, size.height, GL_RED, GL_FLOAT,
                            map.values.data());
        size_ = size;
        number_ = number;
    }
    return {.texture = texture_, .size = size_, .upload = number_, .ready = true, .full = true};
}

}  // namespace rayscope
