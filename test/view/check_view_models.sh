#!/bin/sh
# Models in the viewer: each one opens, is pulled for a second of real time, and keeps its constraints or says why not. A choice of
# fourteen; with CARDAN_VIEW_MODELS=all all models and robots.
set -u
cd "$(dirname "$0")/../.."
exec python3 test/view/view_models.py "${CARDAN_VIEW_MODELS:-some}"
