#!/usr/bin/env bash
# Makes DocC archives of the library products and of the pages for users, and takes no warning.
# Usage: Tests/Documentation/docc.sh [FOLDER]   (default: .build/documentation)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder="${1:-.build/documentation}"
tools="$(dirname "$(readlink -f "$(command -v swift)")")"
for tool in docc swift-symbolgraph-extract; do
    [ -x "$tools/$tool" ] || { echo "docc.sh: there is no $tool beside swift in $tools" >&2; exit 69; }
done
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"

echo "== building"
swift build --product conformance
products="$(swift build --show-bin-path)"
target="$(swift -print-target-info | sed -n 's/.*"unversionedTriple" *: *"\([^"]*\)".*/\1/p' | head -1)"
# The packages in C that the network modules are built on.
maps=()
while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find -L "$products" -maxdepth 2 -name module.modulemap
    find -L .build/checkouts -path '*/Sources/*/include/module.modulemap'
)

for room in JSON JSONSchema Holdfast Transcript Captures Judge HoldfastMessages ClientDriver ReferenceClient HoldfastSuite conformance; do
    case "$room" in
        Holdfast* | *Client | ClientDriver) module="$room" ;;
        conformance) module=HoldfastConformance ;;
        *) module="Holdfast$room" ;;
    esac
    echo "== $module"
    graphs="$folder/graphs/$module"
    copy="$folder/catalogues/$room.docc"
    rm -rf "$graphs" "$copy"
    mkdir -p "$graphs" "$folder/catalogues"
    "$tools/swift-symbolgraph-extract" -module-name "$module" -I "$products/Modules" "${maps[@]}" -target "$target" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
    cp -R "Sources/$room/"*.docc "$copy"
    # Links that a reader of plain files follows, as links of the archive: to pages beside this one; others become words.
    find "$copy" -name '*.md' -exec sed -i.kept -E \
        -e 's#^. ``conformance``#\# ``HoldfastConformance``#' \
        -e 's#\]\(([A-Za-z]+)\.md(\#[^)]*)?\)#](doc:\1)#g' -e 's#\[([^]]*)\]\(\.\./[^)]*\)#\1#g' {} +
    find "$copy" -name '*.kept' -delete
    "$tools/docc" convert "$copy" --additional-symbol-graph-dir "$graphs" --warnings-as-errors \
        --fallback-display-name "$module" --fallback-bundle-identifier "holdfast.$module" \
        --output-dir "$folder/$module.doccarchive"
done
echo "archives in $folder"
