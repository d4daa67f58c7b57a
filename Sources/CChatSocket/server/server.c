/* The server as a whole: configuration, start and end. */
#include "server/server.h"
#include "tls/tls.h"

#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

enum { DESCRIPTOR_RESERVE = 64 + CS_REJECTIONS, DESCRIPTORS_WANTED = 1 << 20, LARGE = 1 << 20 };

chatsock_config chatsock_defaults(void) {
    return (chatsock_config){
        .host = "127.0.0.1",
        .loops = 1,
        .max_frame_bytes = 64 << 10,
        .max_fragments = 1024,
        .max_echo_bytes = 16 << 20,
        .max_partial_bytes = 64 << 20,
        .max_body_bytes = 64 << 10,
        .max_private_bytes = 16 << 20,
        .log_bytes = 1 << 20,
        .memory_budget = 512 << 20,
        .heartbeat_ms = 25000,
        .heartbeat_grace_ms = 10000,
        .stall_ms = 30000,
        .close_ms = 5000,
        .request_ms = 30000,
        .header_ms = 10000,
    };
}

/* Raises the soft limit, which libwebsockets reads when a context is made. Returns the number of descriptors
   allowed. */
static unsigned raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return 1024;
    rlim_t wanted = limit.rlim_max < DESCRIPTORS_WANTED ? limit.rlim_max : DESCRIPTORS_WANTED;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur > DESCRIPTORS_WANTED ? DESCRIPTORS_WANTED : (unsigned)limit.rlim_cur;
}

void chatsock_limit_connections(chatsock_server *server, unsigned max_connections) {
    unsigned possible = server->possible_connections;
    atomic_store(&server->connection_limit, max_connections && max_connections < possible ? max_connections : possible);
}

static void free_list(const char *const *list, size_t count) {
    for (size_t i = 0; list && i < count; i++)
        free((void *)(uintptr_t)list[i]);
    free((void *)(uintptr_t)list);
}

/* Returns false if there is no memory for the copy. The copy of no string is none. */
static bool copy_string(const char *string, const char **copy) {
    *copy = string ? strdup(string) : NULL;
    return *copy || !string;
}

/* The same for a list and its strings. */
static bool copy_list(const char *const *list, size_t count, const char *const **copy) {
    const char **strings = list ? calloc(count + 1, sizeof *strings) : NULL;
    bool is_copied = strings || !list;
    for (size_t i = 0; strings && i < count; i++)
        is_copied &= copy_string(list[i], &strings[i]);
    *copy = strings;
    return is_copied; /* free_config() frees the strings that were copied */
}

static bool copy_config(chatsock_server *server, const chatsock_config *config) {
    unsigned descriptors = raise_descriptor_limit();
    unsigned reserve = DESCRIPTOR_RESERVE + 16 * config->loops;
    reserve += config->vital_count ? 3 * CS_SPARES + CS_ACCEPTS_PER_TURN : 0; /* includes connections that are ending */
    unsigned possible = descriptors > 2 * reserve ? descriptors - reserve : descriptors / 2;
    if (config->certificate)
        possible /= 3; /* each connection has a pair of sockets besides its own */
    server->config = *config;
    bool is_copied = copy_string(config->host, &server->config.host);
    is_copied &= copy_string(config->echo_path, &server->config.echo_path);
    is_copied &= copy_string(config->certificate, &server->config.certificate);
    is_copied &= copy_string(config->key, &server->config.key);
    server->possible_connections = possible;
    chatsock_limit_connections(server, config->max_connections);
    is_copied &= copy_list(config->origins, config->origin_count, &server->config.origins);
    is_copied &= copy_list(config->trusted, config->trusted_count, &server->config.trusted);
    is_copied &= copy_list(config->vital_paths, config->vital_count, &server->config.vital_paths);
    return is_copied; /* without its certificate the server would serve in the clear */
}

static void free_config(chatsock_config *config) {
    free_list(config->origins, config->origin_count);
    free_list(config->trusted, config->trusted_count);
    free_list(config->vital_paths, config->vital_count);
    free((void *)(uintptr_t)config->host);
    free((void *)(uintptr_t)config->echo_path);
    free((void *)(uintptr_t)config->certificate);
    free((void *)(uintptr_t)config->key);
}

static bool make_addresses(chatsock_server *server) {
    const chatsock_config *config = &server->config;
    struct cs_address_limits limits = {
        .connections = config->max_per_address,
        .per_second = config->handshakes_per_second,
        .of_loopback = config->limits_loopback,
    };
    return cs_networks_make(&server->trusted, config->trusted, config->trusted_count) &&
           (server->addresses = cs_addresses_make(&limits, &server->trusted));
}

static chatsock_error open_loops(chatsock_server *server, int *detail) {
    unsigned count = server->config.loops ? server->config.loops : 1;
    if (count > 128)
        count = 128;
    server->loops = calloc(count, sizeof *server->loops);
    if (!server->loops || !(server->ping = cs_frame_new(0x89, "h", 1)) || !make_addresses(server))
        return CHATSOCK_SYSTEM;
    if (!cs_tls_load(server))
        return CHATSOCK_BAD_CERTIFICATE;
    for (unsigned i = 0; i < count; i++) {
        server->loop_count = i + 1;
        int failed = cs_loop_open(&server->loops[i], server, i);
        if (failed) {
            *detail = failed;
            return failed < 0 ? CHATSOCK_NO_PLUGIN : CHATSOCK_SYSTEM;
        }
    }
    *detail = cs_listener_open(server);
    return *detail ? CHATSOCK_SYSTEM : CHATSOCK_OK;
}

static void close_all(chatsock_server *server) {
    for (unsigned i = 0; i < server->loop_count; i++)
        cs_loop_close(&server->loops[i]);
    cs_listener_close(server);
}

static chatsock_error start(chatsock_server *server, int *detail) {
    chatsock_error error = cs_listener_bind(server, detail);
    if (!error)
        error = open_loops(server, detail);
    for (unsigned i = 0; !error && i < server->loop_count; i++)
        if ((*detail = cs_loop_start(&server->loops[i])))
            error = CHATSOCK_SYSTEM;
    return error;
}

/* Once, as none of it is made for several threads. */
static void prepare_process(void) {
    signal(SIGPIPE, SIG_IGN); /* libwebsockets ignores it, too */
    mallopt(M_MMAP_THRESHOLD, LARGE); /* otherwise the allocator keeps the memory of large answers once sent */
    malloc_trim(0); /* sets up glibc's allocator where another one is in use: two threads that call this first crash */
}

chatsock_server *chatsock_listen(const chatsock_config *config, const chatsock_events *events, void *ctx,
                                 chatsock_error *error, int *detail) {
    chatsock_server *server = calloc(1, sizeof *server);
    *detail = 0;
    *error = CHATSOCK_SYSTEM;
    static pthread_once_t prepared = PTHREAD_ONCE_INIT;
    pthread_once(&prepared, prepare_process);
    if (!server) {
        events->released(ctx);
        return NULL;
    }
    server->events = *events;
    server->ctx = ctx;
    cs_listener_init(server);
    pthread_mutex_init(&server->lock, NULL);
    *error = copy_config(server, config) ? start(server, detail) : CHATSOCK_SYSTEM;
    if (!*error)
        return server;
    chatsock_stop(server, 0);
    chatsock_free(server);
    return NULL;
}

uint16_t chatsock_port(const chatsock_server *server) {
    return server->port;
}

unsigned chatsock_loop_count(const chatsock_server *server) {
    return server->loop_count;
}

void chatsock_stop(chatsock_server *server, unsigned grace_ms) {
    pthread_mutex_lock(&server->lock);
    bool first = !server->stopped;
    server->stopped = true;
    pthread_mutex_unlock(&server->lock);
    if (!first)
        return;
    for (unsigned i = 0; i < server->loop_count; i++)
        if (server->loops[i].started)
            cs_inbox_enqueue_stop(&server->loops[i], grace_ms);
    close_all(server);
    server->events.released(server->ctx);
}

static void *free_server(void *argument) {
    chatsock_server *server = argument;
    chatsock_stop(server, 0);
    for (unsigned i = 0; i < server->loop_count; i++)
        cs_inbox_free(&server->loops[i]);
    pthread_mutex_destroy(&server->lock);
    if (server->ping)
        chatsock_frame_release(server->ping);
    cs_addresses_free(server->addresses);
    cs_tls_free(server);
    cs_networks_free(&server->trusted);
    free(server->loops);
    free_config(&server->config);
    free(server);
    return NULL;
}

void chatsock_free(chatsock_server *server) {
    pthread_t helper;
    for (unsigned i = 0; i < server->loop_count; i++)
        if (server->loops[i].started && pthread_equal(server->loops[i].thread, pthread_self())) {
            if (!pthread_create(&helper, NULL, free_server, server)) /* a thread cannot wait for itself */
                pthread_detach(helper);
            return;
        }
    free_server(server);
}

/* ---- the counters of all loops, summed on request ---- */

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
