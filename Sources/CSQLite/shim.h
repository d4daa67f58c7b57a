#pragma once
#include <sqlite3.h>

/* Binds `length` bytes without a copy: they must not change until the statement is reset and bound anew. */
static inline int csqlite_bind_borrowed_text(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, bytes, length, SQLITE_STATIC, SQLITE_UTF8);
}

/* Binds a copy of `length` bytes, which SQLite frees. */
static inline int csqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, bytes, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Binds a copy of `length` bytes, which SQLite frees. */
static inline int csqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/* Returns the errno of the last system call that failed on the log or, if none did, on the database; else 0.
   sqlite3_system_errno() does not tell it for statements that are stepped. */
static inline int csqlite_last_errno(sqlite3 *_Nonnull connection) {
    const int operations[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++) {
        sqlite3_file *file = 0;
        if (sqlite3_file_control(connection, "main", operations[i], &file) == SQLITE_OK && file && file->pMethods)
            file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code);
    }
    return code;
}
