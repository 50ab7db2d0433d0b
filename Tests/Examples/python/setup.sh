#!/usr/bin/env bash
# Makes a Python environment for the example server and for the tests that use one, and prints the path of its python.
#
#     Tests/Examples/python/setup.sh [FOLDER]        FOLDER is .build/python unless given
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="${1:-$here/../../../.build/python}"
if ! "$folder/bin/python" -c 'import websockets, openai, anthropic, yaml, datamodel_code_generator, openapi_generator_cli' 2>/dev/null; then
    python3 -m venv "$folder" >&2
    "$folder/bin/pip" install --quiet --disable-pip-version-check \
        -r "$here/requirements.txt" -r "$here/clients.txt" -r "$here/generators.txt" >&2
fi
cd "$folder" && echo "$PWD/bin/python"
