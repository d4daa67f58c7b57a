/* The least that a program can do to keep the same messages in the same SQLite tables: prepared inserts, no lookups, no
   answers. What the store takes longer is what it costs. Also measures what one synchronisation of the disk takes.

   bare commit FILE ROOMS BATCH MESSAGES      prints messages a second
   bare sync FILE TIMES                       prints the median of write + fdatasync, in milliseconds
   bare sums FILE BATCH BATCHES               prints what the rows' checksums add to a commit and to a page, in percent

   The last needs the tables in FILE, too, and -I Sources/CSQLite, for the store's own checksum. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_SUMS
#include "shim.h"
#endif

static sqlite3 *db;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "bare: %s: %s\n", what, db ? sqlite3_errmsg(db) : "");
    exit(1);
}

static void run(const char *sql) {
    if (sqlite3_exec(db, sql, 0, 0, 0) != SQLITE_OK)
        fail(sql);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, 0) != SQLITE_OK)
        fail(sql);
    return statement;
}

static void step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE)
        fail("step");
    sqlite3_reset(statement);
}

static uint64_t state = 1;

static uint64_t next(void) {
    uint64_t z = (state += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

/* FILE holds the store's tables already: StoreBenchmark made it. */
static void commit(const char *path, int rooms, int batch, int messages) {
    if (sqlite3_open(path, &db) != SQLITE_OK)
        fail(path);
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *end = prepare("COMMIT");
    sqlite3_stmt *room = prepare("INSERT INTO rooms(id, name, revision, count, inserted) VALUES(?1, ?2, ?3, ?3, ?3)"
                                 " ON CONFLICT(id) DO UPDATE SET revision = ?3, count = ?3, inserted = ?3");
    sqlite3_stmt *command = prepare("INSERT INTO commands(room, command, revision) VALUES(?1, ?2, ?3)");
    sqlite3_stmt *operation =
        prepare("INSERT INTO operations(room, revision, command, author, time, kind, target, text)"
                " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    sqlite3_stmt *message =
        prepare("INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text, reply, ordinal)"
                " VALUES(?1, ?2, ?3, ?2, ?2, ?4, ?5, ?6, ?7, ?2)");
    sqlite3_int64 *revisions = calloc((size_t)rooms, sizeof *revisions);
    char *touched = calloc((size_t)rooms, 1);
    char text[128];
    memset(text, 'x', sizeof text);
    double start = now();
    for (int done = 0; done < messages; done += batch) {
        step(begin);
        for (int i = 0; i < batch; i++) {
            int r = (int)(next() % (uint64_t)rooms);
            uint64_t id[2] = {next(), next()};
            touched[r] = 1;
            sqlite3_int64 revision = ++revisions[r];
            sqlite3_bind_int64(command, 1, r + 1);
            sqlite3_bind_blob(command, 2, id, 16, SQLITE_STATIC);
            sqlite3_bind_int64(command, 3, revision);
            step(command);
            sqlite3_bind_int64(operation, 1, r + 1);
            sqlite3_bind_int64(operation, 2, revision);
            sqlite3_bind_blob(operation, 3, id, 16, SQLITE_STATIC);
            sqlite3_bind_text(operation, 4, "benchmark", 9, SQLITE_STATIC);
            sqlite3_bind_int64(operation, 5, 1700000000000);
            sqlite3_bind_int64(operation, 6, 1);
            sqlite3_bind_text(operation, 8, text, sizeof text, SQLITE_STATIC);
            step(operation);
            sqlite3_bind_int64(message, 1, r + 1);
            sqlite3_bind_int64(message, 2, revision);
            sqlite3_bind_blob(message, 3, id, 16, SQLITE_STATIC);
            sqlite3_bind_text(message, 4, "benchmark", 9, SQLITE_STATIC);
            sqlite3_bind_int64(message, 5, 1700000000000);
            sqlite3_bind_text(message, 6, text, sizeof text, SQLITE_STATIC);
            step(message);
        }
        for (int r = 0; r < rooms; r++) {
            if (!touched[r])
                continue;
            touched[r] = 0;
            char name[16];
            sqlite3_bind_int64(room, 1, r + 1);
            sqlite3_bind_text(room, 2, name, snprintf(name, sizeof name, "room%d", r), SQLITE_STATIC);
            sqlite3_bind_int64(room, 3, revisions[r]);
            step(room);
        }
        step(end);
    }
    printf("%.0f\n", messages / (now() - start));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void synchronise(const char *path, int times) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char page[4096] = {1};
    double *took = calloc((size_t)times, sizeof *took);
    for (int i = 0; i < times; i++) {
        double start = now();
        if (write(file, page, sizeof page) != sizeof page || fdatasync(file) != 0)
            fail(path);
        took[i] = (now() - start) * 1e3;
    }
    qsort(took, (size_t)times, sizeof *took, ascending);
    printf("%.3f\n", took[times / 2]);
}

#ifdef WITH_SUMS
static const char author[] = "benchmark";

static double processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static sqlite3_uint64 sum_number(sqlite3_uint64 sum, sqlite3_uint64 number) {
    return csqlite_sum_word(sum + SQLITE_INTEGER, number);
}

/* The sum of a message's row, which is about that of its operation's. */
static sqlite3_int64 sum_of_row(const uint64_t *id, sqlite3_uint64 revision, const char *text, size_t length) {
    sqlite3_uint64 sum = sum_number(0, revision);
    sum = csqlite_sum_bytes(sum, SQLITE_BLOB, id, 16);
    sum = sum_number(sum_number(sum, revision), revision);
    sum = csqlite_sum_bytes(sum, SQLITE_TEXT, author, sizeof author - 1);
    sum = sum_number(sum, 1700000000000);
    sum = csqlite_sum_bytes(sum, SQLITE_TEXT, text, length);
    for (int nulls = 0; nulls < 4; nulls++)
        sum = csqlite_sum_word(sum + SQLITE_NULL, 0);
    return csqlite_sum_stored(sum_number(sum_number(sum, 1), revision));
}

static double median(double *took, int count) {
    qsort(took, (size_t)count, sizeof *took, ascending);
    return took[count / 2];
}

/* Writes one batch; returns the processor time that it took. */
static double write_batch(sqlite3_stmt **statements, int batch, sqlite3_int64 *revision, int is_summed) {
    char text[128];
    memset(text, 'x', sizeof text);
    double start = processor_time();
    step(statements[0]);
    for (int i = 0; i < batch; i++) {
        uint64_t id[2] = {next(), next()};
        ++*revision;
        sqlite3_bind_blob(statements[1], 1, id, 16, SQLITE_STATIC);
        sqlite3_bind_int64(statements[1], 2, *revision);
        step(statements[1]);
        for (int table = 2; table < 4; table++) {
            sqlite3_bind_int64(statements[table], 1, *revision);
            sqlite3_bind_blob(statements[table], 2, id, 16, SQLITE_STATIC);
            sqlite3_bind_text(statements[table], 3, text, sizeof text, SQLITE_STATIC);
            sqlite3_int64 sum = is_summed ? sum_of_row(id, (sqlite3_uint64)*revision, text, sizeof text) : 1;
            sqlite3_bind_int64(statements[table], 4, sum);
            step(statements[table]);
        }
    }
    step(statements[4]);
    return processor_time() - start;
}

/* Reads the last 50 messages; returns the processor time that it took. */
static double read_page(sqlite3_stmt *page, int is_summed) {
    double start = processor_time();
    sqlite3_int64 found = 0;
    while (sqlite3_step(page) == SQLITE_ROW) {
        sqlite3_int64 sort = sqlite3_column_int64(page, 0);
        const uint64_t *blob = sqlite3_column_blob(page, 1);
        uint64_t id[2] = {0, 0};
        if (blob)
            memcpy(id, blob, sizeof id);
        const char *text = (const char *)sqlite3_column_text(page, 2);
        char copy[128];
        memcpy(copy, text, sizeof copy);
        found += copy[0] == 'x';
        if (is_summed)
            found += sum_of_row(id, (sqlite3_uint64)sort, copy, sizeof copy) == sqlite3_column_int64(page, 3);
    }
    sqlite3_reset(page);
    if (found < 50)
        fail("the page has other rows");
    return processor_time() - start;
}

/* Takes turns with and without checksums, so that the machine's other work meets both alike. */
static void sums(const char *path, int batch, int batches) {
    if (sqlite3_open(path, &db) != SQLITE_OK)
        fail(path);
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; INSERT INTO rooms(id, name, revision, count)"
        " VALUES(1, 'room', 0, 0)");
    sqlite3_stmt *statements[] = {
        prepare("BEGIN IMMEDIATE"), prepare("INSERT INTO commands(room, command, revision) VALUES(1, ?1, ?2)"),
        prepare("INSERT INTO operations(room, revision, command, author, time, kind, text, sum)"
                " VALUES(1, ?1, ?2, 'benchmark', 1700000000000, 1, ?3, ?4)"),
        prepare("INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text, ordinal, sum)"
                " VALUES(1, ?1, ?2, ?1, ?1, 'benchmark', 1700000000000, ?3, ?1, ?4)"),
        prepare("COMMIT")};
    sqlite3_stmt *page = prepare("SELECT sort, id, text, sum FROM messages WHERE room = 1 ORDER BY sort DESC LIMIT 50");
    double *took[4];
    for (int kind = 0; kind < 4; kind++)
        took[kind] = calloc((size_t)batches, sizeof **took);
    sqlite3_int64 revision = 0;
    for (int turn = 0; turn < batches; turn++)
        for (int is_summed = 0; is_summed < 2; is_summed++) {
            took[is_summed][turn] = write_batch(statements, batch, &revision, is_summed);
            took[2 + is_summed][turn] = read_page(page, is_summed);
        }
    double plain = median(took[0], batches), summed = median(took[1], batches);
    double bare = median(took[2], batches), checked = median(took[3], batches);
    printf("%.2f %.2f %.0f %.0f\n", 100 * (summed / plain - 1), 100 * (checked / bare - 1),
           1e9 * (summed - plain) / batch, 1e9 * (checked - bare) / 50);
}
#endif

int main(int count, char **words) {
    if (count == 6 && !strcmp(words[1], "commit"))
        commit(words[2], atoi(words[3]), atoi(words[4]), atoi(words[5]));
    else if (count == 4 && !strcmp(words[1], "sync"))
        synchronise(words[2], atoi(words[3]));
#ifdef WITH_SUMS
    else if (count == 5 && !strcmp(words[1], "sums"))
        sums(words[2], atoi(words[3]), atoi(words[4]));
#endif
    else
        fail("commit FILE ROOMS BATCH MESSAGES | sync FILE TIMES");
}
