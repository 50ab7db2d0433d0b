#!/usr/bin/env bash
# Builds `conformance` as it is released: one file that needs no Swift, without what nobody calls and without debug tables.
#     build.sh conformance
set -euo pipefail
out="${1:?where the program goes}"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
flags=(-c release --product conformance --scratch-path .build/release-build)
if [ "$(uname)" = Linux ]; then
    flags+=(--static-swift-stdlib -Xlinker --gc-sections)
else
    flags+=(-Xlinker -dead_strip)
fi
swift build "${flags[@]}"
cp "$(swift build "${flags[@]}" --show-bin-path)/conformance" "$out"
strip "$out"
