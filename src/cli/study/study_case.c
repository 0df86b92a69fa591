// SPDX-License-Identifier: BSD-3-Clause
// Calls of a parameter study. A name under `vary` is an option if the command has an option of this name, else a
// parameter; set.NAME is always a parameter.
#include "cli/study/sweep_case.h"

#include "cli/support/messages.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"

#include <cardan/optimize.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const cd_option* find_option(const cd_command* command, const char* name)
{
    for (int i = 0; i < command->noption; ++i) {
        const cd_option* o = cd_option_at(command->option[i]);
        const size_t     n = strcspn(o->names, " ");
        if (strlen(name) == n && strncmp(o->names, name, n) == 0) return o;
    }
    return NULL;
}

static const char* option_name(void* user, int i)
{
    const cd_command* command = user;
    return i < command->noption ? cd_option_at(command->option[i])->names : NULL;
}

// True if the command writes a table of results; each case has its own. Other output (states, pictures) is not
// requested.
static bool writes_table(const cd_command* command)
{
    const cd_option* o = find_option(command, "output");
    return o && strstr(o->default_text, ".csv");
}

// ---- checks of the study

static bool is_set_by_sweep(const char* name)
{
    static const char* const reserved[] = {"json", "output", "quiet", "force", "help", "set", "columns"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; ++i)
        if (strcmp(reserved[i], name) == 0) return true;
    return false;
}

static bool check_command(cd_study_job* s)
{
    const char* name = s->study.command;
    s->command       = cd_command_find(name);
    if (!s->command) {
        const char* suggestion = cd_command_suggestion(name);
        if (suggestion)
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, s->study.command_location,
                        "there is no command '%s' (did you mean '%s'?)", name, suggestion);
        else
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, s->study.command_location,
                        "there is no command '%s'; `cardan list commands` lists them", name);
        return false;
    }
    if (!find_option(s->command, "json") || !find_option(s->command, "set") || strcmp(name, "sweep") == 0) {
        cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, s->study.command_location,
                    "`cardan %s` cannot be used in a study: a study needs a command that reads a model and has --json",
                    name);
        return false;
    }
    if (cd_parameter_study_needs_results(&s->study) && !writes_table(s->command)) {
        cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, s->study.command_location,
                    "`cardan %s` writes no results with columns; collect values of its report instead", name);
        return false;
    }
    return true;
}

// Check a fixed option: it exists, the sweep does not set it itself, and the value has the right type.
static bool check_option(cd_study_job* s, cd_fixed_setting* f)
{
    const cd_option* o = find_option(s->command, f->name);
    double           number;
    char*            end = NULL;
    if (!o) {
        const char* suggestion = cd_nearest_name(f->name, option_name, (void*)s->command);
        if (suggestion)
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, f->location,
                        "`cardan %s` has no option '%s' (did you mean '%.*s'?)", s->command->name, f->name,
                        (int)strcspn(suggestion, " "), suggestion);
        else
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, f->location,
                        "`cardan %s` has no option '%s'; its --help lists the options", s->command->name, f->name);
        return false;
    }
    if (is_set_by_sweep(f->name)) {
        cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, f->location,
                    "option '%s' is set by the sweep itself%s", f->name,
                    strcmp(f->name, "set") == 0 ? "; give parameters under the key set of the study" : "");
        return false;
    }
    if (o->kind == CD_ARGUMENT_NONE && strcmp(f->value, "true") != 0 && strcmp(f->value, "false") != 0) {
        cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, f->location,
                    "option '%s' must be true or false, not '%s'", f->name, f->value);
        return false;
    }
    number = strtod(f->value, &end);
    if ((o->kind == CD_ARGUMENT_NUMBER || o->kind == CD_ARGUMENT_POSITIVE || o->kind == CD_ARGUMENT_POSITIVE_INTEGER) &&
        (end == f->value || *end || !isfinite(number) || (o->kind != CD_ARGUMENT_NUMBER && !(number > 0)))) {
        cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, f->location,
                    "option '%s' must be a number%s, not '%s'", f->name,
                    o->kind == CD_ARGUMENT_NUMBER ? "" : " greater than zero", f->value);
        return false;
    }
    if (o->argument && strcmp(o->argument, "FILE") == 0 && strcmp(f->value, "-") != 0)
        f->value = cd_parameter_study_path(&s->study, f->value);
    return f->value != NULL;
}

// Check all values of a varied option.
static bool check_varied(cd_study_job* s, cd_study_variable* v)
{
    bool good = true;
    for (int i = 0; i < v->count && good; ++i) {
        cd_fixed_setting f = {v->name, v->text[i], v->location};
        good               = check_option(s, &f);
        v->text[i]         = f.value;
    }
    return good;
}

static cardan_status load_operand(const cd_study_job* s, const cardan_parameter_setting* more, cardan_report* report)
{
    const cd_parameter_study* study       = &s->study;
    cardan_description*       description = NULL;
    cardan_load_options       options     = cardan_load_options_default();
    cardan_parameter_setting* setting     = cd_allocate((size_t)study->nset + 2, sizeof *setting);
    if (!setting) return CARDAN_NO_MEMORY;
    for (int i = 0; i < study->nset; ++i)
        setting[i] = (cardan_parameter_setting){study->set[i].name, study->set[i].value};
    if (more) setting[study->nset] = *more;
    options.nsetting   = study->nset + (more != NULL);
    options.setting    = setting;
    cardan_task*  task = NULL;
    cardan_status status;
    if (strcmp(study->command, "optimize") == 0)
        status = cardan_task_load(study->operand, &options, &task, report);
    else
        status = cardan_description_load(study->operand, &options, &description, report);
    cardan_task_destroy(task);
    cardan_description_destroy(description);
    free(setting);
    return status;
}

static const char* parameter_of(const cd_study_variable* v)
{
    return strncmp(v->name, "set.", 4) == 0 ? v->name + 4 : v->name;
}

enum { VALUES_TRIED = 8 };

// Reject a parameter if the model cannot be loaded with any of its first values, for example because the model has no
// such parameter.
static bool check_parameter(cd_study_job* s, const cd_study_variable* v)
{
    char sentence[CARDAN_MESSAGE_LENGTH] = "";
    for (int i = 0; i < v->count && i < VALUES_TRIED; ++i) {
        cardan_report                  report  = {0};
        const cardan_parameter_setting setting = {parameter_of(v), v->text[i]};
        const cardan_status            status  = load_operand(s, &setting, &report);
        if (status == CARDAN_OK) return true;
        if (status == CARDAN_NO_MEMORY)
            return cardan_fail(&s->report, status, CARDAN_CODE_OUT_OF_MEMORY, v->location, "out of memory"), false;
        for (int k = 0; k < report.count && !*sentence; ++k)
            if (report.message[k].severity == CARDAN_ERROR)
                snprintf(sentence, sizeof sentence, "%s", cardan_message_sentence(&report.message[k]));
    }
    cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, v->location, "%s", sentence);
    return false;
}

// Load the model or task once before any case runs.
static bool check_model(cd_study_job* s)
{
    cardan_report       report = {0};
    const cardan_status status = load_operand(s, NULL, &report);
    bool                good   = status == CARDAN_OK;
    if (status == CARDAN_NO_MEMORY)
        return cardan_fail(&s->report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory"),
               false;
    if (status == CARDAN_FILE_ERROR && report.count > 0) { // the file named in the study does not exist
        cardan_fail(&s->report, status, CARDAN_CODE_STUDY_INVALID, s->study.operand_location, "'%s': %s",
                    s->study.operand, cardan_message_sentence(&report.message[0]));
    } else if (!good || report.errors > 0) {
        s->report = report;
    }
    for (int i = 0; good && i < s->study.nvariable; ++i)
        if (!s->study.variable[i].is_option && !check_parameter(s, &s->study.variable[i])) good = false;
    return good;
}

cardan_status cd_study_check(cd_study_job* s)
{
    bool good = true;
    if (!check_command(s)) return CARDAN_BAD_INPUT;
    for (int i = 0; i < s->study.noption; ++i) good = check_option(s, &s->study.option[i]) && good;
    for (int i = 0; i < s->study.nvariable; ++i) {
        cd_study_variable* v = &s->study.variable[i];
        v->is_option         = find_option(s->command, v->name) != NULL;
        if (v->is_option) good = check_varied(s, v) && good;
        for (int k = 0; k < s->study.noption; ++k)
            if (v->is_option && strcmp(s->study.option[k].name, v->name) == 0)
                good = false,
                cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, s->study.option[k].location,
                            "'%s' varies and cannot have a fixed value, too", v->name);
        for (int k = 0; k < s->study.nset; ++k)
            if (!v->is_option && strcmp(s->study.set[k].name, parameter_of(v)) == 0)
                good = false,
                cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, s->study.set[k].location,
                            "'%s' varies and cannot have a fixed value, too", s->study.set[k].name);
    }
    return good && check_model(s) && cd_study_check_columns(s) ? CARDAN_OK : CARDAN_BAD_INPUT;
}

// ---- arguments of a case

static const char* join_assignment(cd_pool* pool, const char* before, const char* name, const char* value)
{
    const size_t n    = strlen(before) + strlen(name) + strlen(value) + 2;
    char*        text = cd_pool_alloc(pool, n, 1);
    if (text) snprintf(text, n, "%s%s=%s", before, name, value);
    return text;
}

static const char* option_text(const cd_study_job* s, cd_pool* pool, const char* name, const char* value)
{
    if (find_option(s->command, name)->kind != CD_ARGUMENT_NONE) return join_assignment(pool, "--", name, value);
    if (strcmp(value, "true") != 0) return "";
    char* text = cd_pool_alloc(pool, strlen(name) + 3, 1);
    if (text) snprintf(text, strlen(name) + 3, "--%s", name);
    return text;
}

// Option --columns with all collected columns.
static const char* columns_option(const cd_study_job* s, cd_pool* pool)
{
    cd_text text  = {0};
    int     count = 0;
    cd_text_add(&text, "--columns=");
    for (int i = 0; i < s->study.ncollect; ++i)
        if (s->study.collect[i].kind >= CD_COLLECT_START)
            cd_text_format(&text, count++ == 0 ? "%s" : ",%s", s->study.collect[i].source);
    const char* copy = text.failed ? NULL : cd_pool_string(pool, text.data, text.length);
    cd_text_free(&text);
    return copy;
}

const char** cd_study_case_arguments(const cd_study_job* s, long number, const char* csv, cd_pool* pool)
{
    const cd_parameter_study* p = &s->study;
    const char**              a = cd_allocate((size_t)(16 + p->noption + 2 * (p->nset + p->nvariable)), sizeof *a);
    int                       n = 0;
    if (!a) return NULL;
    a[n++] = "cardan";
    a[n++] = p->command;
    a[n++] = p->operand;
    a[n++] = "--json";
    if (find_option(s->command, "quiet")) a[n++] = "--quiet";
    if (find_option(s->command, "force")) a[n++] = "--force";
    if (writes_table(s->command)) a[n++] = "-o", a[n++] = csv;
    if (find_option(s->command, "columns") && cd_parameter_study_needs_results(p)) a[n++] = columns_option(s, pool);
    for (int i = 0; i < p->noption; ++i) a[n++] = option_text(s, pool, p->option[i].name, p->option[i].value);
    for (int i = 0; i < p->nset; ++i)
        a[n++] = "--set", a[n++] = join_assignment(pool, "", p->set[i].name, p->set[i].value);
    for (int i = 0; i < p->nvariable; ++i) {
        const cd_study_variable* v    = &p->variable[i];
        const char*              text = v->text[cd_parameter_study_value_index(p, number, v)];
        if (v->is_option)
            a[n++] = option_text(s, pool, v->name, text);
        else
            a[n++] = "--set", a[n++] = join_assignment(pool, "", parameter_of(v), text);
    }
    int nkept = 0; // flags that are off are empty
    for (int i = 0; i < n; ++i)
        if (!a[i] || *a[i]) a[nkept++] = a[i];
    a[nkept] = NULL;
    for (int i = 0; i < nkept; ++i)
        if (!a[i]) return free(a), NULL;
    return a;
}

char* cd_study_case_path(const cd_study_job* s, long number, const char* file)
{
    cd_text text = {0};
    cd_text_format(&text, *file ? "%s/%ld/%s" : "%s/%ld%s", s->folder, number + 1, file);
    return cd_text_detach(&text);
}

// ---- outcome of a case

static char* read_output(const cd_study_job* s, long number, const char* file, size_t* length)
{
    cardan_report ignored = {0};
    char *        path = cd_study_case_path(s, number, file), *data = NULL;
    *length = 0;
    if (path) cd_report_if_no_memory(cd_file_read(path, &data, length, &ignored));
    if (!path) cd_report_no_memory();
    free(path);
    return data;
}

// Read the status of a failed case from its report: {"status": ...} of an incomplete run, {"error": {"status": ...}} of
// a command that failed before its report. Returns false if the report has no such status.
static bool reported_status(const char* out, size_t length, char word[64])
{
    cardan_report       ignored  = {0};
    cd_json_document*   document = NULL;
    const cd_json_node* status   = NULL;
    if (!out || cd_report_if_no_memory(cd_json_parse(out, length, "report", &document, &ignored)) != CARDAN_OK)
        return false;
    const cd_json_node* root  = cd_json_root(document);
    const cd_json_node* error = root->kind == CD_JSON_OBJECT ? cd_json_find(document, root, "error") : NULL;
    if (root->kind == CD_JSON_OBJECT)
        status = cd_json_find(document, error && error->kind == CD_JSON_OBJECT ? error : root, "status");
    const bool known = status && status->kind == CD_JSON_STRING && strcmp(status->string, "ok") != 0;
    if (known) snprintf(word, 64, "%s", status->string);
    cd_json_destroy(document);
    return known;
}

static void set_failure(cd_case_outcome* o, int code, const char* out, size_t length, const char* err)
{
    char sentence[CARDAN_MESSAGE_LENGTH] = "", word[64];
    cd_extract_error_text(err ? err : "", sentence);
    const char* status = reported_status(out, length, word) ? word
                         : code == CD_EXIT_NUMERICAL        ? "numerical_failure"
                         : code == CD_EXIT_USAGE            ? "bad_usage"
                         : code == CD_EXIT_INPUT            ? "bad_input"
                         : code == CD_EXIT_STOPPED          ? "stopped"
                                                            : "crashed";
    if (*sentence)
        cd_case_outcome_fail(o, status, "%s", sentence);
    else
        cd_case_outcome_fail(o, status, "the command ended with exit code %d", code);
}

void cd_study_collect_case(cd_study_job* s, long number, int wait_status, double seconds, bool timed_out)
{
    cd_case_outcome* o = &s->outcome[number];
    size_t           nout, nerr;
    char *           out = read_output(s, number, "out", &nout), *err = read_output(s, number, "err", &nerr);
    char*            csv = cd_study_case_path(s, number, "results.csv");
    *o                   = (cd_case_outcome){.seconds = seconds, .status = cd_copy_string("ok")};
    if (timed_out)
        cd_case_outcome_fail(o, "time_limit", "the time limit of %g s was exceeded", s->study.time_limit);
    else if (WIFSIGNALED(wait_status))
        cd_case_outcome_fail(o, "crashed", "the process was terminated by signal %d (%s)", WTERMSIG(wait_status),
                             strsignal(WTERMSIG(wait_status)));
    else if (WEXITSTATUS(wait_status) != 0)
        set_failure(o, WEXITSTATUS(wait_status), out, nout, err);
    else
        cd_case_outcome_collect(o, &s->study, out ? out : "", nout, csv);
    o->is_done = o->status != NULL && cd_final_exit_code(CD_EXIT_DONE) == CD_EXIT_DONE;
    if (!o->is_done || !csv || strcmp(o->status, "no_memory") == 0) cd_report_no_memory();
    free(out);
    free(err);
    free(csv);
}
