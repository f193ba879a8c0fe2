#!/bin/sh
# Runs every fuzz target of a build folder, two at a time, each for its share of the time; fails on the first finding.
# usage: run_fuzzers.sh BUILD_FOLDER SECONDS
# Seeds lie in fuzz/corpus/NAME; what a run finds new goes to BUILD_FOLDER/corpus/NAME, a crash to BUILD_FOLDER/crashes.
set -eu

build=$1
seconds=$2
targets=$(find "$build/fuzz" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort)
[ -n "$targets" ] || { echo "no fuzz target in $build/fuzz" >&2; exit 1; }
count=$(echo "$targets" | wc -l)
share=$((seconds * 2 / count))
[ "$share" -ge 5 ] || share=5
mkdir -p "$build/crashes" "$build/logs"

run_one() {
  name=$(basename "$1")
  name=${name#fuzz_}
  mkdir -p "$build/corpus/$name"
  dictionary=
  [ ! -f "fuzz/$name.dict" ] || dictionary="-dict=fuzz/$name.dict"
  if "$1" "$build/corpus/$name" $(find "fuzz/corpus/$name" -maxdepth 0 -type d 2>/dev/null) $dictionary \
    -max_total_time="$share" -timeout=10 -rss_limit_mb=4096 -artifact_prefix="$build/crashes/$name-" \
    >"$build/logs/$name" 2>&1; then
    echo "fuzz $name: $share s, $(grep -E 'stat::|DONE' "$build/logs/$name" | tail -n 1)"
  else
    tail -n 60 "$build/logs/$name"
    echo "fuzz $name: FAILED, input kept in $build/crashes"
    return 1
  fi
}

failed=0
set -- $targets
while [ $# -gt 0 ]; do
  run_one "$1" & first=$!
  shift
  second=
  if [ $# -gt 0 ]; then
    run_one "$1" & second=$!
    shift
  fi
  wait "$first" || failed=$((failed + 1))
  [ -z "$second" ] || wait "$second" || failed=$((failed + 1))
done
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
