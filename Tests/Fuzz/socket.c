/*
 * CChatSocket on raw bytes: text, messages in fragments, queries, frames, the outgoing log, what proxies say.
 * Beside each stands the plainest way to say the same. libwebsockets and the rest of the server are played here.
 */
#include "conn/partial.h"
#include "delivery/delivery.h"
#include "http/http.h"
#include "server/server.h"
#include "shared/address.h"
#include "shared/log.h"
#include "shared/text.h"

#define CHECK(what) ((what) ? (void)0 : __builtin_trap())

/* ---- what is played ---- */

static struct {
    const uint8_t *bytes;
    size_t left;
} input;

static uint8_t byte(void) {
    return input.left ? (input.left--, *input.bytes++) : 0;
}

static const uint8_t *take(size_t *count) {
    const uint8_t *bytes = input.bytes;
    if (*count > input.left)
        *count = input.left;
    input.bytes += *count;
    input.left -= *count;
    return bytes;
}

static struct { /* the frame that arrives */
    size_t left;
    bool final, binary;
} frame;

static uint16_t closed_with;

size_t lws_remaining_packet_payload(struct lws *wsi) {
    return (void)wsi, frame.left;
}
int lws_is_final_fragment(struct lws *wsi) {
    return (void)wsi, frame.final && !frame.left;
}
int lws_frame_is_binary(struct lws *wsi) {
    return (void)wsi, frame.binary;
}
void lws_close_reason(struct lws *wsi, enum lws_close_status code, unsigned char *reason, size_t count) {
    (void)wsi, (void)reason, (void)count;
    closed_with = (uint16_t)code;
}
uint64_t uv_now(const uv_loop_t *loop) {
    return (void)loop, 0;
}
void cs_conn_send(struct conn *conn, chatsock_frame *sent) {
    (void)conn, (void)sent;
}
void cs_conn_send_after_pongs(struct conn *conn, chatsock_frame *sent) {
    (void)conn, (void)sent;
}
void cs_conn_close(struct conn *conn, uint16_t code, const char *reason) {
    CHECK(strlen(reason) <= CS_REASON_BYTES && chatsock_is_utf8((const uint8_t *)reason, strlen(reason)));
    conn->state = CS_CLOSING;
    closed_with = code;
}

void cs_conn_log_origin(const struct conn *conn, const char *origin, const char *text) {
    (void)conn, (void)origin, (void)text;
}

/* ---- text ---- */

/* Decodes, then asks whether that is a character and could not be written shorter. */
static size_t plain_character(const uint8_t *p, size_t left) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
    if (!length || length > left)
        return 0;
    uint32_t value = length == 1 ? p[0] : p[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        value = value << 6 | (p[i] & 0x3F);
    }
    return value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF) ? 0 : length;
}

static bool is_plainly_utf8(const uint8_t *bytes, size_t count) {
    for (size_t i = 0, length; i < count; i += length)
        if (!(length = plain_character(bytes + i, count - i)))
            return false;
    return true;
}

static void text(void) {
    size_t count = input.left, cut = count ? byte() % count : 0;
    count = input.left;
    const uint8_t *bytes = take(&count);
    bool broken, right = is_plainly_utf8(bytes, count);
    CHECK(chatsock_is_utf8(bytes, count) == right);
    size_t first = cs_utf8_scan(bytes, cut < count ? cut : count, &broken);
    CHECK(is_plainly_utf8(bytes, first));
    CHECK(!(right && broken));
    char reason[CS_REASON_BYTES + 1], *string = calloc(1, count + 1);
    memcpy(string, bytes, count);
    cs_reason_copy(reason, string);
    CHECK(!strncmp(reason, string, strlen(reason)));
    CHECK(!right || chatsock_is_utf8((uint8_t *)reason, strlen(reason)));
    free(string);
}

/* A query has one spelling: what comes out of it comes out again. */
static void query(void) {
    char buffer[64], again[64];
    size_t count = input.left;
    const char *bytes = (const char *)take(&count);
    char *copy = malloc(count + 1); /* exactly as long, for the sanitizer */
    memcpy(copy, bytes, count);
    unsigned status = cs_query_copy((struct cs_slice){copy, count}, buffer, sizeof buffer);
    free(copy);
    CHECK(status == 0 || status == 400 || status == 414);
    if (status)
        return;
    for (const char *c = buffer; *c; c++)
        CHECK(*c > ' ' && *c < 127 && *c != '+' && *c != '#' && *c != '?');
    CHECK(!cs_query_copy((struct cs_slice){buffer, strlen(buffer)}, again, sizeof again) && !strcmp(buffer, again));
}

/* ---- messages in fragments ---- */

enum { MOST = 300 };

static struct {
    uint8_t bytes[MOST * CS_PASSED_OVER_TIMES + CS_PASSED_OVER_TIMES];
    size_t count, delivered;
} sent;

static void received(void *ctx, uint64_t id, const uint8_t *bytes, size_t count) {
    (void)ctx, (void)id;
    CHECK(count == sent.count && count <= MOST && !memcmp(bytes, sent.bytes, count) && is_plainly_utf8(bytes, count));
    sent.delivered++;
}

static void oversized(void *ctx, uint64_t id, const chatsock_oversized *message) {
    (void)ctx, (void)id;
    CHECK(message->size == sent.count && message->size > MOST && message->start_count == CS_EDGE_BYTES);
    CHECK(message->end_count && message->end_count <= CS_EDGE_BYTES);
    CHECK(!memcmp(message->start, sent.bytes, message->start_count));
    CHECK(!memcmp(message->end, sent.bytes + sent.count - message->end_count, message->end_count));
    sent.delivered++;
}

/* One frame, in pieces as libwebsockets delivers them; false when the connection is no more. */
static bool receive_frame(struct conn *conn, bool final) {
    size_t whole = byte() % 4 ? byte() % 64 : (size_t)byte() << 3;
    frame.final = final;
    frame.left = whole;
    do {
        size_t count = frame.left < 48 ? frame.left : 48;
        const uint8_t *bytes = take(&count);
        uint8_t *piece = malloc(count + 1); /* exactly as long, for the sanitizer */
        memcpy(piece, bytes, count);
        frame.left -= count;
        if (sent.count + count <= sizeof sent.bytes)
            memcpy(sent.bytes + sent.count, piece, count);
        sent.count += count;
        cs_conn_handle_data(conn, piece, count);
        free(piece);
    } while (frame.left && input.left && conn->state == CS_OPEN);
    return conn->state == CS_OPEN && !frame.left;
}

static void messages(void) {
    static chatsock_server server;
    static struct loop loop;
    server.config = (chatsock_config){.max_frame_bytes = MOST, .max_fragments = 4, .max_partial_bytes = 1024};
    server.events.received = received;
    server.events.oversized = oversized;
    loop.server = &server;
    struct conn conn = {.loop = &loop, .state = CS_OPEN};
    while (input.left) {
        size_t delivered = sent.delivered;
        unsigned fragments = byte() % 6 + 1;
        bool open = true;
        sent.count = 0;
        for (unsigned i = 1; open && i <= fragments; i++)
            open = receive_frame(&conn, i == fragments);
        if (!open)
            break;
        CHECK(sent.delivered == delivered + 1 && !conn.partial);
    }
    if (conn.state == CS_CLOSING)
        CHECK(closed_with == 1007 || closed_with == 1009 || closed_with == 1013);
    cs_partial_free(&conn);
    CHECK(!server.partial_bytes && !loop.counters.partial_bytes);
}

static void closing(void) {
    struct conn conn = {.state = CS_OPEN};
    size_t count = input.left < 125 ? input.left : 125;
    const uint8_t *bytes = take(&count);
    closed_with = 0;
    int end = cs_conn_handle_close(&conn, bytes, count);
    CHECK(conn.state == CS_GONE && (end ? closed_with == 1002 || closed_with == 1007 : !closed_with));
    CHECK(end || count < 2 || is_plainly_utf8(bytes + 2, count - 2));
}

/* ---- proxies ---- */

/* A verdict on a beginning holds for every header that begins with it. */
static void prefaces(void) {
    size_t count = input.left < 600 ? input.left : 600;
    const uint8_t *bytes = take(&count);
    ssize_t whole = 0;
    struct in6_addr address;
    bool known;
    for (size_t length = 0; length <= count; length++) {
        uint8_t *copy = malloc(length + 1); /* exactly as long, for the sanitizer */
        memcpy(copy, bytes, length);
        ssize_t found = cs_proxy_header_parse(copy, length, &address, &known);
        CHECK(found <= (ssize_t)length && (!whole || found == whole));
        whole = found;
        free(copy);
    }
}

static void forwarding(void) {
    static const uint8_t start[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1};
    struct cs_networks trusted = {0};
    CHECK(cs_networks_make(&trusted, (const char *const[]){"10.0.0.0/8", "2001:db8::/33"}, 2));
    struct in6_addr address, again;
    size_t count = input.left;
    const uint8_t *bytes = take(&count);
    char *list = calloc(1, count + 1), *other = malloc(count + 1);
    memcpy(list, bytes, count);
    memcpy(other, list, count + 1);
    memcpy(&address, start, sizeof start);
    cs_forwarded_for_resolve(&trusted, list, &address);
    struct in6_addr stranger = {.s6_addr = {0x20, 1}};
    again = stranger;
    cs_forwarded_for_resolve(&trusted, other, &again); /* an untrusted proxy is not believed */
    CHECK(!memcmp(&again, &stranger, sizeof again) && !memcmp(other, bytes, count));
    struct cs_networks networks = {0};
    CHECK(cs_networks_make(&networks, (const char *const[]){other}, 1) && networks.count <= 1);
    if (networks.count)
        CHECK(networks.all[0].bits <= 128);
    cs_networks_free(&networks);
    cs_networks_free(&trusted);
    free(list);
    free(other);
}

/* ---- requests ---- */

/* The parts of a request that stays HTTP lie in its header, and its fields are text. */
static void request(struct cs_slice header) {
    static const char *const names[] = {"host", "origin", "content-length", "if-none-match", "connection"};
    char *copy = malloc(header.count), buffer[40]; /* exactly as long, for the sanitizer */
    memcpy(copy, header.bytes, header.count);
    struct cs_target target = cs_target_parse(copy, header.count);
    const struct cs_slice parts[] = {target.query, target.authority};
    for (size_t i = 0; i < 2; i++)
        CHECK(!parts[i].count || (parts[i].bytes >= copy && parts[i].bytes + parts[i].count <= copy + header.count));
    CHECK(target.path.count && (*target.path.bytes == '/' || *target.path.bytes == '*'));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool odd = false;
        const char *value = cs_field_copy((struct cs_slice){copy, header.count}, names[i], buffer, sizeof buffer, &odd);
        CHECK(!value || (!odd && strlen(value) < sizeof buffer));
        CHECK(!value || chatsock_is_utf8((const uint8_t *)value, strlen(value)));
        if (!i && value)
            cs_target_check(&target, value);
    }
    free(copy);
}

/* However the pieces of a header are cut, it is judged as if it had come at once. */
static void requests(void) {
    struct cs_request_header whole = {0}, parts = {0};
    struct refusal at_once = {0}, refusal = {0};
    size_t cut = byte() + 1u, count = input.left;
    const uint8_t *bytes = take(&count);
    bool known = cs_request_header_check(&whole, (const char *)bytes, count, &at_once), soon = false;
    for (size_t come = 0; come < count && !soon;) {
        come = come + cut < count ? come + cut : count;
        char *copy = malloc(come); /* exactly as long, for the sanitizer */
        memcpy(copy, bytes, come);
        soon = cs_request_header_check(&parts, copy, come, &refusal);
        free(copy);
    }
    CHECK(known == soon && (!known || (at_once.status == refusal.status && at_once.text == refusal.text)));
    if (known && !at_once.status && !whole.websocket)
        request((struct cs_slice){(const char *)bytes, whole.line});
}

/* ---- frames and the log ---- */

static chatsock_frame *make_frame(size_t count) {
    uint8_t *payload = malloc(count + 1);
    memset(payload, byte(), count);
    chatsock_frame *made = cs_frame_new(0x81, payload, count);
    size_t wide = count < 126 ? 0 : count < 65536 ? 2 : 8, length = wide ? 0 : made->bytes[1];
    for (size_t i = 0; i < wide; i++)
        length = length << 8 | made->bytes[2 + i];
    CHECK(made->bytes[0] == 0x81 && length == count && made->size == 2 + wide + count);
    CHECK(!memcmp(made->bytes + 2 + wide, payload, count));
    free(payload);
    return made;
}

static void logging(void) {
    struct log log = {0};
    uint64_t ends[64] = {0}; /* of each frame, from the beginning of time */
    while (input.left && log.next < 63) {
        if (byte() % 3) {
            chatsock_frame *made = make_frame(byte() % 8 ? byte() : (size_t)byte() * 300);
            CHECK(cs_log_push(&log, made, log.next * 2 + 1));
            ends[log.next] = ends[log.next - 1] + made->size;
            chatsock_frame_release(made);
        } else {
            cs_log_drop(&log, log.first + byte() % (log.next - log.first + 1));
        }
        CHECK(log.base == ends[log.first] && log.end == ends[log.next]);
        for (uint64_t number = log.first; number <= log.next; number++) {
            CHECK(cs_log_start(&log, number) == ends[number]);
            CHECK(cs_log_revision(&log, number) == (number ? number * 2 - 1 : 0));
            CHECK(cs_log_frame_at(&log, ends[number]) == number);
        }
    }
    cs_log_drop(&log, log.next);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static void (*const all[])(void) = {text, query, messages, closing, logging, prefaces, forwarding, requests};
    input.bytes = bytes;
    input.left = count;
    all[byte() % (sizeof all / sizeof *all)]();
    return 0;
}
