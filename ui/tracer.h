#pragma once

#include <functional>
#include <memory>

#include "renderer/backend/film_memory.h"
#include "renderer/backend/renderer.h"
#include "renderer/devices/backends.h"
#include "ui/present.h"
#include "ui/window.h"

namespace rayscope {

/// The memory that a film is accumulated in, and its way into a texture.
///
/// host: a mapped pixel buffer that the CPU writes. interop: a pixel buffer registered with CUDA.
/// copy: device memory, copied through pinned host memory. All calls on the thread of the context.
class FilmDisplay {
public:
    FilmDisplay() = default;
    ~FilmDisplay();
    FilmDisplay(const FilmDisplay&) = delete;
    FilmDisplay& operator=(const FilmDisplay&) = delete;

    /// Memory for films of up to `capacity`, in place of what was there. Returns an empty string,
    /// or one sentence; there is no memory then. The pictures in the textures stay.
    std::string allocate(Display path, Size capacity);

    /// Frees the film's memory; also after the device has failed.
    void release();

    Display path() const { return path_; }
    Size capacity() const { return capacity_; }

    /// A film of this size begins in place of the present one.
    void beginFilm(Size size);

    /// The film's pixels until unmap(). Throws std::runtime_error.
    Pixel* map();
    void unmap();

    /// The film under way, rows from the top, or only one row of so many; waits for copies. Between
    /// unmap() and the next map(), with the renderer idle.
    std::vector<Pixel> fetch(int rowStep = 1);
    /// Puts a film of the present size into the memory.
    void put(const std::vector<Pixel>& pixels);

    /// Brings what has been accumulated into the texture. Between unmap() and the next map().
    void upload();

    /// RGBA32F, of the film's size: sums of radiance and numbers of samples, rows from the top.
    unsigned texture() const { return texture_; }
    /// Grows with every upload.
    long uploads() const { return uploads_; }

    /// The film as last uploaded, rows from the top; for screenshots.
    std::vector<Pixel> read() const;
    Size size() const { return size_; }

private:
    Display path_ = Display::host;
    Size capacity_;
    unsigned buffer_ = 0;       ///< host, interop
    Pixel* mapped_ = nullptr;   ///< host: the persistent mapping
    void* uploaded_ = nullptr;  ///< host: fence behind the last upload
    InteropBuffer interop_;
    DeviceFilm device_;
    bool firstCopy_ = false;  ///< copies from before the last reset may still be under way
    unsigned texture_ = 0;
    Size size_;  ///< of the texture
    long uploads_ = 0;
};

/// What a renderer manages, from its own statistics; 0 where not known yet.
struct Throughput {
    double raysPerMs = 0;
    double raysPerSample = 0;

    /// For one sample of every pixel.
    double sampleMs(Size film) const;
};

/// The divisor of the film's width and height while the camera moves: the finest of 1, 1.5, 2, 3,
/// 4, 6, 8, 12, 16 at which one sample a pixel fits into `budgetMs`. `now` is kept where it is
/// nearly right, so that the picture does not flicker between two sizes. A coarse
/// one where the throughput is not known yet, so that a picture is there at once.
double movingDivisor(Size full, const Throughput& known, double budgetMs, double now);

/// The divisor at which memory for a film could be had, and why not at 1.
struct FilmMemory {
    double divisor = 1;
    bool allocated = false;
    std::string problem;  ///< of the last size that could not be had; empty where the first could
};

/// Tries the full size, then its half, quarter and eighth. `allocate` returns an empty string or
/// the reason why there is no memory of that size.
FilmMemory largestFilm(Size full, const std::function<std::string(Size)>& allocate);

/// The film's size at a divisor, never less than one pixel.
Size divided(Size full, double divisor);

/// Keeps a film that follows the user: begins it anew where it no longer fits, carries it over to
/// another backend's memory, traces into it for a few milliseconds a frame, and brings it into a
/// texture.
class Tracer {
public:
    /// What the user wants to see now.
    struct Wish {
        const Camera& camera;
        Settings* settings;  ///< display falls back to copy where interop cannot be had
        Size framebuffer;
        double mostPixels = 0;     ///< of a film; 0: as many as the window has
        double uploadSeconds = 0;  ///< at rest the texture is renewed this often; 0: every frame
        bool moving = false;
        double budgetMs = 25;  ///< of a device that works by itself: how much it then has to do
        double now = 0;        ///< seconds
    };

    /// Traces. A sentence for the user goes to `message` where something fell back. Throws
    /// std::runtime_error where the device fails; call forget() then.
    FrameStats step(Backends& backends, const Wish& wish, std::string* message);

    /// True if the device traces while the window is drawn: see keepBusy().
    bool worksOn() const { return session_ && session_->worksOn(); }
    /// Milliseconds that it still has to do, as far as they are known.
    double leftMs() { return session_ ? session_->leftMs() : 0; }
    /// Goes on with the film as the last step did, so that the device has so much to do. What that
    /// adds is shown, and reported, by the next step. Throws like step().
    void keepBusy(double ms);

    // The parts of step(), for films that have to keep in step with another (versus_tab.cpp).

    /// Memory for what is wished for; false where there is none.
    bool prepare(Backends& backends, const Wish& wish, std::string* message);
    /// Of the film that would suit the wish; after prepare().
    double divisorFor(const Wish& wish) const;
    /// The film under way is of this camera and of this size.
    bool shows(const Camera& camera, double divisor) const;
    /// It has been shown, or has taken so long that another may take its place.
    bool mayEnd(const Wish& wish) const;
    bool stale() const { return stale_; }
    void beginFilm(const Wish& wish, double divisor);
    /// Traces into the film under way and brings it into the texture.
    FrameStats advance(const Wish& wish);
    /// Waits for what it has launched; what had not been reported.
    FrameStats finish() { return session_ ? session_->finish() : FrameStats{}; }
    /// That rendered last; before there is one, the scene is being made.
    KernelInfo kernel() const {
        KernelInfo none;
        none.packing = true;
        return session_ ? session_->kernel() : none;
    }
    /// Of several devices, what each has done for the film under way.
    GroupWork work() const { return session_ ? session_->work() : GroupWork{}; }
    /// Films begun so far: the number of the present one.
    long films() const { return films_; }
    /// Seconds since the film was begun.
    double age(double now) const { return now - began_; }
    /// Pixels of the film under way, the same ones every time: all, or evenly spread rows that
    /// can be read within a frame; with the renderer idle.
    std::vector<Pixel> samplePixels();

    /// The next film begins from nothing: an edited scene, or the user's wish.
    void restart() { stale_ = true; }
    /// The same, of a scene that has nothing to do with the one before: its first picture is a
    /// whole one, if coarse, and is not painted over that of the other.
    void restartWithScene() {
        stale_ = fresh_ = true;
        throughput_ = {};
    }

    /// Frees the film's memory after the device has failed; the film goes on in the next.
    void forget();
    bool holdsMemory() const { return display_.capacity().width > 0; }

    /// What is to be drawn.
    FilmView view(double now) const;

    const Film& film() const { return film_; }
    double divisor() const { return divisor_; }
    /// The film as last uploaded, rows from the top, and its size.
    std::vector<Pixel> read() const { return display_.read(); }
    Size size() const { return display_.size(); }

private:
    void launch(double ms);
    void unmap();
    void open(Renderer& renderer);
    void close();
    bool carryOn(double smaller);
    void abandonPass();
    bool wantsNewFilm(const Wish& wish, double divisor) const;
    Settings launchSettings(const Wish& wish) const;
    bool wantsUpload(const Wish& wish) const;
    void learnThroughput(const FrameStats& stats);

    FilmDisplay display_;
    Film film_;
    std::unique_ptr<Session> session_;  ///< of film_, while that has memory
    int skipped_ = 0;                   ///< samples, of the session before
    Camera camera_;                     ///< of the film under way
    Settings settings_;                 ///< of the film under way
    Settings launched_;                 ///< what they were launched as
    unsigned sources_ = 0;              ///< KernelInfo::sourcesVersion of the film under way
    FrameStats stats_;                  ///< not reported yet
    bool mapped_ = false;
    Size full_;  ///< the framebuffer it was made for
    Backend memoryFor_ = Backend::cpu;
    double divisor_ = 1;
    double began_ = 0;
    double uploaded_ = 0;        ///< when
    bool uploadedFull_ = false;  ///< the texture has samples of this film everywhere
    long films_ = 0;             ///< begun so far
    double smaller_ = 1;         ///< divisor forced by a lack of memory
    bool stale_ = true, cleared_ = false;
    bool fresh_ = false;          ///< of another scene, of which nothing has been shown yet
    std::vector<Pixel> carried_;  ///< the film on its way from one memory to another
    Throughput throughput_;
};

}  // namespace rayscope
