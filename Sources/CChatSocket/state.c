/* The state of a connection, and its end by force. */
#include "http.h"

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
