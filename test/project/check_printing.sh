#!/bin/sh
# Text leaves the program in few places: terminals by cli/support/terminal_print.c, which escapes it; reports for programs by cli/report/report_values.c; files by core/file.c and, CSV,
# io/results/results_write.c. No other object of the library or of the tool calls a function of the C library that prints. And each language has one escape.
set -u
cd "$(dirname "$0")/../.."
build=${CARDAN_BUILD:-build}
passed=0
failed=0
judge() {
    if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'failed: %s\n%s\n' "$1" "$2"; fi
}
calls='(__)?(v?d?f?printf|puts|fputs|putchar|fputc|putc|_IO_putc|fwrite|perror|psignal)(_chk|_unlocked)?'
objects=$(find "$build" -name '*.o' -path '*.dir/src/*' ! -path '*.dir/src/launch/*')
[ -n "$objects" ] || { echo "0 passed, 1 failed"; exit 1; }
printing=$(for o in $objects; do
    nm -u "$o" 2>/dev/null | awk '{print $2}' | grep -qE "^$calls\$" && echo "$o" | sed 's/.*\.dir\/src\///; s|\.o$||'
done | sort -u)
judge "objects that print" "$(echo "$printing" | grep -vE '^(cli/support/terminal_print|cli/report/report_values|core/file|io/results/results_write)\.c$')"
judge "the terminal has its printer" "$(echo "$printing" | grep -q '^cli/support/terminal_print.c$' || echo "cli/support/terminal_print.c does not print: are these the objects of the tool?")"
# escapes of a language anywhere else
judge "XML is escaped in one place" "$(grep -rln '&lt;\|&quot;' src --include='*.c' | grep -v '^src/core/escape.c$')"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
