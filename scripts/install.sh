#!/bin/sh
# Install the missing Debian packages of sections of packages.txt. Prints nothing if none is missing.
# Usage: scripts/install.sh SECTION...
set -eu
cd "$(dirname "$0")/.."
missing=
for section in "$@"; do
    packages=$(sed -n "/^\[$section\]/,/^\[/{/^\[/d; s/#.*//; p}" packages.txt)
    [ -n "$packages" ] || { echo "packages.txt has no section '$section'" >&2; exit 2; }
    for package in $packages; do
        case $package in command=*) # of the package before
            ! command -v "${package#command=}" >/dev/null || missing=${missing%" $last"}
            continue ;;
        esac
        last=$package
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
done
[ -z "$missing" ] && exit 0

echo "Installing:$missing"
as_root=
if [ "$(id -u)" != 0 ]; then as_root=sudo; fi
$as_root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
