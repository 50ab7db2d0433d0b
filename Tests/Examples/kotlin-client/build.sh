#!/usr/bin/env bash
# Compiles the example, unless the last result is newer than its sources:
#
#     Tests/Examples/kotlin-client/build.sh [JAR]        JAR is .build/kotlin-client/client.jar unless given
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
jar="${1:-$here/../../../.build/kotlin-client/client.jar}"
if [ ! -e "$jar" ] || [ -n "$(find "$here" -name '*.kt' -newer "$jar")" ]; then
    mkdir -p "$(dirname "$jar")"
    made="$(mktemp -d)"
    trap 'rm -rf "$made"' EXIT
    kotlinc "$here"/*.kt -include-runtime -d "$made/client.jar" >&2
    mv "$made/client.jar" "$jar"
fi
cd "$(dirname "$jar")" && echo "$PWD/$(basename "$jar")"
