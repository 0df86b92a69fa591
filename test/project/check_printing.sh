#!/bin/sh
# Three source files print: cli/support/terminal_print.c to terminals, with escapes, and reports of commands to standard
# output; core/file.c and io/results/results_write.c (CSV) to files. No other object of the library or of the tool calls
# a printing function of the C library, and one function escapes XML.
set -u
cd "$(dirname "$0")/../.."
build=${CARDAN_BUILD:-build}
passed=0
failed=0
expect_none() { # NAME LINES: passes if LINES is empty
    if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'failed: %s\n%s\n' "$1" "$2"; fi
}
calls='(__)?(v?d?f?printf|puts|fputs|putchar|fputc|putc|_IO_putc|fwrite|perror|psignal)(_chk|_unlocked)?'
objects=$(find "$build" -name '*.o' -path '*.dir/src/*' ! -path '*.dir/src/mpi/*')
[ -n "$objects" ] || { echo "0 passed, 1 failed"; exit 1; }
printing=$(for o in $objects; do
    nm -u "$o" 2>/dev/null | awk '{print $2}' | grep -qE "^$calls\$" && echo "$o" | sed 's/.*\.dir\/src\///; s|\.o$||'
done | sort -u)
expect_none "objects that print" "$(echo "$printing" | grep -vE '^(cli/support/terminal_print|core/file|io/results/results_write)\.c$')"
expect_none "terminal_print.c prints" "$(echo "$printing" | grep -q '^cli/support/terminal_print.c$' || echo "cli/support/terminal_print.c does not print: are these the objects of the tool?")"
expect_none "XML is escaped in one place" "$(grep -rln '&lt;\|&quot;' src --include='*.c' | grep -v '^src/core/escape.c$')"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
