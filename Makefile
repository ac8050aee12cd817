# Two commands: `make run` and `make test`. Each installs the packages that are missing, and builds.

BUILD ?= build
SCENE ?= vt9
JOBS ?= $(shell nproc)
# More than there are cores: tests that drive a window often wait.
TEST_JOBS ?= $(shell expr $(JOBS) + $(JOBS) / 2)
CMAKE_FLAGS ?=
# CPU kernels for this processor; a package has those for all.
PROCESSORS = -DRAYSCOPE_ALL_PROCESSORS=OFF

PACKAGES = g++ cmake ninja-build pkg-config libglfw3-dev libgl-dev libimgui-dev python3-glad \
    libcli11-dev nlohmann-json3-dev libfmt-dev libglm-dev libpng-dev libjpeg-dev zlib1g-dev libseccomp-dev libopenexr-dev libdraco-dev libmeshoptimizer-dev libwebp-dev libassimp-dev libstb-dev fonts-dejavu-core
TEST_PACKAGES = $(PACKAGES) libembree-dev libopenmpi-dev openmpi-bin libgtest-dev xvfb xdotool xclip libgl1-mesa-dri clang libclang-rt-dev \
    python3-jsonschema desktop-file-utils bash-completion zsh

.PHONY: run test nightly build deb pictures packages test-packages format clean

run: build
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	    $(BUILD)/rayscope --scene $(SCENE); \
	else \
	    $(BUILD)/rayscope render --scene $(SCENE) --out rayscope.png && \
	    echo "No display: with one, make run opens the viewer."; \
	fi

test: test-packages
	@cmake -S . -B $(BUILD) -G Ninja -DBUILD_TESTING=ON $(PROCESSORS) $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || \
	    { cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)
	@$(BUILD)/rayscope info | sed -n 's/^cuda  */CUDA device for the GPU tests: /p'
	@ctest --test-dir $(BUILD) --output-on-failure -j $(TEST_JOBS) -LE nightly

# The slowest tests, after make test.
nightly:
	@scripts/install_packages.sh chromium ffmpeg
	@ctest --test-dir $(BUILD) --output-on-failure -j $(TEST_JOBS) -L nightly

build: packages
	@cmake -S . -B $(BUILD) -G Ninja -DBUILD_TESTING=OFF $(PROCESSORS) $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) --target programs -j $(JOBS)

deb: PROCESSORS = -DRAYSCOPE_ALL_PROCESSORS=ON
deb: build
	@scripts/install_packages.sh dpkg-dev
	@cd $(BUILD) && cpack -G DEB >cpack.log || { cat cpack.log; exit 1; }
	@ls $(BUILD)/*.deb

# The pictures of the README and docs/guide.md, taken by the window itself on a virtual screen.
pictures: build
	@scripts/install_packages.sh xvfb xdotool python3 libgl1-mesa-dri
	@python3 scripts/pictures.py $(BUILD)/rayscope docs

packages:
	@scripts/install_packages.sh $(PACKAGES)

test-packages:
	@scripts/install_packages.sh $(TEST_PACKAGES)

format:
	clang-format -i $$(git ls-files '*.h' '*.cpp')

clean:
	rm -rf $(BUILD) $(BUILD).log
