// SPDX-License-Identifier: BSD-3-Clause
// A pool of threads for one caller at a time: created once, no allocation afterwards.
#pragma once

typedef struct cd_threads cd_threads;

// Create a pool of `count` threads, the caller included. NULL if there is no memory or no thread can be created; NULL
// means one thread in all functions below.
cd_threads* cd_threads_create(int count);
void        cd_threads_destroy(cd_threads* threads);
int         cd_threads_count(const cd_threads* threads);

// Run work(context, i) for i = 0 .. ntask - 1, concurrently and in any order; returns when all are done.
void cd_threads_run(cd_threads* threads, int ntask, void (*work)(void* context, int task), void* context);
