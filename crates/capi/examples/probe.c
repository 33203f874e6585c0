/* Probes positions from several threads.
 *
 *     cc probe.c -lmolien_c -lpthread -o probe
 *     ./probe FOLDER MATERIAL THREADS < positions
 *
 * Reads a FEN a line and prints class, outcome and plies to mate of each. With
 * a MATERIAL other than "-", its table is loaded first. Every thread answers
 * everything; the program fails if they do not agree.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "molien.h"

enum { MAX_POSITIONS = 100000, MAX_THREADS = 64 };

typedef struct {
    int status, wdl_status, wdl;
    molien_value mate;
} answer;

typedef struct {
    const molien_tables *tables;
    const molien_position *positions;
    size_t count;
    answer *answers;
} work;

static void *probe_all(void *handed) {
    work *w = handed;
    for (size_t i = 0; i < w->count; i++) {
        answer *a = &w->answers[i];
        a->wdl_status = molien_probe_wdl(w->tables, &w->positions[i], &a->wdl);
        a->status = molien_probe(w->tables, &w->positions[i], MOLIEN_DTM, &a->mate);
    }
    return NULL;
}

static void fail(const char *what, int status) {
    fprintf(stderr, "%s: %s\n", what, molien_status_text(status));
    exit(1);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: probe FOLDER MATERIAL THREADS < positions\n");
        return 2;
    }
    molien_tables *tables = molien_open(argv[1]);
    if (!tables) fail(argv[1], MOLIEN_INVALID);
    if (strcmp(argv[2], "-") != 0) {
        int status = molien_load(tables, argv[2], MOLIEN_DTM);
        if (status == MOLIEN_OK) status = molien_load(tables, argv[2], MOLIEN_WDL);
        if (status != MOLIEN_OK) fail(argv[2], status);
    }

    static molien_position positions[MAX_POSITIONS];
    char line[256];
    size_t count = 0;
    while (count < MAX_POSITIONS && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        int status = molien_read_fen(line, &positions[count]);
        if (status != MOLIEN_OK) fail(line, status);
        count++;
    }

    int threads = atoi(argv[3]);
    if (threads < 1 || threads > MAX_THREADS) fail("threads", MOLIEN_INVALID);
    pthread_t ids[MAX_THREADS];
    work works[MAX_THREADS];
    for (int t = 0; t < threads; t++) {
        works[t] = (work){tables, positions, count, calloc(count + 1, sizeof(answer))};
        if (!works[t].answers || pthread_create(&ids[t], NULL, probe_all, &works[t])) return 2;
    }
    for (int t = 0; t < threads; t++) pthread_join(ids[t], NULL);

    for (size_t i = 0; i < count; i++) {
        const answer *a = &works[0].answers[i];
        for (int t = 1; t < threads; t++) {
            if (memcmp(a, &works[t].answers[i], sizeof *a) != 0) {
                fprintf(stderr, "threads do not agree about position %zu\n", i);
                return 1;
            }
        }
        if (a->status != MOLIEN_OK || a->wdl_status != MOLIEN_OK)
            printf("%s\n", molien_status_text(a->status ? a->status : a->wdl_status));
        else
            printf("%d %d %d\n", a->wdl, a->mate.outcome, a->mate.plies);
    }
    for (int t = 0; t < threads; t++) free(works[t].answers);
    molien_close(tables);
    return 0;
}
