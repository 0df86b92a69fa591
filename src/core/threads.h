// SPDX-License-Identifier: BSD-3-Clause
// A few threads that wait for work: created once, then nothing is allocated. One caller at a time.
#pragma once

typedef struct cd_threads cd_threads;

// `count` threads in all, the caller's included. NULL without memory, or where the system gives none; NULL is one
// thread everywhere below.
cd_threads* cd_threads_create(int count);
void        cd_threads_destroy(cd_threads* threads);
int         cd_threads_count(const cd_threads* threads);

// work(context, i) for i = 0 .. ntask - 1, in any order and side by side; returns when all are done.
void cd_threads_run(cd_threads* threads, int ntask, void (*work)(void* context, int task), void* context);
