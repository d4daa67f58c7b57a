/* The memory of a message that has arrived in part. */
#include "conn/partial.h"
#include "shared/text.h"

void cs_partial_free(struct conn *conn) {
    struct partial *partial = conn->partial;
    if (!partial)
        return;
    atomic_fetch_sub(&conn->loop->server->partial_bytes, partial->capacity);
    CS_COUNT(conn->loop, partial_bytes, -(int64_t)partial->capacity);
    free(partial->bytes);
    free(partial);
    conn->partial = NULL;
}

size_t cs_partial_count_held(const struct conn *conn) {
    return conn->partial ? conn->partial->capacity : 0;
}

/* Makes room for `needed` bytes, unless that is too much for the process. */
static bool reserve(struct conn *conn, struct partial *partial, size_t needed) {
    chatsock_server *server = conn->loop->server;
    size_t capacity = partial->capacity ? partial->capacity : 512;
    while (capacity < needed)
        capacity *= 2;
    size_t more = capacity - partial->capacity;
    if (!more)
        return true;
    uint64_t before = atomic_fetch_add(&server->partial_bytes, more);
    uint8_t *bytes = before + more <= server->config.max_partial_bytes ? realloc(partial->bytes, capacity) : NULL;
    if (!bytes) {
        atomic_fetch_sub(&server->partial_bytes, more);
        return false;
    }
    CS_CHARGE(conn->loop, partial_bytes, more);
    cs_budget_raise_largest(conn, capacity);
    partial->bytes = bytes;
    partial->capacity = capacity;
    return true;
}

bool cs_partial_add(struct conn *conn, const uint8_t *bytes, size_t count, bool too_long) {
    struct partial *partial = conn->partial;
    if (!partial)
        partial = conn->partial = calloc(1, sizeof *partial);
    if (partial && too_long)
        partial->passed_over = true;
    if (!partial || !reserve(conn, partial, partial->count + count))
        return false;
    if (count)
        memcpy(partial->bytes + partial->count, bytes, count);
    partial->count += count;
    partial->size += count;
    if (partial->passed_over && partial->count > 2 * CS_EDGE_BYTES) { /* drops what lies between the edges */
        memmove(partial->bytes + CS_EDGE_BYTES, partial->bytes + partial->count - CS_EDGE_BYTES, CS_EDGE_BYTES);
        partial->count = 2 * CS_EDGE_BYTES;
    }
    return true;
}

bool cs_partial_is_text(struct partial *partial, bool last) {
    bool broken;
    partial->checked += cs_utf8_scan(partial->bytes + partial->checked, partial->count - partial->checked, &broken);
    return !broken && (!last || partial->checked == partial->count);
}
