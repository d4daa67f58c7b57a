/*
 * A loop: one thread, one libuv loop, and one libwebsockets context on it. The libuv loop is ours, so that
 * libwebsockets handles no signals: with a loop of its own it would catch SIGTERM, and turn a SIGSEGV into an endless
 * spin.
 */
#include "delivery/delivery.h"
#include "delivery/topic.h"
#include "server/server.h"
#include "tls/tls.h"

static void on_spin(uv_idle_t *handle) {
    (void)handle; /* it exists so that the next poll does not sleep */
}

static void spin(struct loop *loop, bool on) {
    if (on == loop->handles.spinning)
        return;
    loop->handles.spinning = on;
    if (on)
        uv_idle_start(&loop->handles.spin, on_spin);
    else
        uv_idle_stop(&loop->handles.spin);
}

static void report_turn_ended(struct loop *loop) {
    if (!loop->events_reported)
        return;
    loop->events_reported = false;
    loop->server->events.turn_ended(loop->server->ctx, loop->index);
}

/* ---- the end ---- */

static void close_handles(struct loop *loop) {
    if (loop->can_wake)
        uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->handles.prepare, NULL);
    uv_close((uv_handle_t *)&loop->handles.check, NULL);
    uv_close((uv_handle_t *)&loop->handles.spin, NULL);
    uv_close((uv_handle_t *)&loop->handles.tick, NULL);
    cs_cork_close(loop);
}

static void destroy(struct loop *loop) {
    if (loop->destroying)
        return;
    loop->destroying = true;
    /* First of all: other threads send `wake` while the inbox is open, and its handle is closed below. */
    cs_inbox_close(loop);
    if (loop->index == 0)
        cs_listener_close(loop->server);
    uint32_t at = 0;
    for (struct conn *conn; (conn = cs_slots_next(loop, &at));)
        if (conn->abort) /* libwebsockets ends the others */
            cs_conn_kill(conn);
    cs_context_lock();
    if (loop->lws)
        lws_context_destroy(loop->lws); /* first half: its handles close while the loop goes on */
    cs_pipe_clear_descriptor(&loop->pipe);
    cs_context_unlock();
    /* After libwebsockets has closed its ends of the pairs, so that bridges without a connection are closed, too. */
    cs_tls_bridges_tick(loop);
    cs_rejections_tick(loop);
    close_handles(loop);
}

static void on_last_tick(uv_timer_t *handle) {
    destroy(handle->data);
}

/* Ends the loop when it is stopping, and nothing is left or the time is over. */
static void close_if_stopped(struct loop *loop) {
    bool empty = cs_slots_are_empty(loop) && cs_tls_bridges_are_closed(loop);
    if (loop->stop_at && !loop->destroying && (empty || cs_loop_now(loop) >= loop->stop_at))
        /* From a timer: a context must not be destroyed while one of its callbacks is on the stack, as may be here. */
        uv_timer_start(&loop->handles.tick, on_last_tick, 0, 0);
}

/* ---- turns ---- */

/* Runs before a poll that may sleep. Timers, and work of libwebsockets outside of polls, may have left commands. */
static void on_prepare(uv_prepare_t *handle) {
    struct loop *loop = handle->data;
    cs_loop_run_commands(loop);
    /* After the commands, which may cause events, and before the last chance to sleep. */
    report_turn_ended(loop);
    close_if_stopped(loop);
    spin(loop, cs_cork_is_due(loop));
}

static void on_check(uv_check_t *handle) {
    struct loop *loop = handle->data;
    cs_loop_run_commands(loop);
    if (loop->events_reported)
        cs_cork_expect_more(loop);
    report_turn_ended(loop);
    cs_cork_end_turn(loop);
}

static void on_wake(uv_async_t *handle) {
    (void)handle; /* the end of the turn runs the commands */
}

static void on_tick(uv_timer_t *handle) {
    struct loop *loop = handle->data;
    atomic_store_explicit(&loop->counters.ticked, uv_hrtime(), memory_order_relaxed);
    cs_budget_tick(loop);
    if (!cs_clock_tick(&loop->clock, &loop->uv)) {
        cs_wheel_advance(loop, cs_conn_check_deadlines);
        cs_rejections_tick(loop);
        cs_tls_bridges_tick(loop);
    }
    if (loop->index == 0)
        cs_listener_resume(loop->server);
}

static uint64_t tick_of(const chatsock_config *config) {
    unsigned limits[] = {config->heartbeat_ms, config->heartbeat_grace_ms, config->stall_ms,
                         config->close_ms,     config->request_ms,         config->header_ms};
    unsigned least = 4000;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i] < least)
            least = limits[i];
    return least / 8 < 5 ? 5 : least / 8;
}

static int open_handles(struct loop *loop) {
    int failed = uv_loop_init(&loop->uv);
    if (failed)
        return failed;
    loop->open = true;
    uv_prepare_init(&loop->uv, &loop->handles.prepare);
    uv_check_init(&loop->uv, &loop->handles.check);
    uv_idle_init(&loop->uv, &loop->handles.spin);
    uv_timer_init(&loop->uv, &loop->handles.tick);
    cs_cork_open(loop);
    failed = uv_async_init(&loop->uv, &loop->wake, on_wake);
    loop->handles.prepare.data = loop->handles.check.data = loop->handles.tick.data = loop;
    loop->can_wake = !failed;
    cs_clock_start(&loop->clock, &loop->uv, 2 * loop->tick_ms);
    cs_wheel_start(loop);
    atomic_store_explicit(&loop->counters.ticked, uv_hrtime(), memory_order_relaxed);
    uv_prepare_start(&loop->handles.prepare, on_prepare);
    uv_check_start(&loop->handles.check, on_check);
    uv_timer_start(&loop->handles.tick, on_tick, loop->tick_ms, loop->tick_ms);
    return failed;
}

static struct lws_context *make_context(struct loop *loop) {
    static const lws_retry_bo_t no_timers = {0}; /* instead of its timers for each connection, see deadlines.c */
    void *loops[1] = {&loop->uv};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER, /* we accept: listen.c */
        .protocols = cs_server_protocols(),
        .user = loop,
        .foreign_loops = loops,
        .pcontext = &loop->lws,
        .extensions = NULL,  /* permessage-deflate aborts the process on hostile input */
        .alpn = "http/1.1",  /* over HTTP/2 the handshake would not be checked */
        .max_http_header_data = CS_HEADER_ROOM,
        .timeout_secs = loop->server->config.header_ms / 1000 + 2, /* a fallback: deadlines.c acts earlier */
        .timeout_secs_ah_idle = loop->server->config.header_ms / 1000 + 2,
        .pt_serv_buf_size = CS_SERVICE_BUFFER,
        .retry_and_idle_policy = &no_timers,
        /* fd_limit_per_thread stays 0: with less than the process's limit, each event would search all connections. */
        /* Its own UTF-8 check stays off: it accepts some invalid text and rejects some valid text. */
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
    };
    struct lws_context *context = lws_create_context(&info);
    if (context)
        cs_pipe_find(&loop->pipe, &loop->uv);
    if (context && !(loop->vhost = lws_create_vhost(context, &info))) {
        lws_context_destroy(context);
        return NULL;
    }
    return context;
}

int cs_loop_open(struct loop *loop, chatsock_server *server, unsigned index) {
    loop->server = server;
    loop->index = index;
    loop->tick_ms = tick_of(&server->config);
    int failed = cs_inbox_open(loop) ? open_handles(loop) : UV_ENOMEM;
    if (failed)
        return -failed;
    cs_context_lock();
    cs_lws_log_open();
    loop->lws = make_context(loop);
    cs_context_unlock();
    return loop->lws ? 0 : -1;
}

static void *run(void *argument) {
    struct loop *loop = argument;
    cs_loop_set_current(loop);
    uv_run(&loop->uv, UV_RUN_DEFAULT); /* until the last handle is closed */
    report_turn_ended(loop);
    cs_loop_set_current(NULL);
    return NULL;
}

int cs_loop_start(struct loop *loop) {
    int failed = pthread_create(&loop->thread, NULL, run, loop);
    loop->started = !failed;
    return failed;
}

void cs_loop_close(struct loop *loop) {
    if (loop->started)
        pthread_join(loop->thread, NULL);
    else if (loop->open) {
        destroy(loop);
        uv_run(&loop->uv, UV_RUN_DEFAULT);
    }
    cs_context_lock();
    if (loop->lws)
        lws_context_destroy(loop->lws); /* second half */
    cs_context_unlock();
    if (loop->open)
        uv_loop_close(&loop->uv);
    cs_slots_free(loop);
    cs_topics_free(&loop->topics);
    cs_flush_list_free(loop);
}
