#!/usr/bin/env bash
# Fetches the public test suites of JSON and of JSON Schema, so that their tests run and are no longer skipped.
#
#     Tests/Suites/fetch.sh [FOLDER]        FOLDER is .build/suites unless given
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="${1:-$here/../../.build/suites}"
# One commit of each: a suite that grows must not fail a build that changed nothing.
# It takes its name when it is whole, so that a fetch that failed leaves nothing that looks like a suite.
fetch() {
    local name="$1" repository="$2" commit="$3"
    local whole="$folder/$name" part="$folder/.$name.part"
    if [ "$(git -C "$whole" rev-parse --verify --quiet HEAD 2>/dev/null)" = "$commit" ]; then return; fi
    rm -rf "${part:?}"
    git init --quiet "$part"
    if ! git -C "$part" fetch --quiet --depth 1 "https://github.com/$repository" "$commit" \
        || ! git -C "$part" checkout --quiet FETCH_HEAD; then
        rm -rf "${part:?}"
        printf 'fetch.sh: %s at %s could not be fetched\n' "$repository" "$commit" >&2
        return 1
    fi
    rm -rf "${whole:?}"
    mv "$part" "$whole"
}
fetch json-schema json-schema-org/JSON-Schema-Test-Suite 44401e0c046704b476ec9d2e2fccdaee618f259d
fetch json-parsing nst/JSONTestSuite 1ef36fa01286573e846ac449e8683f8833c5b26a
