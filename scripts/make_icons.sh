#!/bin/sh
# Renders the icon in all its sizes, with the program itself.
set -eu
program=${1:-build/rayscope}
for size in 48 128 256; do
    "$program" render --backend cpu --scene package/icon/scene.json --size "${size}x$size" \
        --set light_sampling=on --out "package/icon/$size.png"
done
