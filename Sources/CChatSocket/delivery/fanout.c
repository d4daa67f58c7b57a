/*
 * Fan-out: appends frames to the logs of topics, and writes what is new in them to each reader. A reader that cannot
 * take it stays where it is, and falls off when the log has to drop what it lacks.
 */
#include "delivery/delivery.h"
#include "delivery/topic.h"

/* ---- sending ---- */

static void flush_cursor(struct cursor *cursor) {
    struct conn *conn = cursor->conn;
    if (cursor->place != CS_LIVE || cursor->frame == cursor->topic->log.next)
        return;
    if (!cs_conn_can_write(conn)) {
        cs_cursor_set_lagging(cursor, true);
    } else if (conn->reading.cursors == cursor && !cursor->next && !conn->output.queue) {
        cs_cursor_flush(cursor);
    } else {
        conn->reading.dirty[conn->reading.dirty_count++] = cursor;
        cs_conn_schedule_flush(conn);
    }
}

/* Prefetches readers further on while the current one is served: with thousands, hardly one is in the cache. */
static void prefetch_ahead(const struct topic *topic, uint32_t i) {
    if (i + 8 < topic->count)
        __builtin_prefetch(topic->cursors[i + 8]);
    if (i + 4 < topic->count)
        __builtin_prefetch(topic->cursors[i + 4]->conn);
}

static void flush_topic(struct topic *topic) {
    for (uint32_t i = 0; i < topic->count; i++) {
        prefetch_ahead(topic, i);
        flush_cursor(topic->cursors[i]);
    }
}

static void flush_scheduled(struct loop *loop) {
    for (struct conn *conn; (conn = cs_flush_list_pop(loop));)
        cs_conn_flush(conn);
}

uint64_t chatsock_lag_bound(unsigned range) {
    static const uint64_t bounds[CHATSOCK_LAG_RANGES] = {500,   1000,   2500,   5000,    10000,    25000,
                                                         50000, 100000, 250000, 1000000, 10000000, UINT64_MAX};
    return bounds[range < CHATSOCK_LAG_RANGES ? range : CHATSOCK_LAG_RANGES - 1];
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
    if (!loop->topics.dirty && cs_flush_list_is_empty(loop))
        return;
    /* Topics stay on the list until all connections are flushed: a cursor that stops lagging must not free a log from
       which another connection is still to be written in this round. */
    for (struct topic *topic = loop->topics.dirty; topic; topic = topic->next_dirty)
        flush_topic(topic);
    flush_scheduled(loop);
    for (struct topic *topic; (topic = loop->topics.dirty);) {
        cs_topic_mark_clean(topic);
        if (topic->since)
            count_lag(topic);
        if (!topic->lagging)
            cs_topic_drop_frames(topic, topic->log.next);
    }
}

/* ---- appending ---- */

static void mark_behind(struct cursor *cursor) {
    if (cursor->frame != cursor->attached)
        cursor->revision = cs_log_revision(&cursor->topic->log, cursor->frame);
    cursor->place = CS_BEHIND;
    cursor->conn->reading.wants_behind = true;
    CS_COUNT(cursor->topic->loop, behind, 1);
    CS_COUNT(cursor->topic->loop, behind_now, 1);
    if (cs_conn_can_write(cursor->conn))
        cs_conn_schedule_flush(cursor->conn);
    cs_cursor_set_lagging(cursor, false);
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
            mark_behind(topic->cursors[i]);
    topic->lagging--;
    cs_topic_drop_frames(topic, first);
}

/* Marks every reader as behind that lacks a part of the log. */
static void mark_lagging_behind(struct topic *topic) {
    topic->lagging++; /* keeps the log whole while its readers fall off */
    for (uint32_t i = 0; i < topic->count; i++)
        if (topic->cursors[i]->place == CS_LIVE && topic->cursors[i]->frame < topic->log.next)
            mark_behind(topic->cursors[i]);
    topic->lagging--;
    cs_topic_drop_frames(topic, topic->log.next);
}

void cs_topics_shed(struct loop *loop) {
    cs_topics_flush(loop); /* only readers that cannot take it may fall off */
    for (size_t i = 0; i < loop->topics.size; i++)
        for (struct topic *topic = loop->topics.chains[i]; topic; topic = topic->chain)
            if (topic->log.next != topic->log.first)
                mark_lagging_behind(topic);
}

/* Marks every reader as behind, so that each catches up from the application. */
static void mark_all_behind(struct topic *topic) {
    topic->lagging++;
    for (uint32_t i = 0; i < topic->count; i++)
        if (topic->cursors[i]->place == CS_LIVE)
            mark_behind(topic->cursors[i]);
    topic->lagging--;
    cs_topic_drop_frames(topic, topic->log.next);
}

void cs_topic_append(struct loop *loop, uint64_t id, uint64_t revision, const chatsock_frame *frame) {
    struct topic *topic = cs_topic_find(&loop->topics, id);
    if (!topic)
        return;
    size_t limit = loop->server->config.log_bytes;
    if (topic->log.end - topic->log.base + frame->size > limit && topic->log.next != topic->log.first) {
        cs_topics_flush(loop); /* only readers whose socket is full may fall off, not those that had no chance yet */
        /* Found again: a flush can end connections, and a topic without readers is freed. */
        topic = cs_topic_find(&loop->topics, id);
        if (topic->log.end - topic->log.base + frame->size > limit && topic->log.next != topic->log.first)
            make_room(topic, frame->size, limit);
    }
    if (!cs_log_push(&topic->log, frame, revision))
        mark_all_behind(topic); /* out of memory */
    else
        CS_CHARGE(loop, log_bytes, frame->size);
    loop->topics.appended = true;
    if (!topic->since)
        topic->since = frame->since;
    cs_topic_mark_dirty(topic);
}

void cs_topic_cut(struct loop *loop, uint64_t id) {
    cs_loop_uncork(loop);
    cs_topics_flush(loop); /* readers that can take what is there get it */
    struct topic *topic = cs_topic_find(&loop->topics, id);
    if (!topic)
        return;
    mark_all_behind(topic);
    loop->topics.appended = true;
    cs_topic_mark_dirty(topic);
}

/* ---- when a loop writes ---- */

/* A cork has it wait a little, so that the frames that come next leave in the same write. */

static void on_expiry(uv_timer_t *handle) {
    struct loop *loop = handle->data;
    loop->cork.expired = true;
    loop->cork.corked = false;
}

/* The wait is worth while up to the duration of a round of writing: it saves a round, or most of its system calls.
   Under load the loop then reads again sooner, too, because it writes less in all. */
void cs_loop_cork(struct loop *loop) {
    if (loop->cork.expired || loop->destroying)
        return;
    loop->cork.corked = true;
    if (loop->cork.started)
        return;
    loop->cork.started = true;
    uint64_t most = CS_CORK_TIMES * loop->cork.writing_ms;
    if (most < CS_CORK_MS || most > CS_CORK_MOST_MS)
        most = most ? CS_CORK_MOST_MS : CS_CORK_MS;
    uv_timer_start(&loop->cork.timer, on_expiry, most, 0);
}

void cs_loop_uncork(struct loop *loop) {
    loop->cork.corked = false;
}

void cs_cork_expect_more(struct loop *loop) {
    if (loop->topics.dirty && loop->cork.writing_ms)
        cs_loop_cork(loop);
}

static void flush(struct loop *loop) {
    loop->cork.started = loop->cork.expired = false;
    uv_timer_stop(&loop->cork.timer);
    uint64_t start = uv_hrtime();
    cs_topics_flush(loop);
    uint64_t took = (uv_hrtime() - start) / 1000000;
    loop->cork.writing_ms = took > loop->cork.writing_ms / 2 ? took : loop->cork.writing_ms / 2;
}

/* While each turn brings new frames, or more of them are on their way, sending waits, so that they leave in one write.
   A single message leaves at once. */
void cs_cork_end_turn(struct loop *loop) {
    if (loop->topics.dirty && loop->topics.appended && loop->cork.put_off_turns < CS_PUT_OFF_TURNS) {
        loop->cork.put_off_turns++;
    } else if (cs_cork_is_due(loop)) {
        loop->cork.put_off_turns = 0;
        flush(loop);
    }
    loop->topics.appended = false;
}

bool cs_cork_is_due(const struct loop *loop) {
    return (loop->topics.dirty || !cs_flush_list_is_empty(loop)) && !loop->cork.corked;
}

void cs_cork_open(struct loop *loop) {
    uv_timer_init(&loop->uv, &loop->cork.timer);
    loop->cork.timer.data = loop;
}

void cs_cork_close(struct loop *loop) {
    uv_close((uv_handle_t *)&loop->cork.timer, NULL);
}
