#!/usr/bin/env bash
# Builds `conformance` into FOLDER, which the next run takes from the cache.
set -euo pipefail
cd "$GITHUB_ACTION_PATH/../../.."
scratch="$RUNNER_TEMP/holdfast-build"
swift build -c release --product conformance --scratch-path "$scratch"
mkdir -p "$FOLDER"
cp "$(swift build -c release --scratch-path "$scratch" --show-bin-path)/conformance" "$FOLDER/conformance"
