/* Shared by inbox.c (commands on their way to a loop) and command.c (the loop runs them). */
#ifndef CS_INBOX_H
#define CS_INBOX_H

#include "conn/exchange.h"

enum kind { SEND, ATTACH, DETACH, APPEND, CUT, CLOSE, RESPOND, RECEIVE, PEEK, ADOPT, STOP_ACCEPTING, STOP, SHED };

struct command {
    enum kind kind;
    uint16_t code; /* of CLOSE */
    uint64_t conn, topic, revision;
    chatsock_frame *frame; /* holds a reference, or NULL */
    union {
        char *reason;          /* of CLOSE; owned; NULL if there was no memory */
        struct answer *answer; /* owned */
        uint64_t ticket;
        struct {
            int file; /* the application's */
            uint64_t offset;
        } receive;
        struct {
            int fd;
            struct in6_addr address;
        } adopt;
        unsigned grace_ms;
    } with;
};

struct submission {
    struct submission *next;
    size_t count;
    bool more;      /* it corks what it appends */
    bool publishes; /* it appends to logs, or uncorks */
    struct command commands[];
};

/* Removes everything from the loop's inbox. The caller runs, discards and frees it. */
struct submission *cs_inbox_drain(struct loop *loop);
/* Subtracts the bytes of a command that leaves the inbox from the counts. */
void cs_command_uncount(struct loop *loop, const struct command *command);
/* Releases what the command holds. */
void cs_command_discard(struct command *command);

#endif
