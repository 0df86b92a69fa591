#!/bin/sh
# What has to be built for the tests that a list names: its test programs, and for script tests the tool and what is
# installed with it. Usage: test/support/programs.sh FILE
set -eu
sed 's/#.*//' "$1" | tr -s ' ' '\n' | grep -E '^(test|battery)_' || true
if sed 's/#.*//' "$1" | grep -q check_; then echo installed; fi
