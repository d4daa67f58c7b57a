/* A connection: its number, its state, its end by force, and its place on the wheel of deadlines. */
#include "conn/exchange.h"

/* ---- numbers: loop, generation of the slot, and slot ---- */

enum { SLOT_BITS = 24, GENERATION_BITS = 32 };

struct conn *cs_conn_find(struct loop *loop, uint64_t id) {
    uint32_t slot = (uint32_t)id & ((1u << SLOT_BITS) - 1);
    struct conn *conn = slot < loop->slots.count ? loop->slots.all[slot].conn : NULL;
    return conn && conn->id == id ? conn : NULL;
}

static bool more_slots(struct loop *loop) {
    uint32_t capacity = loop->slots.capacity ? loop->slots.capacity * 2 : 64;
    struct slot *slots = capacity <= 1u << SLOT_BITS ? realloc(loop->slots.all, capacity * sizeof *slots) : NULL;
    if (!slots)
        return false;
    loop->slots.all = slots;
    uint32_t *free_slots = realloc(loop->slots.free_slots, capacity * sizeof *free_slots);
    if (!free_slots)
        return false;
    loop->slots.free_slots = free_slots;
    loop->slots.capacity = capacity;
    return true;
}

static void number(struct conn *conn, uint32_t slot) {
    struct loop *loop = conn->loop;
    uint32_t generation = ++loop->slots.all[slot].generation;
    conn->id = (uint64_t)loop->index << 56 | (uint64_t)(generation & 0xFFFFFFFF) << SLOT_BITS | slot;
}

bool cs_slot_assign(struct conn *conn) {
    struct loop *loop = conn->loop;
    uint32_t slot;
    if (loop->slots.free_count) {
        slot = loop->slots.free_slots[--loop->slots.free_count];
    } else {
        if (loop->slots.count == loop->slots.capacity && !more_slots(loop))
            return false;
        slot = loop->slots.count++;
        loop->slots.all[slot] = (struct slot){0};
    }
    loop->slots.all[slot].conn = conn;
    number(conn, slot);
    return true;
}

struct conn *cs_slots_next(struct loop *loop, uint32_t *at) {
    while (*at < loop->slots.count) {
        struct conn *conn = loop->slots.all[(*at)++].conn;
        if (conn)
            return conn;
    }
    return NULL;
}

uint32_t cs_slots_count(const struct loop *loop) {
    return loop->slots.count;
}

bool cs_slots_are_empty(const struct loop *loop) {
    return loop->slots.free_count == loop->slots.count;
}

void cs_slots_free(struct loop *loop) {
    for (uint32_t i = 0; i < loop->slots.count; i++)
        free(loop->slots.all[i].conn);
    free(loop->slots.all);
    free(loop->slots.free_slots);
    loop->slots = (struct slots){0};
}

void cs_slot_renew(struct conn *conn) {
    number(conn, (uint32_t)conn->id & ((1u << SLOT_BITS) - 1));
}

void cs_slot_release(struct conn *conn) {
    uint32_t slot = (uint32_t)conn->id & ((1u << SLOT_BITS) - 1);
    conn->loop->slots.all[slot].conn = NULL;
    conn->loop->slots.free_slots[conn->loop->slots.free_count++] = slot;
}

/* ---- state ---- */

void cs_conn_set_state(struct conn *conn, enum cs_state state) {
    conn->state = state;
    conn->since = conn->progressed = cs_loop_now(conn->loop);
}

void cs_conn_kill(struct conn *conn) {
    if (conn->state == CS_GONE)
        return;
    cs_conn_set_state(conn, CS_GONE);
    cs_exchange_free(conn); /* its poll ends before libwebsockets closes the descriptor */
    if (conn->abort) {
        conn->abort(conn);
        return;
    }
    /* Outside of libwebsockets' own callbacks, only its event pipe makes it check its timers. */
    lws_set_timeout(conn->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
    lws_cancel_service(conn->loop->lws);
}

/* ---- the wheel ---- */

/*
 * Time. libwebsockets keeps a timer for each connection in one sorted list that is walked from its head. So with many
 * connections, each new one costs time proportional to their number. Here a coarse wheel has each connection checked
 * when something may be due, and puts it on again further on. Deadlines are late by at most a tick.
 */

void cs_wheel_start(struct loop *loop) {
    loop->wheel.ticked = cs_loop_now(loop) / loop->tick_ms;
}

void cs_wheel_remove(struct conn *conn) {
    if (!conn->wheel.link)
        return;
    *conn->wheel.link = conn->wheel.next;
    if (conn->wheel.next)
        conn->wheel.next->wheel.link = conn->wheel.link;
    conn->wheel.link = NULL;
}

void cs_wheel_add(struct conn *conn, uint64_t at_ms) {
    struct loop *loop = conn->loop;
    uint64_t tick = at_ms / loop->tick_ms + 1, soonest = loop->wheel.ticked + 1;
    if (tick < soonest)
        tick = soonest;
    if (tick >= soonest + CS_WHEEL_SLOTS)
        tick = soonest + CS_WHEEL_SLOTS - 1; /* beyond the wheel: checked early, and put on again */
    cs_wheel_remove(conn);
    struct conn **slot = &loop->wheel.slots[tick % CS_WHEEL_SLOTS];
    conn->wheel.next = *slot;
    conn->wheel.link = slot;
    if (*slot)
        (*slot)->wheel.link = &conn->wheel.next;
    *slot = conn;
}

void cs_wheel_advance(struct loop *loop, cs_wheel_check *check) {
    uint64_t now = cs_loop_now(loop), tick = now / loop->tick_ms;
    while (loop->wheel.ticked < tick) {
        struct conn *due = loop->wheel.slots[++loop->wheel.ticked % CS_WHEEL_SLOTS];
        loop->wheel.slots[loop->wheel.ticked % CS_WHEEL_SLOTS] = NULL;
        while (due) {
            struct conn *next = due->wheel.next;
            due->wheel.link = NULL;
            uint64_t at = check(due, now);
            if (!due->wheel.link) /* else it was put on the wheel meanwhile */
                cs_wheel_add(due, at);
            due = next;
        }
    }
}
