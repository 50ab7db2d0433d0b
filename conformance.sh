#!/usr/bin/env bash
# Without arguments: builds, starts the reference server on a free port, runs the suite against it, ends the server and
# exits with the suite's code. With arguments: builds and hands them to `conformance`.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 70

if ! command -v swift >/dev/null 2>&1; then
    echo "conformance.sh: 'swift' is not on the PATH" >&2
    echo "  expected: the Swift toolchain, 6.2 or later" >&2
    echo "  fix: install it from swift.org and put its bin folder on the PATH" >&2
    exit 69
fi

build() {
    local log status
    if [ -t 2 ]; then
        swift build -c release --product conformance >&2
        return
    fi
    log=$(mktemp) || return 1
    swift build -c release --product conformance >"$log" 2>&1
    status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

build || { echo "conformance.sh: the build failed" >&2; exit 70; }
binary="$(swift build -c release --show-bin-path)/conformance" || exit 70

# Options alone are for the suite against the reference server; a command takes everything as it is.
case "${1:-}" in
    "" | --only* | --jobs* | --out*) ;;
    *) exec "$binary" "$@" ;;
esac

work=$(mktemp -d) || exit 70
trap 'exec 3>&-; wait; rm -rf "$work"' EXIT
# The suite answers Ctrl-C itself; this script waits for its report.
trap : INT

# The server ends when this script does, however it ends: descriptor 3 is its standard input.
exec 3> >(exec "$binary" serve --end-with-input --port 0 --data "$work/data" --subject-out "$work/subject.json" \
    >"$work/serve.log" 2>&1)
server=$!
for _ in $(seq 200); do
    [ ! -s "$work/subject.json" ] && kill -0 "$server" 2>/dev/null || break
    sleep 0.05
done
if [ ! -s "$work/subject.json" ]; then
    echo "conformance.sh: the reference server did not start within 10 s" >&2
    cat "$work/serve.log" >&2
    exit 70
fi

"$binary" server --subject "$work/subject.json" "$@" 3>&-
