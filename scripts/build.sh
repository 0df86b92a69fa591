#!/bin/sh
# Build a configured folder quietly: one line of progress on a terminal, else errors only.
# Usage: scripts/build.sh folder [cmake --build options]
set -eu
cd "$(dirname "$0")/.."
if [ -t 1 ]; then
    cmake --build "$@"
else
    echo "Building in $1"
    cmake --build "$@" -- --quiet
fi
