/* The client's loop, and the commands that other threads give it. */
#include "client/client.h"

#include <signal.h>
#include <stdio.h>

enum client_kind { CONNECT, SEND, CLOSE, PAUSE, RESUME, STOP };

struct client_command {
    struct client_command *next;
    enum client_kind kind;
    uint64_t id;
    union {
        struct outgoing *message;
        struct {
            uint16_t code;
            char reason[CS_REASON_BYTES + 1];
        } close;
        struct {
            char *host, *path, *subprotocol, *source; /* owned */
            uint16_t port;
            bool tls;
        } target;
    } with;
};

static char *copy_or_null(const char *text) {
    return text ? strdup(text) : NULL;
}

static void discard(struct client_command *command) {
    if (command->kind == SEND)
        free(command->with.message);
    if (command->kind == CONNECT) {
        free(command->with.target.host);
        free(command->with.target.path);
        free(command->with.target.subprotocol);
        free(command->with.target.source);
    }
}

/* Becomes the owner of the command. */
static void enqueue(chatsock_client *client, struct client_command *command) {
    pthread_mutex_lock(&client->lock);
    bool is_closed = client->inbox_closed, first = !client->inbox;
    if (!is_closed) {
        command->next = NULL;
        *client->inbox_end = command;
        client->inbox_end = &command->next;
        if (first)
            uv_async_send(&client->wake); /* under the lock: the handle lives while the inbox is open */
    }
    pthread_mutex_unlock(&client->lock);
    if (is_closed) {
        discard(command);
        free(command);
    }
}

/* Becomes the owner of what the command holds. Without memory for it, the command is discarded. */
static void enqueue_copy(chatsock_client *client, const struct client_command *command) {
    struct client_command *copy = malloc(sizeof *copy), gone = *command;
    if (copy) {
        *copy = *command;
        enqueue(client, copy);
    } else {
        discard(&gone);
    }
}

static struct client_command *drain_inbox(chatsock_client *client, bool closes) {
    pthread_mutex_lock(&client->lock);
    struct client_command *all = client->inbox;
    client->inbox = NULL;
    client->inbox_end = &client->inbox;
    client->inbox_closed |= closes;
    pthread_mutex_unlock(&client->lock);
    return all;
}

static void drop_commands(chatsock_client *client) {
    for (struct client_command *command = drain_inbox(client, true), *next; command; command = next) {
        next = command->next;
        discard(command);
        free(command);
    }
}

static void destroy(chatsock_client *client) {
    if (client->destroying)
        return;
    client->destroying = true;
    drop_commands(client); /* closes the inbox, whose users send `wake`, before the handle is closed */
    if (client->lws) {
        cs_context_lock();
        lws_context_destroy(client->lws);
        cs_pipe_clear_descriptor(&client->pipe);
        cs_context_unlock();
    }
    uv_close((uv_handle_t *)&client->wake, NULL);
    uv_close((uv_handle_t *)&client->tick, NULL);
}

static void run_connect(chatsock_client *client, const struct client_command *command) {
    chatsock_target target = {
        .host = command->with.target.host,
        .port = command->with.target.port,
        .path = command->with.target.path,
        .subprotocol = command->with.target.subprotocol,
        .source = command->with.target.source,
        .tls = command->with.target.tls,
    };
    cs_client_conn_connect(client, command->id, &target);
}

/* Returns true when the loop ends. */
static bool run_command(chatsock_client *client, struct client_command *command) {
    struct client_conn *conn = cs_client_conn_find(client, command->id);
    switch (command->kind) {
    case CONNECT:
        run_connect(client, command);
        break;
    case SEND:
        if (conn) {
            cs_client_conn_send(client, conn, command->with.message);
            command->with.message = NULL;
        }
        break;
    case CLOSE:
        if (conn)
            cs_client_conn_close(client, conn, command->with.close.code, command->with.close.reason);
        break;
    case PAUSE:
    case RESUME:
        if (conn && conn->state == CLIENT_CONN_OPEN && !conn->tls)
            lws_rx_flow_control(conn->wsi, command->kind == RESUME);
        break;
    case STOP:
        return true;
    }
    return false;
}

static void on_wake(uv_async_t *handle) {
    chatsock_client *client = handle->data;
    bool stops = false;
    for (struct client_command *command = drain_inbox(client, false), *next; command; command = next) {
        next = command->next;
        stops = stops || run_command(client, command);
        discard(command);
        free(command);
    }
    if (stops)
        destroy(client);
}

static void on_tick(uv_timer_t *handle) {
    chatsock_client *client = handle->data;
    if (!cs_clock_tick(&client->clock, &client->uv))
        cs_client_conns_check_deadlines(client);
}

static void *run(void *argument) {
    chatsock_client *client = argument;
    uv_run(&client->uv, UV_RUN_DEFAULT);
    return NULL;
}

/* ---- start and end ---- */

chatsock_client_config chatsock_client_defaults(void) {
    return (chatsock_client_config){
        .connect_ms = 10000,
        .heartbeat_ms = 25000,
        .heartbeat_grace_ms = 10000,
        .close_ms = 5000,
        .max_message_bytes = 16 << 20,
        .max_queued_bytes = 1 << 20,
    };
}

static struct lws_context *make_context(chatsock_client *client) {
    static const lws_retry_bo_t no_timers = {0};
    void *loops[1] = {&client->uv};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .protocols = cs_client_protocols(),
        .user = client,
        .foreign_loops = loops,
        .pcontext = &client->lws,
        .extensions = NULL,
        .alpn = "http/1.1",
        .client_ssl_ca_filepath = client->config.authorities, /* in addition to the system's */
        .timeout_secs = client->config.connect_ms / 1000 + 2,
        .pt_serv_buf_size = 16384,
        .retry_and_idle_policy = &no_timers,
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
    };
    struct lws_context *context = lws_create_context(&info);
    if (context)
        cs_pipe_find(&client->pipe, &client->uv);
    if (context && !(client->vhost = lws_create_vhost(context, &info))) {
        lws_context_destroy(context);
        return NULL;
    }
    return context;
}

static uint64_t tick_of(const chatsock_client_config *config) {
    unsigned least = config->heartbeat_ms;
    if (config->heartbeat_grace_ms < least)
        least = config->heartbeat_grace_ms;
    if (config->connect_ms < least)
        least = config->connect_ms;
    if (config->close_ms < least)
        least = config->close_ms;
    return least / 8 < 5 ? 5 : least / 8;
}

static bool start(chatsock_client *client) {
    if (uv_loop_init(&client->uv))
        return false;
    client->has_loop = true;
    uv_timer_init(&client->uv, &client->tick);
    if (uv_async_init(&client->uv, &client->wake, on_wake)) {
        uv_close((uv_handle_t *)&client->tick, NULL);
        uv_run(&client->uv, UV_RUN_DEFAULT);
        uv_loop_close(&client->uv);
        client->has_loop = false;
        return false;
    }
    client->wake.data = client->tick.data = client;
    cs_clock_start(&client->clock, &client->uv, 2 * tick_of(&client->config));
    uv_timer_start(&client->tick, on_tick, tick_of(&client->config), tick_of(&client->config));
    cs_context_lock();
    cs_lws_log_open();
    client->lws = make_context(client);
    cs_context_unlock();
    client->started = client->lws && !pthread_create(&client->thread, NULL, run, client);
    return client->started;
}

chatsock_client *chatsock_client_start(const chatsock_client_config *config, const chatsock_client_events *events,
                                       void *ctx, chatsock_error *error) {
    chatsock_client *client = calloc(1, sizeof *client);
    signal(SIGPIPE, SIG_IGN);
    *error = CHATSOCK_SYSTEM;
    if (!client) {
        events->released(ctx);
        return NULL;
    }
    client->config = *config;
    client->config.authorities = copy_or_null(config->authorities);
    client->stop = calloc(1, sizeof *client->stop);
    bool is_copied = client->stop && (client->config.authorities || !config->authorities);
    client->events = *events;
    client->ctx = ctx;
    client->inbox_end = &client->inbox;
    pthread_mutex_init(&client->lock, NULL);
    if (client->stop)
        client->stop->kind = STOP;
    if (is_copied && start(client)) {
        *error = CHATSOCK_OK;
        return client;
    }
    *error = client->has_loop && !client->lws ? CHATSOCK_NO_PLUGIN : CHATSOCK_SYSTEM;
    chatsock_client_free(client);
    return NULL;
}

void chatsock_client_stop(chatsock_client *client) {
    pthread_mutex_lock(&client->lock);
    bool first = !client->stopped;
    client->stopped = true;
    pthread_mutex_unlock(&client->lock);
    if (!first)
        return;
    if (client->started) {
        struct client_command *stop = client->stop;
        client->stop = NULL;
        enqueue(client, stop);
        pthread_join(client->thread, NULL);
    } else if (client->has_loop) {
        destroy(client);
        uv_run(&client->uv, UV_RUN_DEFAULT);
    }
    cs_client_conns_end(client);
    cs_context_lock();
    if (client->lws)
        lws_context_destroy(client->lws);
    cs_context_unlock();
    if (client->has_loop)
        uv_loop_close(&client->uv);
    client->events.released(client->ctx);
}

static void *free_client(void *argument) {
    chatsock_client *client = argument;
    chatsock_client_stop(client);
    pthread_mutex_destroy(&client->lock);
    free(client->chains);
    free((void *)(uintptr_t)client->config.authorities);
    free(client->stop);
    free(client);
    return NULL;
}

void chatsock_client_free(chatsock_client *client) {
    pthread_t helper;
    if (client->started && pthread_equal(client->thread, pthread_self())) {
        if (!pthread_create(&helper, NULL, free_client, client)) /* a thread cannot wait for itself */
            pthread_detach(helper);
        return;
    }
    free_client(client);
}

/* ---- the public functions ---- */

uint64_t chatsock_client_connect(chatsock_client *client, const chatsock_target *target) {
    uint64_t id = atomic_fetch_add(&client->last_id, 1) + 1;
    struct client_command command = {.kind = CONNECT, .id = id};
    command.with.target.host = strdup(target->host);
    command.with.target.path = strdup(target->path);
    command.with.target.subprotocol = copy_or_null(target->subprotocol);
    command.with.target.source = copy_or_null(target->source);
    command.with.target.port = target->port;
    command.with.target.tls = target->tls;
    bool is_copied =
        (command.with.target.subprotocol || !target->subprotocol) && (command.with.target.source || !target->source);
    if (!is_copied) { /* without its host the connection fails; it must not begin without what it was asked to have */
        free(command.with.target.host);
        command.with.target.host = NULL;
    }
    enqueue_copy(client, &command);
    return id;
}

void chatsock_client_send(chatsock_client *client, uint64_t conn, const uint8_t *text, size_t count) {
    struct outgoing *message = cs_outgoing_new(LWS_WRITE_TEXT, text, count);
    if (message)
        enqueue_copy(client, &(struct client_command){.kind = SEND, .id = conn, .with.message = message});
}

void chatsock_client_close(chatsock_client *client, uint64_t conn, uint16_t code, const char *reason) {
    struct client_command command = {.kind = CLOSE, .id = conn, .with.close.code = code};
    cs_reason_copy(command.with.close.reason, reason);
    enqueue_copy(client, &command);
}

void chatsock_client_pause(chatsock_client *client, uint64_t conn) {
    enqueue_copy(client, &(struct client_command){.kind = PAUSE, .id = conn});
}

void chatsock_client_resume(chatsock_client *client, uint64_t conn) {
    enqueue_copy(client, &(struct client_command){.kind = RESUME, .id = conn});
}
