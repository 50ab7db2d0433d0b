#!/usr/bin/env bash
# Builds, and without a command tests the reference server: `./conformance.sh`, `./conformance.sh --format html=report.html`.
# With a command it hands everything to `conformance`: `./conformance.sh doctor ws://127.0.0.1:8080/ws`.
# The first build is a quick one, without optimization, TLS and HTTP/2; `swift test` uses it too. What a command needs beyond it is
# built when it is asked for: TLS for wss:// and https://, HTTP/2 for a push service (HOLDFAST_TLS=1 asks for both), an optimized
# program for load, proxy, selftest and long captures (HOLDFAST_CONFIGURATION=release asks for it).
# 'sh conformance.sh' is run by bash too.
if [ -z "${BASH_VERSION:-}" ]; then exec bash "$0" "$@"; fi
set -u
# How the reader calls the program, for the lines that say what to type next.
if [ -z "${HOLDFAST_COMMAND:-}" ]; then
    case "$0" in
        */*) HOLDFAST_COMMAND="$0" ;;
        *) HOLDFAST_COMMAND="./$0" ;;
    esac
    HOLDFAST_COMMAND="$(printf %q "$HOLDFAST_COMMAND")"
    export HOLDFAST_COMMAND
fi
package="$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)" || exit 70

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
    for program in "$package"/.build/release/conformance{,-without-tls}; do
        if [ -x "$program" ]; then configuration=release; fi
    done
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

# Whether the arguments, or the subject file among them, ask for TLS, or for a push service, which servers may reach by HTTP/2.
needs_tls() {
    local argument
    for argument in "$@"; do
        case "$argument" in
            --) return 1 ;;
            [Ww][Ss][Ss]:* | *=[Ww][Ss][Ss]:* | [Hh][Tt][Tt][Pp][Ss]:* | *=[Hh][Tt][Tt][Pp][Ss]:*) return 0 ;;
            *,tls | --tls* | --push-* | *{push}* | --ca | --ca=* | --client-certificate* | --client-key*) return 0 ;;
            *.json) if grep -qiE '"(wss|https):|"push"|\{push\}' -- "${argument#*=}" 2>/dev/null; then return 0; fi ;;
        esac
    done
    return 1
}

product=conformance-without-tls what="conformance"
if [ -x "$package/.build/$configuration/conformance" ] || [ -n "${HOLDFAST_TLS:-}" ] || needs_tls "$@"; then
    product=conformance what="conformance with TLS"
fi

# Shows the last step of a build on standard error: on a terminal in one line that is rewritten each second, elsewhere every half
# minute. It only reads the log, so nothing that happens here ends the build.
show_steps() {
    local log="$1" every=30 ticks=0 start="" end="\n" line
    if [ -t 2 ]; then every=1 start="\r\033[K" end=""; fi
    # The sleep keeps no pipe of the reader open, and the loop ends with the script.
    while kill -0 $$ 2>/dev/null && sleep 1 2>/dev/null; do
        ticks=$((ticks + 1))
        [ $((ticks % every)) -eq 0 ] || continue
        line="$(tail -n 20 "$log" | grep -E '^\[[0-9]+/[0-9]+\] ' | tail -n 1 | cut -c 1-40)"
        printf "${start}building %s (%s), %d min %02d s: %s${end}" \
            "$what" "$configuration" $((SECONDS / 60)) $((SECONDS % 60)) "$line" >&2
    done
}

# Asks the build to end with its compilers, for half a second.
end_build() {
    interrupted="$1"
    kill -INT "$builder" && sleep 0.5
    kill "$builder"
} 2>/dev/null

build() {
    local log status shower
    log=$(mktemp) || return 1
    swift build --package-path "$package" -c "$configuration" --product "$product" >"$log" 2>&1 &
    builder=$!
    # Ending the script ends the build; that is no build failure.
    trap 'end_build 130' INT
    trap 'end_build 143' TERM HUP
    show_steps "$log" >/dev/null &
    shower=$!
    wait "$builder"
    status=$?
    [ -z "$interrupted" ] || wait "$builder"
    { kill "$shower" && wait "$shower"; } 2>/dev/null
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
    [ "$status" -eq 0 ] || [ -n "$interrupted" ] || cat "$log" >&2
    rm -f "$log"
    [ -z "$interrupted" ] || exit "$interrupted"
    return "$status"
}

interrupted="" builder=""
build || {
    echo "conformance.sh: the build failed" >&2
    exit 70
}
trap - INT TERM HUP
binary="$(swift build --package-path "$package" -c "$configuration" --show-bin-path)/$product" || exit 70

# Options alone are for the suite against the reference server; a command takes everything as it is.
case "${1:-}" in
    -h | --help | --version) exec "$binary" "$@" ;;
    "" | -*) exec "$binary" server --reference "$@" ;;
    *) exec "$binary" "$@" ;;
esac
