#!/usr/bin/env bash
# Runs the unit tests of a build for 64-bit ARM under qemu: all of them on its processor of the most features, then the kernels
# of the best table on older ones; on each it is checked which tables there are. A program runs whole, not once for each test,
# since qemu is slow to start; the kernels' is divided among this machine's processors.
# usage: run_arm_tests.sh BUILD_FOLDER
set -euo pipefail

[ $# -eq 1 ] && [ -x "$1/tests/test_backend" ] || { echo "usage: $0 BUILD_FOLDER   (with its unit tests built)" >&2; exit 2; }
tests=$1/tests
jobs=$(nproc)

# on PROCESSOR ROOM [option…]
on() { qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu "$1" "$tests/test_$2" --gtest_brief=1 "${@:3}"; }

# The same in as many parts as there are processors here.
on_in_parts() {
  local part pids=() pid failed=0
  for ((part = 0; part < jobs; ++part)); do
    GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$part on "$@" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  return $failed
}

# has_tables PROCESSOR NAME…: exactly these can run there.
has_tables() {
  local found
  found=$(on "$1" backend --gtest_list_tests --gtest_filter='Table/Rope.*' |
    sed -n 's|.*/\([a-z0-9_]*\)  # GetParam.*|\1|p' | awk '!seen[$0]++' | tr '\n' ' ')
  [ "$found" = "${*:2} " ] || { echo "$1: kernels for '$found', expected '${*:2} '" >&2; return 1; }
}

echo "qemu, max: everything"
has_tables max scalar neon neon_dot neon_i8mm
# qemu sets no limits, so there are always threads and memory.
on max base --gtest_filter=-ThreadPool.GoesOnWithTheThreadsThatTheSystemGives
for room in tensor graph; do on max $room; done
on_in_parts max backend

echo "qemu, cortex-a76: dot products, no i8mm"
has_tables cortex-a76 scalar neon neon_dot
on cortex-a76 base --gtest_filter='CpuFeatures.*'
on_in_parts cortex-a76 backend --gtest_filter='*/neon_dot:Dispatch.*'

echo "qemu, cortex-a72: neither"
has_tables cortex-a72 scalar neon
on_in_parts cortex-a72 backend --gtest_filter='*/neon:Dispatch.*'
