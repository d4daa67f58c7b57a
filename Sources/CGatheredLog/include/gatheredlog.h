/*
 * SQLite's own files, but for one thing: what a transaction adds to the write-ahead log is written in one go.
 *
 * SQLite writes each page of the log by two calls to the system, of 24 and of 4096 bytes, and the kernel takes three of
 * its pages in hand for them. Gathered, a transaction of many pages costs a quarter of that.
 */
#ifndef CGATHEREDLOG_H
#define CGATHEREDLOG_H

#pragma clang assume_nonnull begin

/*
 * The name of the VFS, for sqlite3_open_v2; registered by the first call. Any thread.
 *
 * Only for connections with `PRAGMA synchronous = FULL` or `EXTRA`: what they add is in the file once it is
 * synchronised, and not before; an error of the write is then the synchronisation's. A transaction that is rolled back
 * drops its gathered pages when it releases its lock of the log. NULL if there is no memory.
 */
const char *_Nullable cgatheredlog_vfs(void);

#pragma clang assume_nonnull end

#endif
