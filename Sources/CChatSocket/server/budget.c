/*
 * One budget of bytes for the process: data that waits for peers, and data that has arrived in part. Each loop counts
 * its bytes, and compares the sum of all loops with the budget whenever it has taken much more. Over the budget, data
 * that can be made again goes first. The application is asked to release its caches, then the logs of readers that lag
 * are cut. After that the connections that hold most are closed, on whichever loop they are.
 */
#include "conn/exchange.h"
#include "conn/partial.h"
#include "delivery/delivery.h"
#include "delivery/topic.h"
#include "server/server.h"
#include "tls/tls.h"

#include <malloc.h>

enum {
    LEAST_DEBT = 16384,  /* a connection that holds less is never closed */
    FEW = 65536,         /* with more unsent bytes in the way, a connection is cut without a close frame */
    TRIM_MS = 1000, /* between two times that memory is returned to the system */
};

uint64_t cs_budget_used(const chatsock_server *server) {
    uint64_t used = atomic_load_explicit(&server->held, memory_order_relaxed);
    used += atomic_load_explicit(&server->total_connections, memory_order_relaxed) *
            (server->config.certificate ? CS_TLS_CONN_BYTES : CS_CONN_BYTES);
    for (unsigned i = 0; i < server->loop_count; i++) {
        const struct counters *counters = &server->loops[i].counters;
        used += atomic_load_explicit(&counters->private_bytes, memory_order_relaxed);
        used += atomic_load_explicit(&counters->cut_bytes, memory_order_relaxed);
        used += atomic_load_explicit(&counters->answer_bytes, memory_order_relaxed);
        used += atomic_load_explicit(&counters->partial_bytes, memory_order_relaxed);
        used += atomic_load_explicit(&counters->log_bytes, memory_order_relaxed);
        used += atomic_load_explicit(&counters->queued_bytes, memory_order_relaxed);
        used += atomic_load_explicit(&counters->readers, memory_order_relaxed) * CS_READER_BYTES;
    }
    return used;
}

static bool is_over(const chatsock_server *server) {
    return server->config.memory_budget && cs_budget_used(server) > server->config.memory_budget;
}

bool chatsock_is_over_budget(const chatsock_server *server) {
    return is_over(server);
}

void chatsock_hold(chatsock_server *server, int64_t more) {
    atomic_fetch_add_explicit(&server->held, (uint64_t)more, memory_order_relaxed);
}

/* ---- the connections that hold most ---- */

struct debtor {
    struct conn *conn;
    size_t bytes;
};

static int by_debt(const void *a, const void *b) {
    size_t left = ((const struct debtor *)a)->bytes, right = ((const struct debtor *)b)->bytes;
    return left < right ? 1 : left > right ? -1 : 0;
}

static size_t debt_of(const struct conn *conn) {
    if (conn->state == CS_GONE)
        return 0; /* already ending */
    return cs_conn_count_unread(conn) + cs_partial_count_held(conn) + cs_exchange_count_held(conn);
}

/* Returns the connections that hold at least LEAST_DEBT bytes, largest first. NULL when out of memory. */
static struct debtor *debtors_of(struct loop *loop, size_t *count) {
    struct debtor *debtors = malloc((cs_slots_count(loop) + 1) * sizeof *debtors);
    uint32_t at = 0;
    *count = 0;
    for (struct conn *conn; debtors && (conn = cs_slots_next(loop, &at));) {
        size_t bytes = debt_of(conn);
        if (bytes >= LEAST_DEBT)
            debtors[(*count)++] = (struct debtor){conn, bytes};
    }
    if (debtors)
        qsort(debtors, *count, sizeof *debtors, by_debt);
    return debtors;
}

/* Discards what waits for the connection and closes it. It still gets a close frame, unless more is already on the way
   than a socket takes at once. */
static void close_debtor(struct conn *conn) {
    CS_COUNT(conn->loop, shed, 1);
    if (conn->state != CS_OPEN || cs_conn_count_cut(conn) > FEW) {
        conn->code = conn->code ? conn->code : CS_CODE_LARGEST_DEBT;
        cs_queue_clear(conn);
        cs_conn_clear_cut(conn);
        if (conn->bridge)
            cs_tls_bridge_discard_output(conn->bridge);
        cs_conn_kill(conn);
        return;
    }
    cs_queue_clear(conn);
    cs_conn_close(conn, CS_CODE_LARGEST_DEBT, "the server is short of memory, and your unread data holds most of it");
}

/* Returns the loop whose largest connection may hold most, or NULL when that is this loop. `most` is an upper bound: a
   loop that sheds computes the real value. */
static struct loop *find_largest(struct loop *loop) {
    struct loop *found = NULL;
    uint64_t most = atomic_load_explicit(&loop->budget.largest, memory_order_relaxed);
    for (unsigned i = 0; i < loop->server->loop_count; i++) {
        uint64_t other = atomic_load_explicit(&loop->server->loops[i].budget.largest, memory_order_relaxed);
        if (other > most) {
            most = other;
            found = &loop->server->loops[i];
        }
    }
    return found;
}

/* Closes the connections of this loop that hold more than any on other loops, until an eighth of the budget is free. */
static void shed(struct loop *loop) {
    chatsock_server *server = loop->server;
    uint64_t enough = server->config.memory_budget - server->config.memory_budget / 8;
    size_t count, next = 0;
    struct debtor *debtors = debtors_of(loop, &count);
    for (; next < count && cs_budget_used(server) > enough; next++) {
        atomic_store_explicit(&loop->budget.largest, debtors[next].bytes, memory_order_relaxed);
        if (find_largest(loop)) /* another loop may have a larger one, so it goes on */
            break;
        close_debtor(debtors[next].conn);
    }
    atomic_store_explicit(&loop->budget.largest, next < count ? debtors[next].bytes : 0, memory_order_relaxed);
    free(debtors);
    struct loop *other = cs_budget_used(server) > enough ? find_largest(loop) : NULL;
    if (other)
        cs_inbox_enqueue_shed(other);
}

/* ---- when ---- */

/* Asks the application to release what it keeps. False: it keeps nothing, or was asked since the last tick. */
static bool report_over_budget(chatsock_server *server) {
    if (!atomic_load_explicit(&server->held, memory_order_relaxed) ||
        atomic_exchange_explicit(&server->pressure_reported, true, memory_order_relaxed))
        return false;
    server->events.over_budget(server->ctx);
    return true;
}

static void shed_all(struct loop *loop) {
    cs_topics_shed(loop);
    if (is_over(loop->server))
        shed(loop);
}

void cs_budget_check_growth(struct loop *loop) {
    if (loop->budget.grown < CS_BUDGET_STEP)
        return;
    loop->budget.grown = 0;
    if (!is_over(loop->server))
        return;
    loop->budget.has_shed = true;
    if (!report_over_budget(loop->server)) /* otherwise what it releases may be enough */
        shed_all(loop);
}

/* Runs at each tick. A server that was over its budget at the last tick, too, sheds. So an application that refills
   what it released does not keep other connections open, and neither does one whose own data keeps growing. */
static void check_at_tick(struct loop *loop) {
    bool was_over = loop->budget.was_over;
    atomic_store_explicit(&loop->server->pressure_reported, false, memory_order_relaxed);
    loop->budget.was_over = is_over(loop->server);
    if (!loop->budget.was_over)
        return;
    loop->budget.has_shed = true;
    report_over_budget(loop->server);
    if (was_over)
        shed_all(loop);
}

void cs_budget_shed(struct loop *loop) {
    loop->budget.has_shed = true;
    shed(loop);
}

/* ---- giving back ---- */

static void trim(uv_work_t *work) {
    (void)work;
    malloc_trim(0); /* otherwise the allocator keeps free memory between used blocks for good */
}

static void free_work(uv_work_t *work, int status) {
    (void)status;
    free(work);
}

void cs_budget_tick(struct loop *loop) {
    uint64_t now = cs_loop_now(loop);
    check_at_tick(loop);
    if (!loop->budget.has_shed || now < loop->budget.trimmed_at + TRIM_MS)
        return;
    loop->budget.has_shed = false;
    loop->budget.trimmed_at = now;
    uv_work_t *work = malloc(sizeof *work); /* runs on a thread of libuv's, because it may take a while */
    if (work && uv_queue_work(&loop->uv, work, trim, free_work))
        free(work);
}
