/* The topics of one loop, and their readers. A reader is a position in a log; nothing is stored for it. */
#include "server.h"

static size_t chain_of(const struct topics *topics, uint64_t id) {
    uint64_t h = id * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) & (topics->size - 1);
}

static struct topic *find(const struct topics *topics, uint64_t id) {
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
    struct topic *topic = find(topics, id);
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

static void drop_frames(struct topic *topic, uint64_t number) {
    uint64_t before = topic->log.end - topic->log.base;
    cs_log_drop(&topic->log, number);
    CS_COUNT(topic->loop, log_bytes, topic->log.end - topic->log.base - before);
}

static void mark_dirty(struct topic *topic) {
    struct loop *loop = topic->loop;
    if (topic->dirty_link)
        return;
    topic->next_dirty = loop->dirty;
    topic->dirty_link = &loop->dirty;
    if (topic->next_dirty)
        topic->next_dirty->dirty_link = &topic->next_dirty;
    loop->dirty = topic;
}

static void mark_clean(struct topic *topic) {
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
    mark_clean(topic);
    drop_frames(topic, topic->log.next);
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

void cs_cursor_settle(struct cursor *cursor, bool lags) {
    struct topic *topic = cursor->topic;
    if (lags == cursor->lags)
        return;
    cursor->lags = lags;
    topic->lagging = lags ? topic->lagging + 1 : topic->lagging - 1;
    if (!topic->lagging && !topic->dirty_link)
        drop_frames(topic, topic->log.next); /* every reader has everything */
}

static struct cursor *find_cursor(const struct conn *conn, uint64_t topic) {
    struct cursor *cursor = conn->cursors;
    while (cursor && cursor->topic->id != topic)
        cursor = cursor->next;
    return cursor;
}

/* Makes room in advance, so that sending needs no memory. */
static bool make_room_for_dirty(struct conn *conn) {
    if (conn->cursor_count < conn->dirty_room)
        return true;
    uint32_t room = conn->dirty_room ? conn->dirty_room * 2 : 1;
    struct cursor **more = realloc(conn->dirty, room * sizeof *more);
    if (!more)
        return false;
    conn->dirty = more;
    conn->dirty_room = room;
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
    *cursor = (struct cursor){.conn = conn, .topic = topic, .next = conn->cursors, .index = topic->count};
    conn->cursors = cursor;
    conn->cursor_count++;
    topic->cursors[topic->count++] = cursor;
    return cursor;
}

void cs_topic_attach(struct conn *conn, uint64_t id, uint64_t revision) {
    struct cursor *cursor = find_cursor(conn, id);
    if (!cursor) {
        struct topic *topic = find_or_make(conn->loop, id);
        cursor = topic ? add_cursor(conn, topic) : NULL;
        if (!cursor) { /* out of memory: a closed connection is better than one that misses messages */
            if (topic && !topic->count)
                free_topic(topic);
            cs_close(conn, 1013, "out of memory");
            return;
        }
    }
    if (cursor->place != CS_LIVE)
        CS_COUNT(conn->loop, behind_now, -1);
    cursor->place = CS_LIVE;
    cursor->frame = cursor->attached = cursor->topic->log.next;
    cursor->revision = revision;
    cs_cursor_settle(cursor, false);
}

/* `link` points to the cursor in its connection's list. */
static void remove_cursor(struct cursor **link) {
    struct cursor *cursor = *link, *last;
    struct topic *topic = cursor->topic;
    *link = cursor->next;
    if (cursor->place != CS_LIVE)
        CS_COUNT(topic->loop, behind_now, -1);
    cursor->conn->cursor_count--;
    last = topic->cursors[--topic->count];
    topic->cursors[cursor->index] = last;
    last->index = cursor->index;
    cs_cursor_settle(cursor, false);
    free(cursor);
    if (!topic->count)
        free_topic(topic);
}

void cs_topic_detach(struct conn *conn, uint64_t id) {
    struct cursor **link = &conn->cursors;
    while (*link && (*link)->topic->id != id)
        link = &(*link)->next;
    if (*link)
        remove_cursor(link);
}

void cs_topic_detach_all(struct conn *conn) {
    while (conn->cursors)
        remove_cursor(&conn->cursors);
    free(conn->dirty);
    conn->dirty = NULL;
    conn->dirty_count = conn->dirty_room = 0;
}

/* ---- sending ---- */

static void flush_cursor(struct cursor *cursor) {
    struct conn *conn = cursor->conn;
    if (cursor->place != CS_LIVE || cursor->frame == cursor->topic->log.next)
        return;
    if (!cs_can_write(conn)) {
        cs_cursor_settle(cursor, true);
    } else if (conn->cursors == cursor && !cursor->next && !conn->queue) {
        cs_pump_one(cursor);
    } else {
        conn->dirty[conn->dirty_count++] = cursor;
        cs_late(conn);
    }
}

/* Prefetches readers further on while the current one is served: with thousands, hardly one is in the cache. */
static void fetch_ahead(const struct topic *topic, uint32_t i) {
    if (i + 8 < topic->count)
        __builtin_prefetch(topic->cursors[i + 8]);
    if (i + 4 < topic->count)
        __builtin_prefetch(topic->cursors[i + 4]->conn);
}

static void flush_topic(struct topic *topic) {
    for (uint32_t i = 0; i < topic->count; i++) {
        fetch_ahead(topic, i);
        flush_cursor(topic->cursors[i]);
    }
}

static void pump_late(struct loop *loop) {
    while (loop->late.count) {
        struct conn *conn = loop->late.conns[loop->late.count - 1];
        cs_not_late(conn);
        cs_pump(conn);
    }
}

/* Counts how long the frames that leave now were under way, once for all readers of the topic on this loop. */
static void count_lag(struct topic *topic) {
    uint64_t now = uv_hrtime(), lag = now > topic->since ? now - topic->since : 0;
    size_t range = 0;
    while (range < CHATSOCK_LAG_RANGES - 1 && lag > chatsock_lag_bound((unsigned)range) * 1000)
        range++;
    CS_COUNT(topic->loop, lag[range], 1);
    CS_COUNT(topic->loop, lag_ns, lag);
    topic->since = 0;
}

void cs_topics_flush(struct loop *loop) {
    if (!loop->dirty && !loop->late.count)
        return;
    for (struct topic *topic = loop->dirty; topic; topic = topic->next_dirty)
        flush_topic(topic);
    pump_late(loop);
    for (struct topic *topic; (topic = loop->dirty);) {
        mark_clean(topic);
        if (topic->since)
            count_lag(topic);
        if (!topic->lagging)
            drop_frames(topic, topic->log.next);
    }
}

/* ---- appending ---- */

static void fall_off(struct cursor *cursor) {
    if (cursor->frame != cursor->attached)
        cursor->revision = cs_log_revision(&cursor->topic->log, cursor->frame);
    cursor->place = CS_BEHIND;
    cursor->conn->wants_behind = true;
    CS_COUNT(cursor->topic->loop, behind, 1);
    CS_COUNT(cursor->topic->loop, behind_now, 1);
    if (cs_can_write(cursor->conn))
        cs_late(cursor->conn);
    cs_cursor_settle(cursor, false);
}

/* Drops half of the log at a time, so that a reader that stays away does not cost a walk over all readers for each
   frame. */
static void make_room(struct topic *topic, size_t size, size_t limit) {
    struct log *log = &topic->log;
    uint64_t keep = size < limit / 2 ? limit / 2 - size : 0;
    uint64_t wanted = log->end - log->base > keep ? log->end - keep : log->base, lowest = log->next;
    for (uint32_t i = 0; i < topic->count; i++)
        if (topic->cursors[i]->place == CS_LIVE && topic->cursors[i]->frame < lowest)
            lowest = topic->cursors[i]->frame;
    uint64_t first = cs_log_frame_at(log, wanted);
    if (first < lowest)
        first = lowest;
    topic->lagging++; /* keeps the log whole while its readers fall off */
    for (uint32_t i = 0; i < topic->count; i++)
        if (topic->cursors[i]->place == CS_LIVE && topic->cursors[i]->frame < first)
            fall_off(topic->cursors[i]);
    topic->lagging--;
    drop_frames(topic, first);
}

/* Has every reader fall off that has not got all of the log. */
static void leave_behind(struct topic *topic) {
    topic->lagging++; /* keeps the log whole while its readers fall off */
    for (uint32_t i = 0; i < topic->count; i++)
        if (topic->cursors[i]->place == CS_LIVE && topic->cursors[i]->frame < topic->log.next)
            fall_off(topic->cursors[i]);
    topic->lagging--;
    drop_frames(topic, topic->log.next);
}

void cs_topics_shed(struct loop *loop) {
    cs_topics_flush(loop); /* only readers that cannot take it may fall off */
    for (size_t i = 0; i < loop->topics.size; i++)
        for (struct topic *topic = loop->topics.chains[i]; topic; topic = topic->chain)
            if (topic->log.next != topic->log.first)
                leave_behind(topic);
}

/* Has every reader fall off, so that each catches up from the application. */
static void lose_readers(struct topic *topic) {
    topic->lagging++;
    for (uint32_t i = 0; i < topic->count; i++)
        if (topic->cursors[i]->place == CS_LIVE)
            fall_off(topic->cursors[i]);
    topic->lagging--;
    drop_frames(topic, topic->log.next);
}

void cs_topic_append(struct loop *loop, uint64_t id, uint64_t revision, const chatsock_frame *frame) {
    struct topic *topic = find(&loop->topics, id);
    if (!topic)
        return;
    size_t limit = loop->server->config.log_bytes;
    if (topic->log.end - topic->log.base + frame->size > limit && topic->log.next != topic->log.first) {
        cs_topics_flush(loop); /* only readers whose socket is full may fall off, not those that had no chance yet */
        topic = find(&loop->topics, id);
        if (topic->log.end - topic->log.base + frame->size > limit && topic->log.next != topic->log.first)
            make_room(topic, frame->size, limit);
    }
    if (!cs_log_push(&topic->log, frame, revision))
        lose_readers(topic); /* out of memory */
    else
        CS_TAKE(loop, log_bytes, frame->size);
    loop->fresh = true;
    if (!topic->since)
        topic->since = frame->since;
    mark_dirty(topic);
}

void cs_topic_cut(struct loop *loop, uint64_t id) {
    cs_uncork(loop);
    cs_topics_flush(loop); /* readers that can take what is there get it */
    struct topic *topic = find(&loop->topics, id);
    if (!topic)
        return;
    lose_readers(topic);
    loop->fresh = true;
    mark_dirty(topic);
}
