#include "renderer/devices/part_film.h"

#include <utility>
#include <vector>

#include "renderer/film/rows.h"

namespace rayscope {

namespace {

class HostFilm : public PartFilm {
public:
    Result<void> begin(int width, int height) override {
        film_.assign(static_cast<std::size_t>(width) * height, Pixel{});
        sent_.assign(film_.size(), Pixel{});
        return {};
    }
    Pixel* pixels() override { return film_.data(); }
    void send() override { std::swap(film_, sent_); }
    bool arrived() override { return true; }
    void wait() override {}
    void add(Pixel* film, Pixel* rest) override {
        addPixels(film, rest, sent_.data(), sent_.size());
        drop();
    }
    void drop() override { sent_.assign(film_.size(), Pixel{}); }
    std::string way() const override { return "in memory"; }

private:
    std::vector<Pixel> film_, sent_;
};

}  // namespace

std::unique_ptr<PartFilm> makeHostFilm() {
    return std::make_unique<HostFilm>();
}

}  // namespace rayscope
