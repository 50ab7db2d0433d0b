#!/usr/bin/env bash
# Makes a Python environment for the example server and for the tests that use one, and prints the path of its python.
#
#     Tests/Examples/python/setup.sh [FOLDER]        FOLDER is .build/python unless given
#
# HOLDFAST_GENERATORS=1 installs generators of types too (160 MB): their tests take minutes of both cores.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="${1:-$here/../../../.build/python}"
modules="websockets, openai, anthropic, yaml"
packages=(-r "$here/requirements.txt" -r "$here/clients.txt")
if [ "${HOLDFAST_GENERATORS:-}" = 1 ]; then
    modules+=", datamodel_code_generator, openapi_generator_cli"
    packages+=(-r "$here/generators.txt")
fi
if ! "$folder/bin/python" -c "import $modules" 2>/dev/null; then
    python3 -m venv "$folder" >&2
    "$folder/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" >&2
fi
cd "$folder" && echo "$PWD/bin/python"
