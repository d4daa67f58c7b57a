#pragma once
#include <libpq-fe.h>

/* Fields of an error or a notice. The text belongs to the result; NULL if it has no such field. */
static inline const char *_Nullable cpostgres_state(const PGresult *_Nullable result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *_Nullable cpostgres_severity(const PGresult *_Nullable result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}

static inline const char *_Nullable cpostgres_message(const PGresult *_Nullable result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}
