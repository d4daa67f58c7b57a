#pragma once
#include <sqlite3.h>

/* Binds `length` bytes without copying them: they must stay as they are until the statement is reset and bound anew. */
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
