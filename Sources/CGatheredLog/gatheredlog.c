/* A shim over the system's default VFS (sqlite.org/vfs.html). Only databases and their logs have methods of ours. */
#include "gatheredlog.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

/* 31 pages with their headers: the VFS below takes less than 128 KiB at once. */
enum { CAPACITY = 31 * (24 + 4096) };

/* The lock that a connection holds while it appends to the log (sqlite.org/walformat.html). */
enum { WRITE_LOCK = 0 };

typedef struct gathering_file {
    sqlite3_file base;
    struct gathering_file *other; /* a database's log, or a log's database; NULL while that is not open */
    unsigned char *gathered;      /* a log's buffer; NULL until the first write */
    int count;
    sqlite3_int64 start; /* the place of the buffered bytes in the file */
    sqlite3_file inner[]; /* szOsFile bytes of the VFS below */
} gathering_file;

static sqlite3_vfs *below;
static sqlite3_vfs vfs;

static gathering_file *ours(sqlite3_file *file) {
    return (gathering_file *)file;
}

static sqlite3_file *inner(sqlite3_file *file) {
    return ours(file)->inner;
}

static void unpair(gathering_file *file) {
    if (file->other)
        file->other->other = NULL;
    file->other = NULL;
}

/* ---- The log ---- */

static int flush(sqlite3_file *file) {
    gathering_file *log = ours(file);
    int count = log->count;
    /* A failed write fails the transaction, and is not repeated. */
    log->count = 0;
    return count ? inner(file)->pMethods->xWrite(inner(file), log->gathered, count, log->start) : SQLITE_OK;
}

static int write_at(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    gathering_file *log = ours(file);
    bool fits = offset == log->start + log->count && log->count + count <= CAPACITY;
    if (log->count && !fits) {
        int code = flush(file);
        if (code != SQLITE_OK)
            return code;
    }
    if (!log->gathered)
        log->gathered = sqlite3_malloc(CAPACITY);
    /* Without the database's lock, nothing would tell the end of a transaction. */
    if (!log->gathered || !log->other || count > CAPACITY)
        return inner(file)->pMethods->xWrite(inner(file), bytes, count, offset);
    if (!log->count)
        log->start = offset;
    memcpy(log->gathered + log->count, bytes, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

/* Every other access to the log first writes the buffer. */

static int read_at(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = flush(file);
    return code == SQLITE_OK ? inner(file)->pMethods->xRead(inner(file), bytes, count, offset) : code;
}

static int truncate_to(sqlite3_file *file, sqlite3_int64 size) {
    int code = flush(file);
    return code == SQLITE_OK ? inner(file)->pMethods->xTruncate(inner(file), size) : code;
}

static int synchronise(sqlite3_file *file, int flags) {
    int code = flush(file);
    return code == SQLITE_OK ? inner(file)->pMethods->xSync(inner(file), flags) : code;
}

static int size_of(sqlite3_file *file, sqlite3_int64 *size) {
    int code = flush(file);
    return code == SQLITE_OK ? inner(file)->pMethods->xFileSize(inner(file), size) : code;
}

/* ---- The database ---- */

static int read_page(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return inner(file)->pMethods->xRead(inner(file), bytes, count, offset);
}

static int write_page(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return inner(file)->pMethods->xWrite(inner(file), bytes, count, offset);
}

static int truncate_pages(sqlite3_file *file, sqlite3_int64 size) {
    return inner(file)->pMethods->xTruncate(inner(file), size);
}

static int synchronise_pages(sqlite3_file *file, int flags) {
    return inner(file)->pMethods->xSync(inner(file), flags);
}

static int size_of_pages(sqlite3_file *file, sqlite3_int64 *size) {
    return inner(file)->pMethods->xFileSize(inner(file), size);
}

/* A commit has synchronised the log before it releases the write lock. Bytes that are still buffered then were rolled
   back. They must not be written: after the release, their place in the log may be another connection's commit. */
static int lock_shared_memory(sqlite3_file *file, int offset, int count, int flags) {
    gathering_file *log = ours(file)->other;
    if (log && offset == WRITE_LOCK) {
        if (flags & SQLITE_SHM_UNLOCK)
            log->count = 0;
        else if (log->count)
            return SQLITE_INTERNAL;
    }
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}

static int map_shared_memory(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return inner(file)->pMethods->xShmMap(inner(file), page, size, extend, memory);
}

static void shared_memory_barrier(sqlite3_file *file) {
    inner(file)->pMethods->xShmBarrier(inner(file));
}

static int unmap_shared_memory(sqlite3_file *file, int remove) {
    return inner(file)->pMethods->xShmUnmap(inner(file), remove);
}

static int fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
    return inner(file)->pMethods->xFetch(inner(file), offset, count, memory);
}

static int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    return inner(file)->pMethods->xUnfetch(inner(file), offset, memory);
}

/* ---- Both ---- */

static int close_file(sqlite3_file *file) {
    /* Bytes that are still buffered were never committed. */
    sqlite3_free(ours(file)->gathered);
    unpair(ours(file));
    return inner(file)->pMethods->xClose(inner(file));
}

static int lock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xLock(inner(file), level);
}

static int unlock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xUnlock(inner(file), level);
}

static int check_reserved_lock(sqlite3_file *file, int *is_reserved) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), is_reserved);
}

static int control(sqlite3_file *file, int operation, void *argument) {
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}

static int sector_size(sqlite3_file *file) {
    return inner(file)->pMethods->xSectorSize(inner(file));
}

static int characteristics(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

#define BOTH                                                                                                           \
    .xClose = close_file, .xLock = lock, .xUnlock = unlock, .xCheckReservedLock = check_reserved_lock,                 \
    .xFileControl = control, .xSectorSize = sector_size, .xDeviceCharacteristics = characteristics

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xRead = read_at,
    .xWrite = write_at,
    .xTruncate = truncate_to,
    .xSync = synchronise,
    .xFileSize = size_of,
    BOTH,
};

static const sqlite3_io_methods database_methods = {
    .iVersion = 3,
    .xRead = read_page,
    .xWrite = write_page,
    .xTruncate = truncate_pages,
    .xSync = synchronise_pages,
    .xFileSize = size_of_pages,
    .xShmMap = map_shared_memory,
    .xShmLock = lock_shared_memory,
    .xShmBarrier = shared_memory_barrier,
    .xShmUnmap = unmap_shared_memory,
    .xFetch = fetch,
    .xUnfetch = unfetch,
    BOTH,
};

static int open_file(sqlite3_vfs *self, const char *path, sqlite3_file *file, int flags, int *given) {
    (void)self;
    if (!(flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB)))
        return below->xOpen(below, path, file, flags, given);
    memset(file, 0, sizeof(gathering_file));
    int code = below->xOpen(below, path, inner(file), flags, given);
    /* SQLite does not close a file without methods. */
    if (code != SQLITE_OK)
        return code;
    if (flags & SQLITE_OPEN_MAIN_DB) {
        if (inner(file)->pMethods->iVersion < 3) {
            inner(file)->pMethods->xClose(inner(file));
            return SQLITE_CANTOPEN;
        }
        file->pMethods = &database_methods;
        return SQLITE_OK;
    }
    file->pMethods = &log_methods;
    gathering_file *database = ours(sqlite3_database_file_object(path));
    unpair(database);
    database->other = ours(file);
    ours(file)->other = database;
    return SQLITE_OK;
}

static void make(void) {
    below = sqlite3_vfs_find(NULL);
    if (!below)
        return;
    /* The other functions identify their VFS by its data only, so they serve this one too. */
    vfs = *below;
    vfs.zName = "gathered-log";
    vfs.szOsFile = (int)sizeof(gathering_file) + below->szOsFile;
    vfs.xOpen = open_file;
    vfs.pNext = NULL;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
        vfs.zName = NULL;
}

const char *cgatheredlog_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return vfs.zName;
}
