#!/bin/sh
# Print the build targets for the tests listed in FILE: the test programs, and for script tests the target `installed`.
# Usage: test/support/programs.sh FILE
set -eu
sed 's/#.*//' "$1" | tr -s ' ' '\n' | grep -E '^(test|battery)_' || true
if sed 's/#.*//' "$1" | grep -q check_; then echo installed; fi
