#!/usr/bin/env bash
# Runs every test that needs a GPU in a process of its own and prints a table.
# scripts/gpu_tests.sh [BUILD] [SECONDS] [JOBS]: the build folder, how long a test may take (180), and how many
# run at once (1). Tests that fail beside others are run again, one at a time: several measure time.
set -uo pipefail
build=${1:-$(dirname "$0")/../build}
export limit=${2:-180}
jobs=${3:-1}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export results

names() {  # "PROGRAM Suite.Test" for each of a program's tests
    "$1" --gtest_list_tests | sed 's/ *#.*//' |
        awk -v program="$1" '/^[^ ].*\.$/ {suite = $1; next} /^  / {print program, suite $1}'
}

run_test() {  # PROGRAM TEST: a line of the table, and below it why a test failed or was skipped
    local log=$results/$2.log begun code result
    begun=$(date +%s.%N)
    timeout -k 5 "$limit" "$1" --gtest_filter="$2" >"$log" 2>&1
    code=$?
    result=FAILED
    [ $code -eq 0 ] && result=passed
    [ $code -eq 0 ] && grep -q '^\[  SKIPPED \]' "$log" && result=skipped
    [ $code -eq 124 ] || [ $code -eq 137 ] && result=late
    {
        echo "$2 $result $begun $(date +%s.%N)" | awk '{printf "%-72s %-8s %9.1f\n", $1, $2, $4 - $3}'
        [ $result = skipped ] && grep -m1 -A1 'Skipped' "$log" | tail -1 | sed 's/^/    /'
        [ $result = late ] || [ $result = FAILED ] && grep -v '^\[' "$log" | tail -40 | sed 's/^/    /'
    } >"$results/$2.row"
    cat "$results/$2.row"
    [ $result = passed ] || [ $result = skipped ] || echo "$1 $2" >>"$results/failed"
    [ $result = skipped ] && echo "$2" >>"$results/skipped"
    return 0
}
export -f run_test

tests=
for program in "$build"/tests/{gpu,hierarchy_gpu,window_gpu}_test; do
    [ -x "$program" ] || { echo "$program is missing: make test builds it" >&2; exit 2; }
    tests+=$(names "$program")$'\n'
done
printf '%-72s %-8s %9s\n' test result seconds
printf %s "$tests" | xargs -P "$jobs" -L 1 bash -c 'run_test "$@"' run_test
if [ "$jobs" -gt 1 ] && [ -e "$results/failed" ]; then
    mv "$results/failed" "$results/again"
    echo "Again, one at a time:"
    xargs -L 1 bash -c 'run_test "$@"' run_test <"$results/again"
fi
count() { [ -e "$1" ] && wc -l <"$1" || echo 0; }
failed=$(count "$results/failed")
skipped=$(count "$results/skipped")
echo "$(($(printf %s "$tests" | wc -l) - failed - skipped)) passed, $skipped skipped, $failed failed"
[ "$failed" -eq 0 ]
