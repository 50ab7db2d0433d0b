#!/usr/bin/env bash
# Tries what package.py has made where no Swift is: the Debian package and the archive in a Debian root of nothing but the base,
# the wheel in a new Python environment. Each runs the suite against the reference server, then a clause of a server, one of a
# client and the judge as a user without privileges. Needs root, debootstrap and Python.
#     try.sh dist
set -euo pipefail
shopt -s nullglob
fail() { # The exit code, what is wrong, what was expected, the fix.
    printf 'try.sh: %s\n  expected: %s\n  fix: %s\n' "${@:2}" >&2
    exit "$1"
}
[ $# -eq 1 ] || fail 64 "$# arguments" "one, the folder of the packages" "try.sh dist"
[[ -d "$1" && -r "$1" && -x "$1" ]] || fail 64 "$1: not a folder that can be read" "the folder of the packages" "make it: package.py … --out $1"
need() { command -v "$1" >/dev/null || fail 69 "no $1 on the PATH" "Debian or Ubuntu with dpkg, python3 and debootstrap" "install $1"; }
need dpkg

dist="$(cd "$1" && pwd)"
system="$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
debs=("$dist"/holdfast-conformance_*_"$(dpkg --print-architecture)".deb)
archives=("$dist"/conformance-*-"$system".tar.gz)
wheels=("$dist"/holdfast_conformance-*"$(uname -m)".whl)
found="${#debs[@]} .deb, ${#archives[@]} .tar.gz and ${#wheels[@]} .whl"
again="make them in a new folder: package.py … --system $system --out FOLDER"
[ "${#debs[@]} ${#archives[@]} ${#wheels[@]}" = "1 1 1" ] || fail 64 "$1: $found for $system" "one of each" "$again"
version="${debs[0]##*/holdfast-conformance_}"
version="${version%_*}"
[[ "${archives[0]##*/} ${wheels[0]##*/}" = "conformance-$version-"*" holdfast_conformance-$version-"* ]] ||
    fail 64 "$1: ${archives[0]##*/} or ${wheels[0]##*/} is not of version $version" "one version, that of ${debs[0]##*/}" "$again"
need python3
if [ -z "${HOLDFAST_DEBIAN_ROOT:-}" ]; then
    need debootstrap
elif [ ! -d "$HOLDFAST_DEBIAN_ROOT/proc" ]; then
    fail 64 "HOLDFAST_DEBIAN_ROOT: no folder $HOLDFAST_DEBIAN_ROOT/proc" "a Debian root" "correct or unset it"
fi
[ "$(id -u)" = 0 ] || fail 69 "not root" "root, for chroot" "sudo try.sh $1"

work="$(mktemp -d)"
root="${HOLDFAST_DEBIAN_ROOT:-$work/root}"
clean() {
    if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
    rm -rf "$work"
}
trap clean EXIT
# Another user runs what is in there.
chmod 755 "$work"
# What a command says first, or all of it where it fails.
verdict() {
    if ! "$@" >"$work/report" 2>&1; then cat "$work/report"; exit 1; fi
    sed -n 1p "$work/report"
}
unprivileged=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all --no-new-privs)
capture="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/Fixtures/transcripts/conforming/TURN-1-ack-late-but-first.ndjson"
# Tries the program on a PATH, behind the command that leads there, if any.
try() {
    local program=(env -i PATH="$1" conformance) enter=("${@:2}")
    verdict "${enter[@]}" "${program[@]}" server --reference --skip-crashes
    echo "from the file to the first verdict: $((SECONDS - started)) s"
    if ! "${enter[@]}" "${unprivileged[@]}" true 2>/dev/null; then
        echo "not tried as a user without privileges: setpriv is missing, or may not drop them here"
        return
    fi
    echo "as a user without privileges:"
    enter+=("${unprivileged[@]}")
    verdict "${enter[@]}" "${program[@]}" server --reference --only ENV-3
    verdict "${enter[@]}" "${program[@]}" client --reference --only CLIENT-36
    verdict "${enter[@]}" "${program[@]}" judge - <"$capture"
}

echo "== wheel, in a new Python environment"
started=$SECONDS
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --no-index "${wheels[0]}"
env -i PATH="$work/python/bin" conformance --version
try "$work/python/bin"

if [ -z "${HOLDFAST_DEBIAN_ROOT:-}" ]; then
    debootstrap --variant=minbase "${HOLDFAST_DEBIAN:-bookworm}" "$root" >"$work/debootstrap.log" || { cat "$work/debootstrap.log"; exit 1; }
fi
if chroot "$root" sh -c 'command -v swift'; then fail 1 "there is a Swift in $root" "a root without" "use another root"; fi
# Programs find their own arguments there.
mount -t proc proc "$root/proc"
echo "== Debian package, in a root of nothing but the base"
started=$SECONDS
cp "${debs[0]}" "$root/tmp/conformance.deb"
chroot "$root" dpkg -i /tmp/conformance.deb >/dev/null
# From the package, since a root may be set up to install no manual pages.
dpkg-deb --fsys-tarfile "${debs[0]}" | tar -x -C "$work" ./usr/share
same() { # A file of the package, and the arguments with which the program prints it.
    gzip -dcf "$work/usr/share/$1" 2>/dev/null | cmp -s - <(chroot "$root" conformance "${@:2}") ||
        fail 1 "${debs[0]##*/}: /usr/share/$1 is missing or differs" "what conformance ${*:2} prints" "package it again"
}
same man/man1/conformance.1.gz --generate-manual
same bash-completion/completions/conformance --generate-completion-script bash
same zsh/vendor-completions/_conformance --generate-completion-script zsh
same fish/vendor_completions.d/conformance.fish --generate-completion-script fish
try /usr/bin:/bin chroot "$root"
chroot "$root" dpkg -r holdfast-conformance >/dev/null
echo "== archive, in the same root"
started=$SECONDS
mkdir -p "$root/opt/holdfast"
tar -xzf "${archives[0]}" -C "$root/opt/holdfast" --strip-components 1
try /opt/holdfast:/bin chroot "$root"
