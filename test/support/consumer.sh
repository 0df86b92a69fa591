# Sourced by check_install.sh and check_docs.sh in the root of the repository: installs the build into a temporary
# folder and sets PATH and PKG_CONFIG_PATH to it. Defines scratch, prefix, passed, failed, `check NAME COMMAND...` and
# `finish`.
build=$(cd "${CARDAN_BUILD:-build}" && pwd) || exit 1
root=$(pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
passed=0
failed=0

# check NAME COMMAND...: the command succeeds; otherwise its output is printed.
check()
{
    what=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        tail -n 30 "$scratch/log"
    fi
}

finish()
{
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

check "cmake --install" cmake --install "$build" --prefix "$prefix"

# A compiler cc with the flags of the build (sanitizers must be linked).
mkdir -p "$scratch/bin"
printf '#!/bin/sh\nexec %s -Wall -Wextra -Werror %s "$@"\n' "$(cached CMAKE_C_COMPILER)" "$(cached CMAKE_C_FLAGS)" >"$scratch/bin/cc"
# A compiler c++ of the same family, which links the same runtime of sanitizers.
case "$(basename "$(cached CMAKE_C_COMPILER)")" in *clang*) cxx=clang++ ;; *) cxx=g++ ;; esac
printf '#!/bin/sh\nexec %s -Wall -Wextra -Werror %s "$@"\n' "$cxx" "$(cached CMAKE_C_FLAGS)" >"$scratch/bin/c++"
chmod +x "$scratch/bin/cc" "$scratch/bin/c++"
PATH=$scratch/bin:$prefix/bin:$PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name cardan.pc)")
libdir=$(dirname "$PKG_CONFIG_PATH")
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}  # the folder is not one of the system
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
