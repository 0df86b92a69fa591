#!/bin/sh
# Recordings of the viewer (docs/view-protocol.md): frames decoded and compared with results, size, policy, protection of files.
set -u
cd "$(dirname "$0")/../.."
exec python3 test/view/view_recording.py
