#!/usr/bin/env bash
# Runs every command once under valgrind's memcheck, with tiny pictures and two threads.
#
# Usage: memcheck.sh [PROGRAM [FOLDER]]
#
# Says of each command how it ended and how long it took, and exits with 1 if one did anything else than
# it should, or read or wrote (also into a file) what nobody had set. FOLDER, a new one under /tmp unless it is
# given, keeps its files and valgrind's. It takes some minutes; ONLY='compare.*' picks commands.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${1:-$root/build/rayscope}")
folder=${2:-$(mktemp -d /tmp/memcheck.XXXXXX)}
mkdir -p "$folder" && cd "$folder" || exit 1
wrong=0

# run CODE NAME ARGUMENT...: the command is to exit with CODE
run() {
    local code=$1 name=$2 begin=$SECONDS got
    shift 2
    [[ $name =~ ^(${ONLY:-.*})$ ]] || return
    # business-card has a rung of 512 threads
    timeout "${LONGEST:-1800}" valgrind -q --error-exitcode=99 --track-origins=yes --num-callers=24 \
        --max-threads=1100 --fair-sched=try --log-file="$name.valgrind" \
        "$program" "$@" >"$name.out" 2>"$name.err" </dev/null
    got=$?
    local verdict=ok
    if [[ $got != $code || -s $name.valgrind ]]; then
        verdict="WRONG: exit code $got for $code; $(head -c 200 "$name.err"); see $folder/$name.valgrind"
        wrong=1
    fi
    echo "$name: $((SECONDS - begin)) s, $verdict"
}

small=(--backend cpu --threads 2 --size 24x14 --spp 2)
tiny=(--backend cpu --size 16x9 --time .01)

run 0 version --version
run 0 help --help
run 0 complete --complete render --s
run 0 info info
run 0 info-json info --json info.json
run 0 render render "${small[@]}" --scene vt9 --out vt9.png --json render.json
run 0 render-exr render "${small[@]}" --scene card --out card.exr --trace trace.json
run 0 render-pfm render "${small[@]}" --scene cornell --out cornell.pfm --set light_sampling=on
run 0 render-shot render vt9.png --threads 2 --out again.png
run 0 render-bvh render "${small[@]}" --scene weekend --set accel=bvh --out weekend.png
run 0 render-field render "${small[@]}" --scene field-1000 --out field.png
for engine in wavefront regeneration; do
    run 0 "render-$engine" render "${small[@]}" --scene vt46 --set engine=$engine --json -
done
for path in loop stack recursive; do
    run 0 "render-$path" render "${small[@]}" --scene vt9 --set path=$path --set precision=double --json -
done
# vt9.png with two bookmarks
[[ -f vt9.png ]] && python3 - >path.json <<'END'
import json, struct, zlib
data, place = open("vt9.png", "rb").read(), 8
while data[place + 4:place + 8] != b"iTXt":
    place += 12 + struct.unpack(">I", data[place:place + 4])[0]
text = data[place + 8:place + 8 + struct.unpack(">I", data[place:place + 4])[0]].split(b"\0", 1)[1]
packed, text = text[0], text[2:].split(b"\0", 2)[2]
state = json.loads(zlib.decompress(text) if packed else text)
state["bookmarks"] = {"1": state["camera"], "2": {**state["camera"], "from": [1, 2, 3]}}
print(json.dumps(state))
END
run 0 sequence sequence path.json --backend cpu --threads 2 --size 24x14 --spp 1 --frames 2 --out fly.png
run 0 simulate simulate --backend cpu --threads 2 --scene nbody-200 --steps 3 --json simulation.json
run 0 bench bench "${tiny[@]}" --json bench.json --csv bench.csv
run 0 ladders ladder --list
for ladder in business-card codeplay-tracy ece408-smallpt sphere-tiles voxel-tracer weekend; do
    run 0 "ladder-$ladder" ladder $ladder "${tiny[@]}" --json $ladder.json --csv $ladder.csv
done
cat >two.json <<'END'
{"title": "two", "source": "none", "scene": "vt9", "size": [16, 9], "measures": "rate", "clock": "kernel",
 "unit": "rays/s", "settings": {"backend": "cpu"}, "rungs": [
  {"name": "one", "why": "It is the first.", "settings": {"path": "stack"}},
  {"name": "two", "why": "It is the second.", "settings": {"path": "loop"}}]}
END
for study in steps add-one leave-one-out; do
    run 0 ladder-$study ladder two.json "${tiny[@]}" --study $study --json $study.json --csv $study.csv
done
run 0 compare-speed compare "${small[@]}" --scene vt9 --b depth=5 --time .1 --only-speed --json speed.json
run 0 compare compare "${small[@]}" --scene vt9 --b path=stack --time .1 --json compare.json
run 0 compare-light compare "${small[@]}" --scene vt9 --b light_sampling=on --time .1 --json light.json
run 0 compare-loop compare "${small[@]}" --scene vt9 --b samples=2 --time .1 --clock loop --only-speed
for pair in "speed.json compare.json" "render.json vt9.png" "vt9.png again.png" "bench.json bench.json" \
    "weekend.json voxel-tracer.json"; do
    read -r a b <<<"$pair"
    run 0 "compare-$a-$b" compare "$a" "$b" --json "files-$a-$b.json"
done
run 0 switches switches "${small[@]}" --scene vt9 --time .01 --only-speed --json switches.json --csv switches.csv
run 0 sweep sweep "${small[@]}" --scene vt9 --x depth=1,4 --y path --time .01 --json sweep.json --csv sweep.csv
run 0 sweep-scenes sweep "${small[@]}" --x scene=vt9,card --time .01 --json scenes.json
run 0 sweep-spheres sweep "${small[@]}" --x spheres=8,64 --y accel --time .01 --json spheres.json
run 0 autotune autotune "${small[@]}" --scene vt9 --candidates 2 --time .01 --json autotune.json
run 0 divergence divergence "${small[@]}" --scene vt9 --json divergence.json
run 0 divergence-rays divergence "${small[@]}" --scene cornell --map rays --out rays.png
run 0 divergence-time divergence "${small[@]}" --scene weekend --map time --out time.png
run 0 counters counters "${small[@]}" --scene vt9 --json counters.json --csv counters.csv
run 0 counters-b counters "${small[@]}" --scene vt9 --b precision=double --json counters-b.json
run 0 code code --scene vt9 --arch sm_90 --json code.json
run 0 code-ptx code --scene vt9 --arch sm_90 --ptx
run 0 code-diff code --scene vt9 --arch sm_90 --diff math=precise --ptx
run 0 code-copy code --copy-to sources
# a setting beside itself, whose verdict chance decides in so short a time
run '[01]' selfcheck selfcheck --backend cpu --size 16x9 --comparisons 3 --time .01 --json selfcheck.json
run 2 misspelt rendr
run 2 unknown-axis render --set colour=red
run 2 twice render --depth 5 --set depth=6
run 1 no-scene render --scene missing.json
run 1 no-folder render "${small[@]}" --out missing/a.png
run 1 no-report compare vt9.png missing.json
exit $wrong
