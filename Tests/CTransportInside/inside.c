#include "inside.h"
#include "delivery/delivery.h"
#include "delivery/topic.h"
#include "http/http.h"

#include <time.h>

static uint64_t computed(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t inside_judging(const char *header, size_t count, unsigned *status) {
    struct cs_request_header so_far = {0};
    struct refusal refusal = {0};
    uint64_t start = computed();
    for (size_t come = 1; come <= count && !cs_request_header_check(&so_far, header, come, &refusal); come++) {}
    *status = refusal.status;
    return computed() - start;
}

/* ---- a loop that does not run ---- */

static chatsock_server *make_server(void) {
    chatsock_server *server = calloc(1, sizeof *server);
    struct loop *loop = server->loops = calloc(1, sizeof *loop);
    server->loop_count = 1;
    server->config = chatsock_defaults();
    server->addresses = cs_addresses_make(&(struct cs_address_limits){0}, &server->trusted);
    pthread_mutex_init(&server->lock, NULL);
    loop->server = server;
    loop->tick_ms = 500;
    uv_loop_init(&loop->uv);
    return server;
}

static struct conn *make_conn(struct loop *loop) {
    struct conn *conn = calloc(1, sizeof *conn);
    conn->loop = loop;
    conn->fd = conn->wire = -1;
    conn->state = CS_OPEN;
    cs_queue_open(conn);
    cs_slot_assign(conn);
    return conn;
}

static void free_server(chatsock_server *server) {
    struct loop *loop = server->loops;
    uv_loop_close(&loop->uv);
    cs_slots_free(loop);
    cs_flush_list_free(loop);
    cs_topics_free(&loop->topics);
    pthread_mutex_destroy(&server->lock);
    cs_addresses_free(server->addresses);
    free(loop);
    free(server);
}

static uint64_t end_all(chatsock_server *server) {
    struct loop *loop = server->loops;
    uint64_t start = computed();
    uint32_t at = 0;
    for (struct conn *conn; (conn = cs_slots_next(loop, &at));)
        cs_conn_free(conn);
    return computed() - start;
}

uint64_t inside_disconnects(unsigned count) {
    chatsock_server *server = make_server();
    chatsock_frame *frame = chatsock_frame_text((const uint8_t *)"bye", 3);
    for (uint32_t i = 0; i < count; i++)
        cs_conn_enqueue(make_conn(server->loops), frame);
    uint64_t took = end_all(server);
    chatsock_frame_release(frame);
    free_server(server);
    return took;
}

uint64_t inside_last_readers(unsigned count) {
    chatsock_server *server = make_server();
    chatsock_frame *frame = chatsock_frame_text((const uint8_t *)"news", 4);
    for (uint32_t i = 0; i < count; i++) {
        cs_topic_attach(make_conn(server->loops), i + 1, 0);
        cs_topic_append(server->loops, i + 1, 1, frame);
    }
    uint64_t took = end_all(server);
    chatsock_frame_release(frame);
    free_server(server);
    return took;
}
