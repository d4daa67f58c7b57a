/* Topics: logs of frames, and the cursors of the connections that read them. */
#ifndef CS_TOPIC_H
#define CS_TOPIC_H

#include "shared.h"

struct conn;
struct loop;

enum cs_place { CS_LIVE, CS_BEHIND, CS_TOLD };

struct cursor {
    struct conn *conn;
    struct topic *topic;
    struct cursor *next;
    uint64_t frame; /* wants this one next */
    uint32_t index; /* in topic->cursors */
    enum cs_place place : 8;
    bool lags : 1;     /* counted in topic->lagging */
    uint64_t revision; /* as attached, or as held when it fell off */
    uint64_t attached; /* `frame` when it was attached: until it moves, `revision` says what the reader holds */
};

struct topic {
    uint64_t id;
    struct loop *loop;
    struct topic *chain, *next_dirty, **dirty_link; /* dirty: the link is set */
    struct cursor **cursors;
    uint32_t count, capacity;
    uint32_t lagging; /* live cursors that did not get everything at the last flush */
    uint64_t since; /* ns: of the oldest frame that was not flushed yet; 0: not known */
    struct log log;
};

struct topics {
    struct topic **chains;
    size_t count, size;
};

void cs_topic_attach(struct conn *conn, uint64_t topic, uint64_t revision);
void cs_topic_detach(struct conn *conn, uint64_t topic);
void cs_topic_detach_all(struct conn *conn);
void cs_topic_append(struct loop *loop, uint64_t topic, uint64_t revision, const chatsock_frame *frame);
/* What is appended from here on does not follow what was: every reader has fallen off, and is told so. */
void cs_topic_cut(struct loop *loop, uint64_t topic);
/* Writes what is new in dirty topics to every reader that can take it. */
void cs_topics_flush(struct loop *loop);
/* The cursor moved, fell off or goes away: keeps topic->lagging and the log's memory right. */
void cs_cursor_settle(struct cursor *cursor, bool lags);
void cs_topics_free(struct topics *topics);
/* The logs that readers lag behind go, the readers fall off; each gets what it lacks when it can. */
void cs_topics_shed(struct loop *loop);

#endif
