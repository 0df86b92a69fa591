// SPDX-License-Identifier: BSD-3-Clause
// Main program: find the command, parse its options, run it.
#include "cli/support/openblas_memory.h"
#include "cli/support/allocation_check.h"
#include "cli/commands/commands.h"
#include "cli/support/messages.h"
#include "core/parts.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Defined by OpenBLAS; NULL with another BLAS.
void openblas_set_num_threads(int n) __attribute__((weak));

// True if errors are also printed as JSON: --json is among the arguments, and standard output is not used for results.
// Reads the raw arguments, so that it also works after wrong usage.
static bool is_json_requested(int argc, const char* const* argv)
{
    bool json = false;
    for (int i = 2; i < argc; ++i) {
        json = json || strcmp(argv[i], "--json") == 0;
        if (strcmp(argv[i], "-") == 0 || strcmp(argv[i], "/dev/stdout") == 0) return false;
    }
    return json;
}

static int report_missing_part(const cd_command* command)
{
    cardan_report       report = {0};
    const cardan_status status =
        cd_fail_missing_part(&report, command->part, cardan_location_none(), "the command '%s'", command->name);
    return cd_report_failure(&report, status);
}

static int run_command(const cd_command* command, int argc, const char* const* argv)
{
    cd_options options;
    int        code = CD_EXIT_USAGE;
    if (cd_options_parse(command, argc - 2, argv + 2, &options)) {
        options.argc = argc;
        options.argv = argv;
        code         = CD_EXIT_DONE;
        if (options.help)
            cd_help_command(command);
        else if (!cd_options_are_valid(command, &options))
            code = CD_EXIT_USAGE;
        else if (cd_command_missing_part(command))
            code = report_missing_part(command);
        else
            code = command->run(&options);
    }
    cd_options_free(&options);
    if (cd_allocation_failed()) cd_report_no_memory();
    code = cd_final_exit_code(code);
    if (is_json_requested(argc, argv)) cd_print_error_json(code);
    return cd_final_exit_code(code);
}

static bool command_ended;

// Exit handler: the sequential MUMPS ends the process with exit code 0 if it runs out of memory (docs/limitations.md).
// An exit before the end of the command is a failure.
static void reject_silent_exit(void)
{
    if (command_ended) return;
    cd_report_error(CARDAN_CODE_COMMAND_FAILED,
                    "a solver ended the process: out of memory, or an internal error of the solver");
    _exit(CD_EXIT_INPUT);
}

// Flush standard output. Returns an error code if the output is incomplete; an earlier flush may already have failed.
static int close_output(int code)
{
    const bool failed = ferror(stdout) != 0;
    command_ended     = true;
    if (fflush(stdout) == 0 && !failed) return code;
    cd_report_error(CARDAN_CODE_FILE_NOT_WRITABLE, "standard output cannot be written");
    return code == CD_EXIT_DONE ? CD_EXIT_INPUT : code;
}

// Use one BLAS thread unless the environment sets a number: the matrices are small, idle OpenBLAS threads spin, and the
// round-off of sums would depend on the number of threads.
static void limit_blas_threads(void)
{
    if (openblas_set_num_threads && !getenv("OPENBLAS_NUM_THREADS")) openblas_set_num_threads(1);
}

// Ends the process at once: exit() would wait for worker threads of OpenBLAS.
static void require_address_space(void)
{
    if (cd_address_space_is_sufficient()) return;
    cd_report_error(CARDAN_CODE_OUT_OF_MEMORY,
                    "out of memory: the address space is limited to %ld MB (ulimit -v), which is too small for the "
                    "linear algebra library; 400 MB are sufficient",
                    cd_address_space_limit());
    fflush(NULL);
    _exit(CD_EXIT_INPUT);
}

int main(int argc, char** argv)
{
    limit_blas_threads();
    require_address_space();
    (void)atexit(reject_silent_exit);
    signal(SIGXFSZ, SIG_IGN); // files beyond the size limit then fail as on a full disk
    if (argc < 2) {
        cd_help_overview();
        return close_output(CD_EXIT_USAGE);
    }
    const char* name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    const cd_command* command = cd_command_find(name);
    if (!command) {
        const int code = cd_report_unknown_command(name, cd_command_suggestion(name));
        if (is_json_requested(argc, (const char* const*)argv)) cd_print_error_json(code);
        return close_output(code);
    }
    return close_output(run_command(command, argc, (const char* const*)argv));
}
