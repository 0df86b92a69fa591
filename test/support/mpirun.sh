#!/bin/sh
# mpirun without LeakSanitizer: Open MPI does not free what it allocates at its start.
exec env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" mpirun "$@"
