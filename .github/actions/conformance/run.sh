#!/usr/bin/env bash
# Runs `conformance`, adds its summary to the page of the step, and ends as it ended. Annotations go to the log.
set -uo pipefail

mkdir -p "$OUT"
arguments=()
lines() { # Appends each line of $2 that is not empty, after $1 when that is not empty.
    while IFS= read -r line; do
        line="${line%$'\r'}"
        [ -n "$line" ] || continue
        if [ -n "$1" ]; then arguments+=("$1"); fi
        arguments+=("$line")
    done <<<"$2"
}

case "$MODE" in
    server)
        case "$SUBJECT" in
            ws://* | wss://* | http://* | https://*) arguments+=(server "$SUBJECT" --out "$OUT") ;;
            *) arguments+=(server --subject "$SUBJECT" --out "$OUT") ;;
        esac
        if [ -n "$SHARD" ]; then arguments+=(--shard "$SHARD"); fi
        if [ -n "$BASELINE" ]; then arguments+=(--baseline "$BASELINE"); fi
        ;;
    client)
        arguments+=(client --out "$OUT")
        if [ -n "$SHARD" ]; then arguments+=(--shard "$SHARD"); fi
        if [ -n "$BASELINE" ]; then arguments+=(--baseline "$BASELINE"); fi
        ;;
    gate)
        arguments+=(gate "$SUBJECT" --format "json=$OUT/report.json" --format "sarif=$OUT/gate.sarif")
        if [ -n "$BASELINE" ]; then arguments+=(--waivers "$BASELINE"); fi
        ;;
    merge)
        arguments+=(report merge)
        # Folders and patterns, separated by spaces.
        # shellcheck disable=SC2206
        parts=($SUBJECT)
        arguments+=("${parts[@]}" --out "$OUT")
        if [ -n "$BASELINE" ]; then arguments+=(--baseline "$BASELINE"); fi
        ;;
    *)
        echo "::error title=conformance::mode '$MODE' is none of server, client, gate, merge"
        exit 64
        ;;
esac
arguments+=(--format github=- --format "junit=$OUT/junit.xml" --format "markdown=$OUT/summary.md")
# The page of a run, for people, among the artifacts.
if [ "$MODE" != gate ]; then arguments+=(--format "html=$OUT/report.html"); fi
lines --format "$FORMATS"
lines "" "$ARGUMENTS"
# The driver is a command as a shell takes it.
if [ "$MODE" = client ]; then arguments+=(-- bash -c "$SUBJECT"); fi

# Reports of an earlier run are not this one's.
rm -f "$OUT/summary.md" "$OUT/report.html" "$OUT/junit.xml" "$OUT/report.json" "$OUT/gate.sarif"
"$BINARY" "${arguments[@]}"
status=$?

echo "exit-code=$status" >>"$GITHUB_OUTPUT"
if [ -f "$OUT/gate.sarif" ]; then echo "sarif=$OUT/gate.sarif" >>"$GITHUB_OUTPUT"; fi
if [ -f "$OUT/summary.md" ]; then
    # GitHub refuses the whole summary of a step beyond 1 MiB.
    head -c 1000000 "$OUT/summary.md" >>"$GITHUB_STEP_SUMMARY"
else
    echo "**conformance ended with $status before there was a report; the log of this step says why.**" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
