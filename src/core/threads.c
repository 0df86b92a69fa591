// SPDX-License-Identifier: BSD-3-Clause
// Threads take tasks from an atomic counter (dynamic load balancing). Waiting threads spin SPIN_COUNT times before they
// sleep, because a simulation calls again within microseconds.
#include "core/threads.h"

#include "core/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPIN_COUNT = 2000 };

struct cd_threads {
    int             nworker; // without the caller
    pthread_t*      worker;
    pthread_mutex_t lock;
    pthread_cond_t  wake, done;
    void (*work)(void*, int);
    void*       context;
    int         ntask;
    atomic_int  next;  // next task
    atomic_int  busy;  // workers that have not finished this round
    atomic_uint round; // incremented by every call
    bool        stop;
};

static void run_tasks(cd_threads* t)
{
    for (int i = atomic_fetch_add(&t->next, 1); i < t->ntask; i = atomic_fetch_add(&t->next, 1)) t->work(t->context, i);
}

static void* wait_and_work(void* argument)
{
    cd_threads* t          = argument;
    unsigned    last_round = 0;
    for (;;) {
        for (int i = 0; i < SPIN_COUNT && atomic_load(&t->round) == last_round; ++i) {
        }
        pthread_mutex_lock(&t->lock);
        while (atomic_load(&t->round) == last_round && !t->stop) pthread_cond_wait(&t->wake, &t->lock);
        last_round      = atomic_load(&t->round);
        const bool stop = t->stop;
        pthread_mutex_unlock(&t->lock);
        if (stop) return NULL;
        run_tasks(t);
        if (atomic_fetch_sub(&t->busy, 1) == 1) {
            pthread_mutex_lock(&t->lock);
            pthread_cond_signal(&t->done);
            pthread_mutex_unlock(&t->lock);
        }
    }
}

cd_threads* cd_threads_create(int count)
{
    if (count < 2) return NULL;
    cd_threads* t = cd_allocate(1, sizeof *t);
    if (!t) return NULL;
    t->worker = cd_allocate((size_t)count - 1, sizeof *t->worker);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    pthread_cond_init(&t->done, NULL);
    while (t->worker && t->nworker < count - 1 && pthread_create(&t->worker[t->nworker], NULL, wait_and_work, t) == 0)
        ++t->nworker;
    if (t->nworker > 0) return t;
    cd_threads_destroy(t);
    return NULL;
}

void cd_threads_destroy(cd_threads* t)
{
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < t->nworker; ++i) pthread_join(t->worker[i], NULL);
    pthread_cond_destroy(&t->wake);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    free(t->worker);
    free(t);
}

int cd_threads_count(const cd_threads* t) { return t ? t->nworker + 1 : 1; }

void cd_threads_run(cd_threads* t, int ntask, void (*work)(void*, int), void* context)
{
    if (!t || ntask < 2) {
        for (int i = 0; i < ntask; ++i) work(context, i);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->work    = work;
    t->context = context;
    t->ntask   = ntask;
    atomic_store(&t->next, 0);
    atomic_store(&t->busy, t->nworker);
    atomic_fetch_add(&t->round, 1);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    run_tasks(t);
    for (int i = 0; i < SPIN_COUNT && atomic_load(&t->busy) > 0; ++i) {
    }
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->busy) > 0) pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
