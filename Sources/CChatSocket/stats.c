/* The counters of all loops, summed on request. */
#include "server.h"

uint64_t chatsock_lag_bound(unsigned range) {
    static const uint64_t bounds[CHATSOCK_LAG_RANGES] = {500,   1000,  2500,   5000,   10000,   25000,
                                                         50000, 100000, 250000, 1000000, 10000000, UINT64_MAX};
    return bounds[range < CHATSOCK_LAG_RANGES ? range : CHATSOCK_LAG_RANGES - 1];
}

static void add(uint64_t *sum, const _Atomic uint64_t *counter) {
    *sum += atomic_load_explicit(counter, memory_order_relaxed);
}

static void add_loop(chatsock_stats *stats, const struct counters *counters) {
    add(&stats->open_now, &counters->open);
    add(&stats->accepted, &counters->accepted);
    for (size_t i = 0; i < CHATSOCK_REFUSED_REASONS; i++)
        add(&stats->refused[i], &counters->refused[i]);
    for (size_t i = 0; i < CHATSOCK_CLOSED_KINDS; i++)
        add(&stats->closed[i], &counters->closed[i]);
    add(&stats->requests, &counters->requests);
    add(&stats->frames_in, &counters->frames_in);
    add(&stats->bytes_in, &counters->bytes_in);
    add(&stats->bytes_out, &counters->bytes_out);
    add(&stats->writes, &counters->writes);
    add(&stats->deliveries, &counters->deliveries);
    add(&stats->behind, &counters->behind);
    add(&stats->stalled_now, &counters->stalled);
    add(&stats->private_bytes_now, &counters->private_bytes);
    add(&stats->partial_bytes_now, &counters->partial_bytes);
    add(&stats->log_bytes_now, &counters->log_bytes);
    add(&stats->cut_bytes_now, &counters->cut_bytes);
    add(&stats->answer_bytes_now, &counters->answer_bytes);
    add(&stats->shed, &counters->shed);
    add(&stats->topics_now, &counters->topics);
    add(&stats->behind_now, &counters->behind_now);
    add(&stats->queued_now, &counters->queued);
    add(&stats->queued_bytes_now, &counters->queued_bytes);
    for (size_t i = 0; i < CHATSOCK_LAG_RANGES; i++)
        add(&stats->lag[i], &counters->lag[i]);
    add(&stats->lag_ns, &counters->lag_ns);
    uint64_t ticked = atomic_load_explicit(&counters->ticked, memory_order_relaxed), now = uv_hrtime();
    if (now > ticked && now - ticked > stats->silence_ns)
        stats->silence_ns = now - ticked;
}

chatsock_stats chatsock_statistics(const chatsock_server *server) {
    chatsock_stats stats = {0};
    for (unsigned i = 0; i < server->loop_count; i++)
        add_loop(&stats, &server->loops[i].counters);
    stats.held_now = atomic_load_explicit(&server->held, memory_order_relaxed);
    return stats;
}
