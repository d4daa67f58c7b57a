/* Counters of all loops, summed when somebody asks. */
#include "internal.h"

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
    add(&stats->topics_now, &counters->topics);
}

chatsock_stats chatsock_statistics(const chatsock_server *server) {
    chatsock_stats stats = {0};
    for (unsigned i = 0; i < server->loop_count; i++)
        add_loop(&stats, &server->loops[i].counters);
    return stats;
}
