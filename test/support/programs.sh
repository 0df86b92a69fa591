#!/bin/sh
# Prints the build targets of the tests in a list: test programs, and `installed` (tool and installed files) for
# scripts. Usage: test/support/programs.sh FILE
set -eu
sed 's/#.*//' "$1" | tr -s ' ' '\n' | grep -E '^(test|battery)_' || true
if sed 's/#.*//' "$1" | grep -q check_; then echo installed; fi
