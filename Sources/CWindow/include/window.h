/*
 * CWindow: an HTTP server for this machine alone, by GNU libmicrohttpd, and the page that it serves. It knows requests and
 * answers, and nothing of vaults. Each connection has a thread of its own; the functions that are called back run there.
 */
#ifndef QUICKVAULT_WINDOW_H
#define QUICKVAULT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A server that runs. */
struct qv_server;
/* A request, and the answer to it. What it points to lives until the answer is given. */
struct qv_exchange;

struct qv_server_plan {
    /* 0 for any that is free. */
    uint16_t port;
    /* Connections at once, and seconds after which one that does nothing is closed. */
    unsigned connections, seconds;
    /* Bytes of all bodies at once, at most. */
    uint64_t most;
    /* Called before the body of a request is read. Whether it may be: false where it answered already. It sets how long a body
     * may be; 0 at first. */
    bool (*admits)(void *context, struct qv_exchange *exchange);
    /* Called with the whole request. It answers. */
    void (*answers)(void *context, struct qv_exchange *exchange);
    void *context;
};

/* Serves on 127.0.0.1. NULL and errno for an error. */
struct qv_server *qv_server_start(const struct qv_server_plan *plan);
uint16_t qv_server_port(const struct qv_server *server);
/* Waits for requests that are being answered, and ends. */
void qv_server_stop(struct qv_server *server);

const char *qv_exchange_method(const struct qv_exchange *exchange);
/* The path without the query, decoded; NULL where it has a NUL. */
const char *qv_exchange_path(const struct qv_exchange *exchange);
/* The path and the query as they were sent. */
const char *qv_exchange_target(const struct qv_exchange *exchange);
/* NULL where the request has none of the name, or several. */
const char *qv_exchange_header(struct qv_exchange *exchange, const char *name);
const char *qv_exchange_query(struct qv_exchange *exchange, const char *name);
/* The length that the request says its body has; UINT64_MAX where it does not say, 0 without a body. */
uint64_t qv_exchange_body_length(struct qv_exchange *exchange);
/* From now on a body may have so many bytes. A longer one ends the connection. */
void qv_exchange_allow(struct qv_exchange *exchange, uint64_t byte_count);
/* The body, as a file in memory; -1 where there is none. It is closed with the exchange. */
int qv_exchange_body(const struct qv_exchange *exchange);
/* True while the other side still listens. */
bool qv_exchange_is_open(struct qv_exchange *exchange);

/* A header of the answer. */
void qv_exchange_add(struct qv_exchange *exchange, const char *name, const char *value);
/* Answers with a copy of bytes. */
void qv_exchange_reply(struct qv_exchange *exchange, unsigned status, const void *bytes, size_t count);
/* Answers with a part of a file, whose descriptor it closes. */
void qv_exchange_reply_file(struct qv_exchange *exchange, unsigned status, int file, uint64_t offset, uint64_t length);

/* The page (product/window.md). */
const unsigned char *qv_window_page(size_t *length);

#endif
