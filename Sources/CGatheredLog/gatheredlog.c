/* A shim over the system's default VFS, as sqlite.org/vfs.html has them: only log files get methods of ours. */
#include "gatheredlog.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

/* 31 pages with their headers: the VFS below takes 17 bits' worth of bytes at once. */
enum { CAPACITY = 31 * (24 + 4096) };

typedef struct {
    sqlite3_file base;
    unsigned char *gathered; /* NULL until something is */
    int count;
    sqlite3_int64 start; /* where in the file they belong */
    sqlite3_file inner[]; /* szOsFile bytes of the VFS below */
} log_file;

static sqlite3_vfs *below;
static sqlite3_vfs vfs;

static log_file *ours(sqlite3_file *file) {
    return (log_file *)file;
}

static sqlite3_file *inner(sqlite3_file *file) {
    return ours(file)->inner;
}

static int flush(sqlite3_file *file) {
    log_file *log = ours(file);
    int count = log->count;
    /* What cannot be written fails the transaction: nobody asks for it again. */
    log->count = 0;
    return count ? inner(file)->pMethods->xWrite(inner(file), log->gathered, count, log->start) : SQLITE_OK;
}

static int write_at(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    log_file *log = ours(file);
    bool fits = offset == log->start + log->count && log->count + count <= CAPACITY;
    if (log->count && !fits) {
        int code = flush(file);
        if (code != SQLITE_OK) return code;
    }
    if (!log->gathered) log->gathered = sqlite3_malloc(CAPACITY);
    if (!log->gathered || count > CAPACITY) return inner(file)->pMethods->xWrite(inner(file), bytes, count, offset);
    if (!log->count) log->start = offset;
    memcpy(log->gathered + log->count, bytes, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

/* ---- Whatever looks at the file finds all of it ---- */

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

static int close_file(sqlite3_file *file) {
    int code = flush(file);
    sqlite3_free(ours(file)->gathered);
    int closed = inner(file)->pMethods->xClose(inner(file));
    return code == SQLITE_OK ? closed : code;
}

/* ---- The rest is the file's below ---- */

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

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_at,
    .xWrite = write_at,
    .xTruncate = truncate_to,
    .xSync = synchronise,
    .xFileSize = size_of,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

static int open_file(sqlite3_vfs *self, const char *path, sqlite3_file *file, int flags, int *given) {
    (void)self;
    if (!(flags & SQLITE_OPEN_WAL)) return below->xOpen(below, path, file, flags, given);
    memset(file, 0, sizeof(log_file));
    int code = below->xOpen(below, path, inner(file), flags, given);
    /* Without methods, SQLite does not close it. */
    if (code == SQLITE_OK) file->pMethods = &methods;
    return code;
}

static void make(void) {
    below = sqlite3_vfs_find(NULL);
    if (!below) return;
    /* The other functions know their VFS by its data only, so they serve this one as well. */
    vfs = *below;
    vfs.zName = "gathered-log";
    vfs.szOsFile = (int)sizeof(log_file) + below->szOsFile;
    vfs.xOpen = open_file;
    vfs.pNext = NULL;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK) vfs.zName = NULL;
}

const char *cgatheredlog_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return vfs.zName;
}
