/* Topics: logs of frames, and the cursors of the connections that read them. On the loop's thread. A pointer to a topic
   or a cursor is valid until the next attach or detach. */
#ifndef CS_TOPIC_H
#define CS_TOPIC_H

#include "conn/loop.h"
#include "shared/log.h"

enum cs_place { CS_LIVE, CS_BEHIND, CS_REPORTED };

struct cursor {
    struct conn *conn; /* owns the cursor */
    struct topic *topic;
    struct cursor *next;
    uint64_t frame; /* the number of the next frame it needs */
    uint32_t index; /* in topic->cursors */
    enum cs_place place : 8;
    bool lags : 1; /* counted in topic->lagging */
    uint64_t revision; /* as given at attach; once it fell off, the one it held then */
    uint64_t attached; /* `frame` at attach: as long as they are equal, the reader holds `revision` */
};

struct topic { /* the loop owns it, as long as it has a reader */
    uint64_t id;
    struct loop *loop;
    struct topic *chain, *next_dirty, **dirty_link; /* dirty_link is set while the topic is dirty */
    struct cursor **cursors; /* the array is owned; the cursors belong to their connections */
    uint32_t count, capacity;
    uint32_t lagging; /* live cursors that did not get everything at the last flush */
    uint64_t since; /* ns: stamp of the oldest frame not flushed yet; 0: not known */
    struct log log;
};

/* topic.c */
/* Makes the connection a reader of what comes next. False: out of memory. */
bool cs_topic_attach(struct conn *conn, uint64_t topic, uint64_t revision);
void cs_topic_detach(struct conn *conn, uint64_t topic);
void cs_topic_detach_all(struct conn *conn);
struct topic *cs_topic_find(const struct topics *topics, uint64_t id);
/* Drops the frames before `number`. */
void cs_topic_drop_frames(struct topic *topic, uint64_t number);
/* Puts the topic on the loop's list of those with new frames, and removes it. */
void cs_topic_mark_dirty(struct topic *topic);
void cs_topic_mark_clean(struct topic *topic);
/* Called when a cursor moves, falls off or is removed. Counts it in topic->lagging or not, and frees the log once no
   cursor lags. */
void cs_cursor_set_lagging(struct cursor *cursor, bool lags);
void cs_topics_free(struct topics *topics);

/* fanout.c */
/* Copies the frame into the log. */
void cs_topic_append(struct loop *loop, uint64_t topic, uint64_t revision, const chatsock_frame *frame);
/* Breaks the sequence: the next frame does not follow the last. Every reader falls off, which is reported. */
void cs_topic_cut(struct loop *loop, uint64_t topic);
/* Writes the new frames of dirty topics to every reader whose socket has room. */
void cs_topics_flush(struct loop *loop);
/* Frees the logs that readers lag behind. Those readers fall off, and the application sends what they lack later. */
void cs_topics_shed(struct loop *loop);

#endif
