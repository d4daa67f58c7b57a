/* The topics of one loop, and their readers. A reader is a position in a log; nothing is stored for it. */
#include "delivery/topic.h"

static size_t chain_of(const struct topics *topics, uint64_t id) {
    uint64_t h = id * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) & (topics->size - 1);
}

struct topic *cs_topic_find(const struct topics *topics, uint64_t id) {
    struct topic *topic = topics->size ? topics->chains[chain_of(topics, id)] : NULL;
    while (topic && topic->id != id)
        topic = topic->chain;
    return topic;
}

static bool resize(struct topics *topics) {
    struct topics bigger = {.size = topics->size ? topics->size * 2 : 16, .count = topics->count};
    bigger.chains = calloc(bigger.size, sizeof *bigger.chains);
    if (!bigger.chains)
        return false;
    for (size_t i = 0; i < topics->size; i++)
        for (struct topic *topic = topics->chains[i], *next; topic; topic = next) {
            next = topic->chain;
            size_t k = chain_of(&bigger, topic->id);
            topic->chain = bigger.chains[k];
            bigger.chains[k] = topic;
        }
    free(topics->chains);
    *topics = bigger;
    return true;
}

static struct topic *find_or_make(struct loop *loop, uint64_t id) {
    struct topics *topics = &loop->topics;
    struct topic *topic = cs_topic_find(topics, id);
    if (topic || (topics->count == topics->size && !resize(topics)) || !(topic = calloc(1, sizeof *topic)))
        return topic;
    size_t k = chain_of(topics, id);
    topic->id = id;
    topic->loop = loop;
    topic->chain = topics->chains[k];
    topics->chains[k] = topic;
    topics->count++;
    CS_COUNT(loop, topics, 1);
    return topic;
}

void cs_topic_drop_frames(struct topic *topic, uint64_t number) {
    uint64_t before = topic->log.end - topic->log.base;
    cs_log_drop(&topic->log, number);
    CS_COUNT(topic->loop, log_bytes, topic->log.end - topic->log.base - before);
}

void cs_topic_mark_dirty(struct topic *topic) {
    struct loop *loop = topic->loop;
    if (topic->dirty_link)
        return;
    topic->next_dirty = loop->topics.dirty;
    topic->dirty_link = &loop->topics.dirty;
    if (topic->next_dirty)
        topic->next_dirty->dirty_link = &topic->next_dirty;
    loop->topics.dirty = topic;
}

void cs_topic_mark_clean(struct topic *topic) {
    if (!topic->dirty_link)
        return;
    *topic->dirty_link = topic->next_dirty;
    if (topic->next_dirty)
        topic->next_dirty->dirty_link = topic->dirty_link;
    topic->dirty_link = NULL;
}

static void free_topic(struct topic *topic) {
    struct topic **link = &topic->loop->topics.chains[chain_of(&topic->loop->topics, topic->id)];
    while (*link != topic)
        link = &(*link)->chain;
    *link = topic->chain;
    cs_topic_mark_clean(topic);
    cs_topic_drop_frames(topic, topic->log.next);
    free(topic->log.bytes); /* only set when an append ran out of memory */
    free(topic->log.marks);
    topic->loop->topics.count--;
    CS_COUNT(topic->loop, topics, -1);
    free(topic->cursors);
    free(topic);
}

void cs_topics_free(struct topics *topics) {
    free(topics->chains);
    *topics = (struct topics){0};
}

/* ---- cursors ---- */

void cs_cursor_set_lagging(struct cursor *cursor, bool lags) {
    struct topic *topic = cursor->topic;
    if (lags == cursor->lags)
        return;
    cursor->lags = lags;
    topic->lagging = lags ? topic->lagging + 1 : topic->lagging - 1;
    /* A dirty topic is left to cs_topics_flush(), which still reads its log. */
    if (!topic->lagging && !topic->dirty_link)
        cs_topic_drop_frames(topic, topic->log.next); /* every reader has everything */
}

static struct cursor *find_cursor(const struct conn *conn, uint64_t topic) {
    struct cursor *cursor = conn->reading.cursors;
    while (cursor && cursor->topic->id != topic)
        cursor = cursor->next;
    return cursor;
}

/* Makes room in advance, so that sending needs no memory. */
static bool make_room_for_dirty(struct conn *conn) {
    if (conn->reading.cursor_count < conn->reading.dirty_room)
        return true;
    uint32_t room = conn->reading.dirty_room ? conn->reading.dirty_room * 2 : 1;
    struct cursor **more = realloc(conn->reading.dirty, room * sizeof *more);
    if (!more)
        return false;
    conn->reading.dirty = more;
    conn->reading.dirty_room = room;
    return true;
}

static struct cursor *add_cursor(struct conn *conn, struct topic *topic) {
    if (!make_room_for_dirty(conn))
        return NULL;
    if (topic->count == topic->capacity) {
        uint32_t capacity = topic->capacity ? topic->capacity * 2 : 2;
        struct cursor **more = realloc(topic->cursors, capacity * sizeof *more);
        if (!more)
            return NULL;
        topic->cursors = more;
        topic->capacity = capacity;
    }
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor)
        return NULL;
    *cursor = (struct cursor){.conn = conn, .topic = topic, .next = conn->reading.cursors, .index = topic->count};
    conn->reading.cursors = cursor;
    conn->reading.cursor_count++;
    topic->cursors[topic->count++] = cursor;
    CS_COUNT(conn->loop, readers, 1);
    cs_loop_charge(conn->loop, CS_READER_BYTES);
    cs_budget_raise_largest(conn, 0);
    return cursor;
}

bool cs_topic_attach(struct conn *conn, uint64_t id, uint64_t revision) {
    struct cursor *cursor = find_cursor(conn, id);
    if (!cursor) {
        struct topic *topic = find_or_make(conn->loop, id);
        cursor = topic ? add_cursor(conn, topic) : NULL;
        if (!cursor) {
            if (topic && !topic->count)
                free_topic(topic);
            return false;
        }
    }
    if (cursor->place != CS_LIVE)
        CS_COUNT(conn->loop, behind_now, -1);
    cursor->place = CS_LIVE;
    cursor->frame = cursor->attached = cursor->topic->log.next;
    cursor->revision = revision;
    cs_cursor_set_lagging(cursor, false);
    return true;
}

/* `link` points to the cursor in its connection's list. */
static void remove_cursor(struct cursor **link) {
    struct cursor *cursor = *link, *last;
    struct topic *topic = cursor->topic;
    *link = cursor->next;
    if (cursor->place != CS_LIVE)
        CS_COUNT(topic->loop, behind_now, -1);
    cursor->conn->reading.cursor_count--;
    CS_COUNT(topic->loop, readers, -1);
    /* The last cursor moves into the gap, so that removing one does not depend on their number. */
    last = topic->cursors[--topic->count];
    topic->cursors[cursor->index] = last;
    last->index = cursor->index;
    cs_cursor_set_lagging(cursor, false);
    free(cursor);
    if (!topic->count)
        free_topic(topic);
}

void cs_topic_detach(struct conn *conn, uint64_t id) {
    struct cursor **link = &conn->reading.cursors;
    while (*link && (*link)->topic->id != id)
        link = &(*link)->next;
    if (*link)
        remove_cursor(link);
}

void cs_topic_detach_all(struct conn *conn) {
    while (conn->reading.cursors)
        remove_cursor(&conn->reading.cursors);
    free(conn->reading.dirty);
    conn->reading.dirty = NULL;
    conn->reading.dirty_count = conn->reading.dirty_room = 0;
    conn->reading.wants_behind = false;
}
