#!/bin/sh
# Features of the server of the viewer: time, ghost, inputs, pins, markers, edits, diagnosis, replay, several clients, ports.
set -u
cd "$(dirname "$0")/../.."
exec python3 test/view/view_features.py
