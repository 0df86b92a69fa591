// SPDX-License-Identifier: BSD-3-Clause
// Search of the file for a path, and the message if there is none.
#include "sentences.h"
#include "test.h"

#include "io/format.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static cardan_report report;
static char          folder[200], path[300];

static cardan_status load(const char* name)
{
    cardan_description* d = NULL;
    cardan_report_clear(&report);
    const cardan_status status = cardan_description_load(name, NULL, &d, &report);
    CHECK((status == CARDAN_OK) == (d != NULL));
    cardan_description_destroy(d);
    return status;
}

static const char* in_folder(const char* name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_robot(const char* name)
{
    FILE* file = fopen(in_folder(name), "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs("<robot name='r'><link name='a'/></robot>", file);
    fclose(file);
}

// One error about the file `name`, with all parts of "part|part|...".
static void check_message(const char* name, const char* parts)
{
    char expected[600];
    snprintf(expected, sizeof expected, "%s: error: ", name);
    CHECK(report.count == 1 && strncmp(report.message[0].text, expected, strlen(expected)) == 0);
    sentence_folder = folder;
    CHECK_CASE(&report, strrchr(name, '/') ? strrchr(name, '/') : name, parts);
}

static void test_missing(void)
{
    CHECK(load(in_folder("nothing_alike")) == CARDAN_FILE_ERROR);
    check_message(path, "");
    CHECK(load(in_folder("no/such/folder.yaml")) == CARDAN_FILE_ERROR);
    check_message(path, "");
    CHECK(load("") == CARDAN_BAD_USAGE);
    CHECK_CASE(&report, "no name", "error: ");
    CHECK(load(NULL) == CARDAN_BAD_USAGE);
}

static void test_suggestions(void)
{
    write_robot("walker.urdf");
    char suggestion[400];
    snprintf(suggestion, sizeof suggestion, "'%s'", in_folder("walker.urdf"));
    CHECK(load(in_folder("walker")) == CARDAN_FILE_ERROR); // extension missing
    check_message(path, suggestion);
    CHECK(load(in_folder("wlaker.urdf")) == CARDAN_FILE_ERROR);
    check_message(path, suggestion);
    remove(in_folder("walker.urdf"));
}

static void test_extensions(void)
{
    write_robot("robot.txt");
    CHECK(load(in_folder("robot.txt")) == CARDAN_BAD_INPUT);
    check_message(path, "");
    remove(in_folder("robot.txt"));
    write_robot("robot.URDF");
    CHECK(load(in_folder("robot.URDF")) == CARDAN_OK);
    remove(in_folder("robot.URDF"));
}

static void test_folders(void)
{
    char name[300], inside[310];
    snprintf(name, sizeof name, "%s", in_folder("robot"));
    CHECK(mkdir(name, 0777) == 0);
    CHECK(load(name) == CARDAN_FILE_ERROR);
    check_message(name, "'robot'");
    write_robot("robot/robot.urdf");
    CHECK(load(name) == CARDAN_OK);
    snprintf(inside, sizeof inside, "%s/", name);
    CHECK(load(inside) == CARDAN_OK);
    snprintf(inside, sizeof inside, "%s/.", name);
    CHECK(load(inside) == CARDAN_OK);
    remove(in_folder("robot/robot.urdf"));
    rmdir(name);
}

static void test_table(void) // every table entry is found by each of its extensions
{
    CHECK(cd_format_count() >= 2);
    for (int i = 0; i < cd_format_count(); ++i) {
        const cd_format* format = cd_format_at(i);
        char             endings[80];
        CHECK(format->read != NULL && strlen(format->summary) > 10);
        snprintf(endings, sizeof endings, "%s", format->extensions);
        for (char* ending = strtok(endings, " "); ending; ending = strtok(NULL, " ")) {
            char name[100];
            snprintf(name, sizeof name, "some.model%s", ending);
            CHECK(cd_format_from_path(name) == format);
            CHECK(cd_format_from_path(ending) == NULL); // an extension alone is not a file name
        }
    }
    CHECK(cd_format_at(cd_format_count()) == NULL && cd_format_at(-1) == NULL && cd_format_from_path("model") == NULL);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/cardan_XXXXXX", P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    RUN(test_missing());
    RUN(test_suggestions());
    RUN(test_extensions());
    RUN(test_folders());
    RUN(test_table());
    rmdir(folder);
    RUN(test_sentences("test_load"));
    return test_end();
}
