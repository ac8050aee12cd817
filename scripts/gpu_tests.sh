#!/usr/bin/env bash
# Runs every test that needs a GPU, one at a time and each in a process of its own, and prints a table.
# scripts/gpu_tests.sh [BUILD] [SECONDS]: the build folder, and how long a test may take (180).
set -uo pipefail
build=${1:-$(dirname "$0")/../build}
limit=${2:-180}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

names() {  # of a program's tests, "Suite.Test"
    "$1" --gtest_list_tests | sed 's/ *#.*//' |
        awk '/^[^ ].*\.$/ {suite = $1; next} /^  / {print suite $1}'
}

passed=0 skipped=0 failed=0
printf '%-72s %-8s %9s\n' test result seconds
for program in "$build"/tests/gpu_test "$build"/tests/window_gpu_test; do
    [ -x "$program" ] || { echo "$program is missing: make test builds it" >&2; exit 2; }
    for test in $(names "$program"); do
        begun=$(date +%s.%N)
        timeout -k 5 "$limit" "$program" --gtest_filter="$test" >"$log" 2>&1
        code=$?
        seconds=$(echo "$(date +%s.%N) $begun" | awk '{printf "%.1f", $1 - $2}')
        if [ $code -eq 124 ] || [ $code -eq 137 ]; then
            result=late
        elif [ $code -ne 0 ]; then
            result=FAILED
        elif grep -q '^\[  SKIPPED \]' "$log"; then
            result=skipped
        else
            result=passed
        fi
        case $result in
        passed) passed=$((passed + 1)) ;;
        skipped) skipped=$((skipped + 1)) ;;
        *) failed=$((failed + 1)) ;;
        esac
        printf '%-72s %-8s %9s\n' "$test" "$result" "$seconds"
        case $result in
        late | FAILED) grep -v '^\[' "$log" | tail -40 | sed 's/^/    /' ;;
        skipped) grep -m1 -A1 'Skipped' "$log" | tail -1 | sed 's/^/    /' ;;
        esac
    done
done
echo "$passed passed, $skipped skipped, $failed failed"
[ $failed -eq 0 ]
