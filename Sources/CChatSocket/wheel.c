/*
 * Time. libwebsockets keeps a timer for each connection in one sorted list that is walked from its head. So with many
 * connections, each new one costs time proportional to their number. Here a coarse wheel has each connection checked
 * when something may be due, and puts it on again further on. Deadlines are late by at most a tick.
 */
#include "server.h"

void cs_wheel_remove(struct conn *conn) {
    if (!conn->wheel_link)
        return;
    *conn->wheel_link = conn->wheel_next;
    if (conn->wheel_next)
        conn->wheel_next->wheel_link = conn->wheel_link;
    conn->wheel_link = NULL;
}

void cs_wheel_add(struct conn *conn, uint64_t at_ms) {
    struct loop *loop = conn->loop;
    uint64_t tick = at_ms / loop->tick_ms + 1, soonest = loop->ticked + 1;
    if (tick < soonest)
        tick = soonest;
    if (tick >= soonest + CS_WHEEL_SLOTS)
        tick = soonest + CS_WHEEL_SLOTS - 1; /* beyond the wheel: checked early, and put on again */
    cs_wheel_remove(conn);
    struct conn **slot = &loop->wheel[tick % CS_WHEEL_SLOTS];
    conn->wheel_next = *slot;
    conn->wheel_link = slot;
    if (*slot)
        (*slot)->wheel_link = &conn->wheel_next;
    *slot = conn;
}

void cs_wheel_advance(struct loop *loop, cs_wheel_check *check) {
    uint64_t now = cs_loop_now(loop), tick = now / loop->tick_ms;
    while (loop->ticked < tick) {
        struct conn *due = loop->wheel[++loop->ticked % CS_WHEEL_SLOTS];
        loop->wheel[loop->ticked % CS_WHEEL_SLOTS] = NULL;
        while (due) {
            struct conn *next = due->wheel_next;
            due->wheel_link = NULL;
            uint64_t at = check(due, now);
            if (!due->wheel_link) /* else it was put on the wheel meanwhile */
                cs_wheel_add(due, at);
            due = next;
        }
    }
}
