#!/usr/bin/env bash
# Where `conformance` is: on the PATH, else the released program of VERSION, or with SOURCE one that is built here.
# Outputs: binary, artifact.
set -euo pipefail

artifact="${ARTIFACT:-conformance-${MODE:-run}}"
if [ -z "${ARTIFACT:-}" ] && [ -n "${SHARD:-}" ]; then
    shard="${SHARD%%/*}"
    artifact="$artifact-shard-${shard:-${JOB_COMPLETION_INDEX:-}}"
fi
echo "artifact=$artifact" >>"$GITHUB_OUTPUT"

VERSION="${VERSION:-}"
VERSION="${VERSION#v}"
fail() {
    echo "::error title=conformance::$1"
    exit 69
}

if [ "${SOURCE:-false}" = true ]; then
    command -v swift >/dev/null || fail "'source' asks for a build and 'swift' is not on the PATH; leave 'source' out, or install Swift 6.2 or later"
    cd "$GITHUB_ACTION_PATH/../../.."
    scratch="$RUNNER_TEMP/holdfast-build"
    swift build -c release --product conformance --scratch-path "$scratch"
    echo "binary=$(swift build -c release --scratch-path "$scratch" --show-bin-path)/conformance" >>"$GITHUB_OUTPUT"
    exit 0
fi

# An image that holds it needs nothing more.
if binary="$(command -v conformance)"; then
    echo "binary=$binary" >>"$GITHUB_OUTPUT"
    exit 0
fi

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) system=linux-x86_64 ;;
    Linux-aarch64 | Linux-arm64) system=linux-aarch64 ;;
    Darwin-arm64) system=macos-arm64 ;;
    Darwin-x86_64) system=macos-x86_64 ;;
    *) fail "nothing is released for $(uname -s) on $(uname -m); set 'source: true' where Swift 6.2 or later is installed" ;;
esac
# Where the runner says nothing, its folder does: …/_actions/OWNER/NAME/REVISION/.github/actions/conformance.
repository="${ACTION_REPOSITORY:-}"
if [ -z "$repository" ] && [[ "$GITHUB_ACTION_PATH" =~ /_actions/([^/]+/[^/]+)/ ]]; then repository="${BASH_REMATCH[1]}"; fi
if [ -z "$repository" ]; then repository="${GITHUB_REPOSITORY:-}"; fi
place="${HOLDFAST_RELEASES:-${GITHUB_SERVER_URL:-https://github.com}/$repository/releases/download}/v$VERSION"
archive="conformance-$VERSION-$system.tar.gz"
folder="$RUNNER_TEMP/holdfast-$VERSION"
mkdir -p "$folder"
fetch() { curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$2" "$1" || fail "cannot download $1"; }
fetch "$place/$archive" "$folder/$archive"
expected="${CHECKSUM:-}"
if [ -z "$expected" ]; then
    fetch "$place/SHA256SUMS" "$folder/SHA256SUMS"
    expected="$(awk -v name="$archive" '$2 == name { print $1 }' "$folder/SHA256SUMS")"
fi
[ -n "$expected" ] || fail "SHA256SUMS of release $VERSION does not name $archive"
sum() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }
[ "$(sum "$folder/$archive")" = "$(printf %s "$expected" | tr '[:upper:]' '[:lower:]')" ] || fail "$archive is not what was released: its SHA-256 is $(sum "$folder/$archive"), expected $expected"
tar -xzf "$folder/$archive" -C "$folder" --strip-components 1
echo "binary=$folder/conformance" >>"$GITHUB_OUTPUT"
