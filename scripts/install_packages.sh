#!/bin/sh
# Installs those of the named Debian or Ubuntu packages that are missing and says which; uses sudo only
# if it is not run as root.
set -eu
missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
        missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
    echo "Rayscope needs these packages, by their Debian names:$missing" >&2
    exit 1
fi
echo "Installing:$missing"
sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "run as root: apt-get install$missing" >&2; exit 1; }
    sudo=sudo
fi
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
