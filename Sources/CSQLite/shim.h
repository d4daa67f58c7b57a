#pragma once
#include <sqlite3.h>
#include <string.h>

/* Binds `length` bytes without a copy: they must not change until the statement is reset and bound anew. */
static inline int csqlite_bind_borrowed_text(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes,
                                             sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, bytes, length, SQLITE_STATIC, SQLITE_UTF8);
}

/* Binds a copy of `length` bytes, which SQLite frees. */
static inline int csqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes,
                                    sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, bytes, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Binds a copy of `length` bytes, which SQLite frees. */
static inline int csqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes,
                                    sqlite3_uint64 length) {
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

/* Mixes one word into the sum of a row. For a given sum, different words give different sums. */
static inline sqlite3_uint64 csqlite_sum_word(sqlite3_uint64 sum, sqlite3_uint64 word) {
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    return sum ^ (sum >> 32);
}

/* Mixes a text or a blob into the sum of a row: its type, its length and its bytes. */
static inline sqlite3_uint64 csqlite_sum_bytes(sqlite3_uint64 sum, int type, const void *_Nullable start,
                                               size_t length) {
    const unsigned char *bytes = start;
    sum = csqlite_sum_word(sum + (sqlite3_uint64)type, length);
    sqlite3_uint64 word = 0;
    for (; length >= sizeof word; length -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        sum = csqlite_sum_word(sum, word);
    }
    if (length == 0)
        return sum;
    word = 0;
    memcpy(&word, bytes, length);
    return csqlite_sum_word(sum, word);
}

/* Mixes one value into the sum of a row. The value is not converted. */
static inline sqlite3_uint64 csqlite_sum_value(sqlite3_uint64 sum, sqlite3_value *_Nonnull value) {
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL)
        return csqlite_sum_word(sum + SQLITE_NULL, 0);
    if (type == SQLITE_INTEGER)
        return csqlite_sum_word(sum + SQLITE_INTEGER, (sqlite3_uint64)sqlite3_value_int64(value));
    const void *bytes = sqlite3_value_blob(value);
    return csqlite_sum_bytes(sum, type, bytes, bytes ? (size_t)sqlite3_value_bytes(value) : 0);
}

/* Returns the sum as it is stored: 32 bits, and never 0, which stands for "no sum". */
static inline sqlite3_int64 csqlite_sum_stored(sqlite3_uint64 sum) {
    const int stored = (int)(unsigned)(sum ^ (sum >> 29));
    return stored ? stored : 1;
}

/* Carries out row_sum(values...), which returns the sum of a row with these values. */
static inline void csqlite_row_sum(sqlite3_context *_Nonnull context, int count,
                                   sqlite3_value *_Nonnull *_Nonnull values) {
    sqlite3_uint64 sum = 0;
    for (int i = 0; i < count; i++)
        sum = csqlite_sum_value(sum, values[i]);
    sqlite3_result_int64(context, csqlite_sum_stored(sum));
}

/* Adds the function row_sum to a connection. */
static inline int csqlite_add_row_sum(sqlite3 *_Nonnull connection) {
    const int traits = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    return sqlite3_create_function_v2(connection, "row_sum", -1, traits, 0, csqlite_row_sum, 0, 0, 0);
}

/* Compares the sum of `count` columns from `first` on with the one in column `stored_in`. Returns whether they are the
   same, or `none` if that column has no sum. */
static inline int csqlite_row_is_sound(sqlite3_stmt *_Nonnull statement, int first, int count, int stored_in,
                                       int none) {
    const sqlite3_int64 stored = sqlite3_column_int64(statement, stored_in);
    if (stored == 0)
        return none;
    sqlite3_uint64 sum = 0;
    for (int i = first; i < first + count; i++) {
        sqlite3_value *value = sqlite3_column_value(statement, i);
        if (value)
            sum = csqlite_sum_value(sum, value);
    }
    return stored == csqlite_sum_stored(sum);
}
