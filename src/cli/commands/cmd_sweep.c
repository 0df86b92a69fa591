// SPDX-License-Identifier: BSD-3-Clause
// cardan sweep: parameter study, one command called many times with different settings on all cores.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/study/sweep_case.h"
#include "cli/report/value_text.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "io/results/results.h"
#include "study/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_sweep(cd_study_job* s, const cd_options* options)
{
    *s                   = (cd_study_job){0};
    cardan_status status = cd_parameter_study_read(options->operand[0], &s->study, &s->report);
    if (status == CARDAN_OK) status = cd_study_check(s);
    if (status == CARDAN_OK) status = cd_parameter_study_digest(&s->study, &s->digest, &s->report);
    if (status != CARDAN_OK) return cd_report_failure(&s->report, status);
    cd_print_report_as_notes(&s->report);
    if (options->keep) s->study.keep_files = true;
    s->csv = options->output ? cd_copy_string(options->output) : cd_result_path(s->study.name, ".csv");
    if (s->csv) {
        s->json    = cd_results_sibling_path(s->csv, ".json");
        s->journal = cd_results_sibling_path(s->csv, ".journal");
        s->folder  = cd_results_sibling_path(s->csv, ".cases");
    }
    s->outcome = cd_allocate((size_t)s->study.ncase, sizeof *s->outcome);
    if (!s->csv || !s->json || !s->journal || !s->folder || !s->outcome) return cd_report_no_memory();
    if (cd_is_standard_output(options->output) || strcmp(s->json, s->csv) == 0)
        return cd_report_error(CARDAN_CODE_USAGE,
                               "--output must name the CSV file of the table; its JSON gets the ending .json"),
               CD_EXIT_USAGE;
    return CD_EXIT_DONE;
}

static void close_sweep(cd_study_job* s)
{
    for (long i = 0; s->outcome && i < s->study.ncase; ++i) cd_case_outcome_free(&s->outcome[i], s->study.ncollect);
    free(s->outcome);
    free(s->csv);
    free(s->json);
    free(s->journal);
    free(s->folder);
    cd_parameter_study_free(&s->study);
}

// Open the journal of this study. A journal with another digest is not changed; a table without journal belongs to
// another study and is not overwritten.
static int open_journal(cd_study_job* s, const cd_options* options, cd_study_journal* journal)
{
    *journal = (cd_study_journal){.file = -1};
    if (!options->force && access(s->journal, F_OK) != 0 &&
        (!cd_can_write(s->csv, false) || !cd_can_write(s->json, false)))
        return CD_EXIT_INPUT;
    const cardan_status status =
        cd_study_journal_open(journal, s->journal, &s->study, &s->digest, options->force, s->outcome, &s->report);
    if (status != CARDAN_OK) return cd_report_failure(&s->report, status);
    for (long i = 0; options->retry && i < s->study.ncase; ++i)
        if (s->outcome[i].is_done && !cd_case_outcome_is_ok(&s->outcome[i]))
            cd_case_outcome_free(&s->outcome[i], s->study.ncollect), --journal->ndone;
    if (!journal->is_other_study) return CD_EXIT_DONE;
    cd_report_error(CARDAN_CODE_STUDY_INVALID,
                    "'%s' belongs to another version of this study (study, model or version of Cardan have changed); "
                    "--force starts again, --output names another file",
                    s->journal);
    return CD_EXIT_INPUT;
}

static int write_table(cd_study_job* s)
{
    cd_text       csv = {0}, json = {0};
    cardan_status status;
    cd_study_table_write_csv(&s->study, s->outcome, &csv);
    cd_study_table_write_json(&s->study, s->outcome, &s->digest, &json);
    cd_text_add(&json, "\n");
    if (csv.failed || json.failed)
        status = CARDAN_NO_MEMORY;
    else if ((status = cd_file_write(s->csv, csv.data, csv.length, true, &s->report)) == CARDAN_OK)
        status = cd_file_write(s->json, json.data, json.length, true, &s->report);
    cd_text_free(&csv);
    cd_text_free(&json);
    return cd_report_failure(&s->report, status);
}

typedef struct case_count {
    long   done, failed, done_before;
    double seconds;
} case_count;

static case_count count_cases(const cd_study_job* s, long done_before)
{
    case_count t = {.done_before = done_before};
    for (long i = 0; i < s->study.ncase; ++i) {
        t.done += s->outcome[i].is_done;
        t.failed += s->outcome[i].is_done && !cd_case_outcome_is_ok(&s->outcome[i]);
        t.seconds += s->outcome[i].seconds;
    }
    return t;
}

static void print_summary(const cd_study_job* s, const case_count* t, const char* picture)
{
    cd_print("%s: %s of `cardan %s`", s->study.name, cd_plural_text(s->study.ncase, "case", "cases").text,
             s->study.command);
    if (t->done < s->study.ncase) cd_print(", %s done; the same command continues", cd_count_text(t->done).text);
    if (t->failed > 0) cd_print(", %s failed", cd_count_text(t->failed).text);
    if (t->done_before > 0) cd_print(", %s done before", cd_count_text(t->done_before).text);
    cd_print("\n  %s   %s", s->csv, s->json);
    if (picture) cd_print("   %s", picture);
    if (s->study.keep_files) cd_print("   %s/", s->folder);
    cd_print("\n");
}

static int print_json(const cd_study_job* s, const case_count* t, const char* picture)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "study", s->study.name);
    cd_json_string(&json, "command", s->study.command);
    cd_json_integer(&json, "cases", s->study.ncase);
    cd_json_integer(&json, "done", t->done);
    cd_json_integer(&json, "failed", t->failed);
    cd_json_integer(&json, "done_before", t->done_before);
    cd_json_number(&json, "seconds", t->seconds);
    cd_json_string(&json, "table", s->csv);
    cd_json_string(&json, "json", s->json);
    cd_json_string(&json, "journal", s->journal);
    if (picture) cd_json_string(&json, "picture", picture);
    cd_json_end(&json);
    cd_mark_report_printed();
    return cd_print_and_free_text(&text);
}

static int finish(cd_study_job* s, const cd_options* options, long done_before, int code)
{
    const case_count t       = count_cases(s, done_before);
    char*            picture = NULL;
    const int        written = write_table(s);
    if (written != CD_EXIT_DONE) return written;
    if (options->plot && t.done > t.failed) {
        picture         = cd_results_sibling_path(s->csv, ".svg");
        const int drawn = picture ? cd_study_plot(s, options, picture) : cd_report_no_memory();
        if (code == CD_EXIT_DONE) code = drawn;
        if (drawn != CD_EXIT_DONE) free(picture), picture = NULL;
    }
    if (options->json)
        print_json(s, &t, picture);
    else if (!options->quiet)
        print_summary(s, &t, picture);
    free(picture);
    return code == CD_EXIT_DONE && t.failed == s->study.ncase ? CD_EXIT_NUMERICAL : code;
}

// For launchers: print the path of the journal, then the numbers of the pending cases.
static int list_pending(const cd_study_job* s)
{
    cd_print("%s\n", s->journal);
    for (long i = 0; i < s->study.ncase; ++i)
        if (!s->outcome[i].is_done) cd_print("%ld\n", i + 1);
    return CD_EXIT_DONE;
}

static int run_case(cd_study_job* s, long number)
{
    cd_text text = {0};
    if (number > s->study.ncase)
        return cd_report_error(CARDAN_CODE_USAGE, "there is no case %ld; the study has %ld", number, s->study.ncase),
               CD_EXIT_USAGE;
    if (!cd_study_run_case(s, number - 1)) return CD_EXIT_STOPPED;
    cd_case_outcome_write_line(&text, number - 1, &s->digest, &s->outcome[number - 1], s->study.ncollect);
    return cd_print_and_free_text(&text);
}

static int run(const cd_options* options)
{
    cd_study_job     s;
    cd_study_journal journal = {.file = -1};
    int              code    = open_sweep(&s, options);
    if (code == CD_EXIT_DONE && options->case_number > 0) {
        code = run_case(&s, options->case_number);
    } else if (code == CD_EXIT_DONE && (code = open_journal(&s, options, &journal)) == CD_EXIT_DONE) {
        if (options->pending) {
            code = list_pending(&s);
        } else {
            const long done_before = journal.ndone;
            code = cd_study_run_all(&s, &journal, options->workers > 0 ? options->workers : cd_available_cores(),
                                    options->quiet);
            if (code == CD_EXIT_DONE || code == CD_EXIT_STOPPED) code = finish(&s, options, done_before, code);
        }
    }
    cd_study_journal_close(&journal);
    close_sweep(&s);
    return code;
}

const cd_command cd_command_sweep = {
    .name              = "sweep",
    .operands          = "STUDY",
    .noperand_min      = 1,
    .noperand_max      = 1,
    .summary           = "parameter study: one command with many settings, on all cores, into one table",
    .text              = "STUDY is a short file with command, model, varied quantities and collected values:\n"
                         "\n"
                         "  study: 1\n"
                         "  model: pendulum.yaml\n"
                         "  vary:\n"
                         "    length: {from: 0.5, to: 2, count: 7}\n"
                         "    integrator: [dopri5, rk4]\n"
                         "  options: {duration: 5}\n"
                         "  collect:\n"
                         "    lowest: {minimum: tip_z}\n"
                         "    drift: energy.error\n"
                         "\n"
                         "Each case runs in a separate process; a failed case is a row of the table with the reason.\n"
                         "The table is written as CSV and JSON when all cases are done, and does not depend on the\n"
                         "number of workers. Finished cases are kept in a journal: after Ctrl-C or any other\n"
                         "interruption the same command continues. `mpirun cardan-sweep-mpi STUDY` distributes the\n"
                         "cases over many machines. docs/sweep.md describes all keys.",
    .examples          = "cardan sweep study.yaml                          # all cores, results/study.csv and .json\n"
                         "cardan sweep study.yaml -j 2 -o small.csv        # two at a time, another name\n"
                         "cardan sweep study.yaml --plot drift             # with a picture of a column\n"
                         "cardan sweep study.yaml --plot drift --over mass # over this parameter\n"
                         "mpirun -n 64 cardan-sweep-mpi study.yaml         # over machines\n",
    .needs_output_file = true,
    CD_OPTIONS(CD_OPTION_WORKERS, CD_OPTION_SWEEP_OUTPUT, CD_OPTION_SWEEP_PLOT, CD_OPTION_OVER, CD_OPTION_LOGARITHMIC,
               CD_OPTION_LOGARITHMIC_X, CD_OPTION_TITLE, CD_OPTION_WIDTH, CD_OPTION_HEIGHT, CD_OPTION_KEEP,
               CD_OPTION_RETRY, CD_OPTION_SWEEP_FORCE, CD_OPTION_PENDING, CD_OPTION_CASE, CD_OPTION_JSON,
               CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
