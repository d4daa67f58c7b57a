/* The numbers of a loop's connections. A number consists of loop, generation of the slot, and slot. */
#include "server.h"

enum { SLOT_BITS = 24, GENERATION_BITS = 32 };

struct conn *cs_conn_find(struct loop *loop, uint64_t id) {
    uint32_t slot = (uint32_t)id & ((1u << SLOT_BITS) - 1);
    struct conn *conn = slot < loop->slot_count ? loop->slots[slot].conn : NULL;
    return conn && conn->id == id ? conn : NULL;
}

static bool more_slots(struct loop *loop) {
    uint32_t capacity = loop->slot_capacity ? loop->slot_capacity * 2 : 64;
    struct slot *slots = capacity <= 1u << SLOT_BITS ? realloc(loop->slots, capacity * sizeof *slots) : NULL;
    if (!slots)
        return false;
    loop->slots = slots;
    uint32_t *free_slots = realloc(loop->free_slots, capacity * sizeof *free_slots);
    if (!free_slots)
        return false;
    loop->free_slots = free_slots;
    loop->slot_capacity = capacity;
    return true;
}

static void number(struct conn *conn, uint32_t slot) {
    struct loop *loop = conn->loop;
    uint32_t generation = ++loop->slots[slot].generation;
    conn->id = (uint64_t)loop->index << 56 | (uint64_t)(generation & 0xFFFFFFFF) << SLOT_BITS | slot;
}

bool cs_slot_assign(struct conn *conn) {
    struct loop *loop = conn->loop;
    uint32_t slot;
    if (loop->free_count) {
        slot = loop->free_slots[--loop->free_count];
    } else {
        if (loop->slot_count == loop->slot_capacity && !more_slots(loop))
            return false;
        slot = loop->slot_count++;
        loop->slots[slot] = (struct slot){0};
    }
    loop->slots[slot].conn = conn;
    number(conn, slot);
    return true;
}

void cs_slot_renew(struct conn *conn) {
    number(conn, (uint32_t)conn->id & ((1u << SLOT_BITS) - 1));
}

void cs_slot_release(struct conn *conn) {
    uint32_t slot = (uint32_t)conn->id & ((1u << SLOT_BITS) - 1);
    conn->loop->slots[slot].conn = NULL;
    conn->loop->free_slots[conn->loop->free_count++] = slot;
}
