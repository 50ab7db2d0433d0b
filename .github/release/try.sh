#!/usr/bin/env bash
# Tries what package.py has made where no Swift is: the Debian package and the archive in a Debian root of nothing but the base,
# the wheel in a new Python environment. Each runs the suite against the reference server. Needs root, debootstrap and Python.
#     try.sh dist
set -euo pipefail
dist="$(cd "${1:?the folder of the packages}" && pwd)"
work="$(mktemp -d)"
root="${HOLDFAST_DEBIAN_ROOT:-$work/root}"
clean() {
    if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
    rm -rf "$work"
}
trap clean EXIT
# The verdict, or all of it where it is not the one expected.
suite() {
    if ! "$@" server --reference --skip-crashes >"$work/report" 2>&1; then cat "$work/report"; exit 1; fi
    sed -n 1p "$work/report"
}

packages=("$dist"/*_"$(dpkg --print-architecture)".deb)
archives=("$dist"/conformance-*-"$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)".tar.gz)
wheels=("$dist"/*"$(uname -m)".whl)

echo "== wheel, in a new Python environment"
started=$SECONDS
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --no-index "${wheels[0]}"
env -i PATH="$work/python/bin" conformance --version
suite env -i PATH="$work/python/bin" conformance
echo "from the file to the first verdict: $((SECONDS - started)) s"

if [ -z "${HOLDFAST_DEBIAN_ROOT:-}" ]; then
    debootstrap --variant=minbase "${HOLDFAST_DEBIAN:-bookworm}" "$root" >"$work/debootstrap.log" || { cat "$work/debootstrap.log"; exit 1; }
fi
if chroot "$root" sh -c 'command -v swift'; then echo "try.sh: there is a Swift in $root" >&2; exit 1; fi
# Programs find their own arguments there.
mount -t proc proc "$root/proc"
echo "== Debian package, in a root of nothing but the base"
cp "${packages[0]}" "$root/tmp/conformance.deb"
chroot "$root" dpkg -i /tmp/conformance.deb >/dev/null
suite chroot "$root" env -i PATH=/usr/bin:/bin conformance
chroot "$root" dpkg -r holdfast-conformance >/dev/null
echo "== archive, in the same root"
mkdir -p "$root/opt/holdfast"
tar -xzf "${archives[0]}" -C "$root/opt/holdfast" --strip-components 1
suite chroot "$root" env -i PATH=/bin /opt/holdfast/conformance
