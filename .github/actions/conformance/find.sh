#!/usr/bin/env bash
# Where `conformance` is, or is to be built. Outputs: built, binary, folder and key for the cache, artifact.
set -euo pipefail

artifact="conformance-${MODE:-run}"
if [ -n "${SHARD:-}" ]; then artifact="$artifact-part-${SHARD%%/*}"; fi
echo "artifact=$artifact" >>"$GITHUB_OUTPUT"

# An image that holds it needs no toolchain.
if binary="$(command -v conformance)"; then
    printf 'built=true\nbinary=%s\n' "$binary" >>"$GITHUB_OUTPUT"
    exit 0
fi
if ! swift="$(swift --version 2>/dev/null)"; then
    echo "::error title=conformance::neither 'conformance' nor 'swift' is on the PATH; run the job in the image of .github/Containerfile, or where Swift 6.2 or later is installed"
    exit 69
fi
source="$(cd "$GITHUB_ACTION_PATH/../../.." && pwd)"
sum() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
key="$(
    cd "$source"
    { echo "$swift"; find Package.swift Sources Spec Fixtures/index.json -type f -print0 | LC_ALL=C sort -z | xargs -0 cat; } |
        sum | cut -c 1-32
)"
folder="$RUNNER_TEMP/holdfast-$key"
printf 'built=false\nbinary=%s\nfolder=%s\nkey=%s\n' \
    "$folder/conformance" "$folder" "holdfast-${RUNNER_OS:-any}-${RUNNER_ARCH:-any}-$key" >>"$GITHUB_OUTPUT"
