// SPDX-License-Identifier: BSD-3-Clause
// cardan sweep: a study, which is one command called many times with other settings, over all cores.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/study_call.h"
#include "cli/values.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "io/results.h"
#include "study/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_sweep(cd_sweep* s, const cd_options* options)
{
    *s                   = (cd_sweep){0};
    cardan_status status = cd_plan_read(options->operand[0], &s->plan, &s->report);
    if (status == CARDAN_OK) status = cd_sweep_check(s);
    if (status == CARDAN_OK) status = cd_plan_digest(&s->plan, &s->digest, &s->report);
    if (status != CARDAN_OK) return cd_say_failure(&s->report, status);
    cd_say_notes(&s->report);
    if (options->keep) s->plan.keep = true;
    s->csv = options->output ? cd_copy_string(options->output) : cd_result_path(s->plan.name, ".csv");
    if (s->csv) {
        s->json    = cd_results_sibling(s->csv, ".json");
        s->journal = cd_results_sibling(s->csv, ".journal");
        s->folder  = cd_results_sibling(s->csv, ".cases");
    }
    s->outcome = cd_allocate((size_t)s->plan.ncase, sizeof *s->outcome);
    if (!s->csv || !s->json || !s->journal || !s->folder || !s->outcome) return cd_say_no_memory();
    if (cd_is_standard_output(options->output) || strcmp(s->json, s->csv) == 0)
        return cd_say_error(CARDAN_CODE_USAGE,
                            "--output names the CSV file of the table; its JSON gets the ending .json"),
               CD_EXIT_USAGE;
    return CD_EXIT_DONE;
}

static void close_sweep(cd_sweep* s)
{
    for (long i = 0; s->outcome && i < s->plan.ncase; ++i) cd_outcome_free(&s->outcome[i], s->plan.ncollect);
    free(s->outcome);
    free(s->csv);
    free(s->json);
    free(s->journal);
    free(s->folder);
    cd_plan_free(&s->plan);
}

// The journal of this study; that of another state of it is not touched, and a table without a journal is somebody
// else's.
static int open_journal(cd_sweep* s, const cd_options* options, cd_journal* journal)
{
    *journal = (cd_journal){.file = -1};
    if (!options->force && access(s->journal, F_OK) != 0 &&
        (!cd_may_write(s->csv, false) || !cd_may_write(s->json, false)))
        return CD_EXIT_INPUT;
    const cardan_status status =
        cd_journal_open(journal, s->journal, &s->plan, &s->digest, options->force, s->outcome, &s->report);
    if (status != CARDAN_OK) return cd_say_failure(&s->report, status);
    for (long i = 0; options->retry && i < s->plan.ncase; ++i)
        if (s->outcome[i].done && !cd_outcome_good(&s->outcome[i]))
            cd_outcome_free(&s->outcome[i], s->plan.ncollect), --journal->done;
    if (!journal->other) return CD_EXIT_DONE;
    cd_say_error(CARDAN_CODE_STUDY_INVALID,
                 "'%s' belongs to another state of this study (study, model or version of Cardan have changed); "
                 "--force begins anew, --output keeps both",
                 s->journal);
    return CD_EXIT_INPUT;
}

static int write_table(cd_sweep* s)
{
    cd_text       csv = {0}, json = {0};
    cardan_status status;
    cd_table_csv(&s->plan, s->outcome, &csv);
    cd_table_json(&s->plan, s->outcome, &s->digest, &json);
    cd_text_add(&json, "\n");
    if (csv.failed || json.failed)
        status = CARDAN_NO_MEMORY;
    else if ((status = cd_file_write(s->csv, csv.data, csv.length, true, &s->report)) == CARDAN_OK)
        status = cd_file_write(s->json, json.data, json.length, true, &s->report);
    cd_text_free(&csv);
    cd_text_free(&json);
    return cd_say_failure(&s->report, status);
}

typedef struct tally {
    long   done, failed, earlier;
    double seconds;
} tally;

static tally count(const cd_sweep* s, long earlier)
{
    tally t = {.earlier = earlier};
    for (long i = 0; i < s->plan.ncase; ++i) {
        t.done += s->outcome[i].done;
        t.failed += s->outcome[i].done && !cd_outcome_good(&s->outcome[i]);
        t.seconds += s->outcome[i].seconds;
    }
    return t;
}

static void say(const cd_sweep* s, const tally* t, const char* picture)
{
    cd_print("%s: %s of `cardan %s`", s->plan.name, cd_plural(s->plan.ncase, "case", "cases").text, s->plan.command);
    if (t->done < s->plan.ncase) cd_print(", %s done; the same command goes on", cd_count_word(t->done).text);
    if (t->failed > 0) cd_print(", %s failed", cd_count_word(t->failed).text);
    if (t->earlier > 0) cd_print(", %s done before", cd_count_word(t->earlier).text);
    cd_print("\n  %s   %s", s->csv, s->json);
    if (picture) cd_print("   %s", picture);
    if (s->plan.keep) cd_print("   %s/", s->folder);
    cd_print("\n");
}

static int say_json(const cd_sweep* s, const tally* t, const char* picture)
{
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "study", s->plan.name);
    cd_json_string(&json, "command", s->plan.command);
    cd_json_integer(&json, "cases", s->plan.ncase);
    cd_json_integer(&json, "done", t->done);
    cd_json_integer(&json, "failed", t->failed);
    cd_json_integer(&json, "done_before", t->earlier);
    cd_json_number(&json, "seconds", t->seconds);
    cd_json_string(&json, "table", s->csv);
    cd_json_string(&json, "json", s->json);
    cd_json_string(&json, "journal", s->journal);
    if (picture) cd_json_string(&json, "picture", picture);
    cd_json_end(&json);
    cd_say_reported();
    return cd_print_text(&text);
}

static int finish(cd_sweep* s, const cd_options* options, long earlier, int code)
{
    const tally t       = count(s, earlier);
    char*       picture = NULL;
    const int   written = write_table(s);
    if (written != CD_EXIT_DONE) return written;
    if (options->plot && t.done > t.failed) {
        picture         = cd_results_sibling(s->csv, ".svg");
        const int drawn = picture ? cd_sweep_plot(s, options, picture) : cd_say_no_memory();
        if (code == CD_EXIT_DONE) code = drawn;
        if (drawn != CD_EXIT_DONE) free(picture), picture = NULL;
    }
    if (options->json)
        say_json(s, &t, picture);
    else if (!options->quiet)
        say(s, &t, picture);
    free(picture);
    return code == CD_EXIT_DONE && t.failed == s->plan.ncase ? CD_EXIT_NUMERICAL : code;
}

// For launchers: the journal's name, then the numbers of the cases that are left.
static int list_pending(const cd_sweep* s)
{
    cd_print("%s\n", s->journal);
    for (long i = 0; i < s->plan.ncase; ++i)
        if (!s->outcome[i].done) cd_print("%ld\n", i + 1);
    return CD_EXIT_DONE;
}

static int run_case(cd_sweep* s, long number)
{
    cd_text text = {0};
    if (number > s->plan.ncase)
        return cd_say_error(CARDAN_CODE_USAGE, "there is no case %ld; the study has %ld", number, s->plan.ncase),
               CD_EXIT_USAGE;
    if (!cd_sweep_one(s, number - 1)) return CD_EXIT_STOPPED;
    cd_outcome_line(&text, number - 1, &s->digest, &s->outcome[number - 1], s->plan.ncollect);
    return cd_print_text(&text);
}

static int run(const cd_options* options)
{
    cd_sweep   s;
    cd_journal journal = {.file = -1};
    int        code    = open_sweep(&s, options);
    if (code == CD_EXIT_DONE && options->number > 0) {
        code = run_case(&s, options->number);
    } else if (code == CD_EXIT_DONE && (code = open_journal(&s, options, &journal)) == CD_EXIT_DONE) {
        if (options->pending) {
            code = list_pending(&s);
        } else {
            const long earlier = journal.done;
            code = cd_sweep_run(&s, &journal, options->workers > 0 ? options->workers : cd_cores(), options->quiet);
            if (code == CD_EXIT_DONE || code == CD_EXIT_STOPPED) code = finish(&s, options, earlier, code);
        }
    }
    cd_journal_close(&journal);
    close_sweep(&s);
    return code;
}

const cd_command cd_command_sweep = {
    .name       = "sweep",
    .operands   = "STUDY",
    .least      = 1,
    .most       = 1,
    .summary    = "a study: one command with many settings, over all cores, into one table",
    .text       = "STUDY is a short file that says which command is called for which model, what varies, and what\n"
                  "is collected:\n"
                  "\n"
                  "  study: 1\n"
                  "  model: pendulum.yaml\n"
                  "  vary:\n"
                  "    length: {from: 0.5, to: 2, count: 7}\n"
                  "    integrator: [dopri5, rk4]\n"
                  "  options: {duration: 5}\n"
                  "  collect:\n"
                  "    lowest: {minimum: tip_z}\n"
                  "    drift: energy.drift\n"
                  "\n"
                  "Each case is a process of its own; one that fails is a row of the table with its reason. The table\n"
                  "is written as CSV and JSON when all cases are done, and is the same for any number of workers.\n"
                  "What is done stays in a journal: after Ctrl-C, or however the sweep was ended, the same command\n"
                  "goes on. Under `mpirun cardan-sweep-mpi STUDY` the cases go to many machines.\n"
                  "docs/sweep.md has all keys.",
    .examples   = "cardan sweep study.yaml                          # all cores, results/study.csv and .json\n"
                  "cardan sweep study.yaml -j 2 -o small.csv        # two at a time, another name\n"
                  "cardan sweep study.yaml --plot drift             # a picture of a column too\n"
                  "cardan sweep study.yaml --plot drift --over mass # over this parameter\n"
                  "mpirun -n 64 cardan-sweep-mpi study.yaml         # over machines\n",
    .needs_file = true,
    CD_OPTIONS(CD_OPTION_WORKERS, CD_OPTION_SWEEP_OUTPUT, CD_OPTION_PLOT_TOO, CD_OPTION_OVER, CD_OPTION_LOGARITHMIC,
               CD_OPTION_LOGARITHMIC_X, CD_OPTION_TITLE, CD_OPTION_WIDTH, CD_OPTION_HEIGHT, CD_OPTION_KEEP,
               CD_OPTION_RETRY, CD_OPTION_SWEEP_FORCE, CD_OPTION_PENDING, CD_OPTION_CASE, CD_OPTION_JSON,
               CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
