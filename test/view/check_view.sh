#!/bin/sh
# The viewer: security of the server, messages of the page, pull, inverse kinematics, history, reload (docs/view-protocol.md).
set -u
cd "$(dirname "$0")/../.."
exec python3 test/view/view_session.py
