#!/usr/bin/env bash
# Builds, and without a command tests the reference server: `./conformance.sh`, `./conformance.sh --format html=report.html`.
# With a command it hands everything to `conformance`: `./conformance.sh doctor ws://127.0.0.1:8080/ws`.
# The first build is a quick one, which `swift test` uses too. HOLDFAST_CONFIGURATION=release builds an optimized program, which
# takes twice as long: for load, proxy, selftest and long captures, which ask for it by themselves.
set -u
# How the reader calls the program, for the lines that say what to type next.
if [ -z "${HOLDFAST_COMMAND:-}" ]; then
    case "$0" in
        */*) HOLDFAST_COMMAND="$0" ;;
        *) HOLDFAST_COMMAND="./$0" ;;
    esac
    export HOLDFAST_COMMAND
fi
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 70

if ! command -v swift >/dev/null 2>&1; then
    echo "conformance.sh: 'swift' is not on the PATH" >&2
    echo "  expected: the Swift toolchain, 6.2 or later" >&2
    echo "  fix: install it from swift.org and put its bin folder on the PATH" >&2
    exit 69
fi

# Whether a file is so long that the optimized program saves more time than its build takes.
is_long() { [ -f "$1" ] && [ "$(wc -c <"$1")" -gt 50000000 ]; }

configuration="${HOLDFAST_CONFIGURATION:-}"
if [ -z "$configuration" ]; then
    configuration=debug
    case "${1:-}" in
        load | proxy | selftest) configuration=release ;;
        judge)
            for argument in "$@"; do
                if [ "$argument" = --follow ] || is_long "$argument"; then configuration=release; fi
            done
            ;;
    esac
    # Once it is there, it serves for all.
    if [ -x .build/release/conformance ]; then configuration=release; fi
fi
case "$configuration" in
    debug | release) ;;
    *)
        echo "conformance.sh: HOLDFAST_CONFIGURATION is '$configuration'" >&2
        echo "  expected: debug or release" >&2
        echo "  fix: leave it out for what suits the command" >&2
        exit 64
        ;;
esac

# Passes on what `swift build` prints, and shows its steps with the time that is left: on a terminal in one line that is
# rewritten, elsewhere every half minute.
follow() {
    local line passed left started=$SECONDS shown=$SECONDS start="" end="\n"
    if [ -t 2 ]; then start="\r\033[K" end=""; fi
    while IFS= read -r line; do
        printf '%s\n' "$line"
        [[ "$line" =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
        if [ -n "$end" ]; then
            [ $((SECONDS - shown)) -ge 30 ] || continue
            shown=$SECONDS
        fi
        passed=$((SECONDS - started))
        left=""
        # The first steps are short, and tell nothing of the rest.
        if [ "$passed" -ge 20 ]; then
            left=", about $((passed * (BASH_REMATCH[2] - BASH_REMATCH[1]) / BASH_REMATCH[1] / 60 + 1)) min left"
        fi
        printf "${start}building conformance (%s): step %d of %d%s: %.30s${end}" \
            "$configuration" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$left" "${BASH_REMATCH[3]}" >&2
    done
    # shellcheck disable=SC2059
    printf "$start" >&2
}

build() {
    local log status
    log=$(mktemp) || return 1
    swift build -c "$configuration" --product conformance 2>&1 | follow >"$log"
    status=${PIPESTATUS[0]}
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

build || { echo "conformance.sh: the build failed" >&2; exit 70; }
binary="$(swift build -c "$configuration" --show-bin-path)/conformance" || exit 70

# Options alone are for the suite against the reference server; a command takes everything as it is.
case "${1:-}" in
    -h | --help | --version) exec "$binary" "$@" ;;
    "" | -*) exec "$binary" server --reference "$@" ;;
    *) exec "$binary" "$@" ;;
esac
