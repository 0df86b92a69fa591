// SPDX-License-Identifier: BSD-3-Clause
// Suggested joints of a diagnosis, independent of their wording: joints with their new types and axes in the order of
// the sentence. A suggestion that changes b2 to a spherical joint and b1 to a general joint that rotates about y and x
// and translates along z has the terms "b2 spherical b1 general rotation y x translation z"; one that removes a body
// or a joint has its name only.
#pragma once

#include "sentences.h"

#include <cardan/cardan.h>

enum { SUGGESTION_LENGTH = 2048, SUGGESTION_WORD = 128 };

static inline bool suggestion_is_name(const cardan_description_view* view, const char* word, bool bodies)
{
    for (int i = 0; i < view->njoint; ++i)
        if (strcmp(view->joint[i].name, word) == 0) return true;
    for (int i = 0; bodies && i < view->nbody; ++i)
        if (strcmp(view->body[i].name, word) == 0) return true;
    return false;
}

static inline bool suggestion_is_type(const char* word)
{
    static const char* const types[] = {"spherical", "cylindrical", "universal", "general"};
    for (int i = 0; i < 4; ++i)
        if (strcmp(word, types[i]) == 0) return true;
    return false;
}

// "rotation" or "translation" if the word means that, else NULL.
static inline const char* suggestion_motion(const char* word)
{
    if (strncmp(word, "turn", 4) == 0 || strncmp(word, "rotat", 5) == 0) return "rotation";
    return strncmp(word, "slid", 4) == 0 || strncmp(word, "translat", 8) == 0 ? "translation" : NULL;
}

// The next word or vector "(x, y, z)" of a sentence without punctuation; what follows it, or NULL at the end.
static inline const char* suggestion_word(const char* p, char word[SUGGESTION_WORD])
{
    size_t n = 0;
    while (*p && strchr(" ,;'", *p)) ++p;
    if (!*p) return NULL;
    if (*p == '(') do
            if (n + 1 < SUGGESTION_WORD) word[n++] = *p;
        while (*p++ != ')' && *p);
    else
        for (; *p && !strchr(" ,;'", *p); ++p)
            if (n + 1 < SUGGESTION_WORD) word[n++] = *p;
    word[n] = 0;
    return p;
}

static inline void suggestion_add(char terms[SUGGESTION_LENGTH], const char* word)
{
    const size_t n = strlen(terms);
    snprintf(terms + n, SUGGESTION_LENGTH - n, n > 0 ? " %s" : "%s", word);
}

static inline void suggestion_terms(const cardan_description* d, const char* sentence, char terms[SUGGESTION_LENGTH])
{
    const cardan_description_view view = cardan_description_get_view(d);
    char                          word[SUGGESTION_WORD], joint[SUGGESTION_WORD] = "", type[SUGGESTION_WORD] = "";
    terms[0] = 0;
    for (const char* p = sentence; (p = suggestion_word(p, word));) {
        if (strcmp(type, "general") == 0 && suggestion_motion(word)) {
            suggestion_add(terms, suggestion_motion(word));
        } else if (suggestion_is_name(&view, word, false)) {
            strcpy(joint, word);
        } else if (suggestion_is_type(word)) {
            suggestion_add(terms, joint);
            suggestion_add(terms, word);
            strcpy(type, word);
        } else if (type[0] && (word[0] == '(' || (strchr("xyz", word[0]) && !word[1]))) {
            suggestion_add(terms, word);
        }
    }
    if (type[0]) return;
    for (const char* p = sentence; (p = suggestion_word(p, word));)
        if (suggestion_is_name(&view, word, true)) suggestion_add(terms, word);
}

// e = R'e with the rotation of the quaternion q.
static inline void suggestion_rotate_back(const double q[4], double e[3])
{
    const double w = q[0], u[3] = {-q[1], -q[2], -q[3]};
    const double c[3] = {u[1] * e[2] - u[2] * e[1], u[2] * e[0] - u[0] * e[2], u[0] * e[1] - u[1] * e[0]};
    const double d[3] = {u[1] * c[2] - u[2] * c[1], u[2] * c[0] - u[0] * c[2], u[0] * c[1] - u[1] * c[0]};
    for (int k = 0; k < 3; ++k) e[k] += 2 * (w * c[k] + d[k]);
}

// Add an elementary joint along a world direction "x" or "(0.6, 0.8, 0)"; its axis is in the frame of the joint.
static inline void suggestion_add_axis(const cardan_description_view* view, cardan_joint* joint, const char* direction,
                                       bool translation)
{
    double e[3] = {direction[0] == 'x', direction[0] == 'y', direction[0] == 'z'};
    if (direction[0] == '(' && sscanf(direction, "(%lf, %lf, %lf)", &e[0], &e[1], &e[2]) != 3) return;
    if (joint->nelementary == 6) return;
    if (joint->first_body != CARDAN_GROUND) suggestion_rotate_back(view->body[joint->first_body].pose.q, e);
    suggestion_rotate_back(joint->frame_first.q, e);
    joint->elementary[joint->nelementary++] =
        (cardan_elementary_joint){.is_translation = translation, .axis = {e[0], e[1], e[2]}};
}

// Change spherical, cylindrical and general joints of the description as the terms say; the number of joints changed.
// The frames of the joints stay: the axis of a joint is z.
static inline int suggestion_apply(cardan_description* d, const char* terms)
{
    static const char* const      types[]     = {"spherical", "cylindrical", "general"};
    const cardan_description_view view        = cardan_description_get_view(d);
    cardan_joint*                 joint       = NULL;
    bool                          translation = false;
    int                           changed     = 0;
    char                          word[SUGGESTION_WORD];
    for (const char* p = terms; (p = suggestion_word(p, word));) {
        if (joint && strcmp(joint->type, "general") == 0 && suggestion_motion(word))
            translation = strcmp(word, "translation") == 0;
        else if (joint && strcmp(joint->type, "general") == 0 && (word[0] == '(' || strchr("xyz", word[0])))
            suggestion_add_axis(&view, joint, word, translation);
        for (int j = 0; j < view.njoint; ++j)
            if (strcmp(view.joint[j].name, word) == 0) joint = (cardan_joint*)&view.joint[j];
        for (int k = 0; joint && k < 3; ++k) {
            if (strcmp(word, types[k]) != 0) continue;
            joint->type = types[k];
            if (k == 2) joint->nelementary = 0;
            ++changed;
        }
    }
    return changed;
}

static inline void suggestion_check(const char* file, int line, const cardan_description* d, const char* sentence,
                                    const char* expected)
{
    char terms[SUGGESTION_LENGTH];
    suggestion_terms(d, sentence, terms);
    if (strcmp(terms, expected) != 0) {
        printf("%s:%d: the suggestion is \"%s\", not \"%s\": %s\n", file, line, terms, expected, sentence);
        test_broken = true;
    }
    sentence_record(sentence);
}

// The sentence of a diagnosis suggests these joints.
#define CHECK_SUGGESTION(description, sentence, expected)                                                              \
    suggestion_check(__FILE__, __LINE__, (description), (sentence), (expected))
