#!/bin/sh
# Install the missing Debian packages of packages.txt. Prints nothing if none is missing.
set -eu
cd "$(dirname "$0")/.."
missing=
for package in $(sed 's/#.*//' packages.txt); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "Installing:$missing"
as_root=
if [ "$(id -u)" != 0 ]; then as_root=sudo; fi
$as_root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
