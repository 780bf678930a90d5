#define _GNU_SOURCE
#include "window.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct qv_server {
    struct qv_server_plan plan;
    /* Bytes of the bodies that are in memory. */
    atomic_uint_fast64_t held;
    struct MHD_Daemon *daemon;
    uint16_t port;
};

/* Headers of one answer at most. */
enum { HEADERS = 16 };

struct qv_exchange {
    struct qv_server *server;
    struct MHD_Connection *connection;
    const char *method;
    char *path, *target;
    bool is_admitted, is_answered;
    uint64_t limit, length;
    int body;
    enum MHD_Result queued;
    size_t headers;
    char *names[HEADERS], *values[HEADERS];
};

/* Finds the user to whom the other end of a connection belongs in a table of the kernel (proc(5), /proc/net/tcp); -1 where it is
 * not there. */
static long user_in(const char *table, uint16_t client, uint16_t server) {
    FILE *file = fopen(table, "re");
    if (file == NULL) return -1;
    char line[512], here[9];
    snprintf(here, sizeof here, "%08X", htonl(INADDR_LOOPBACK));
    long user = -1;
    while (user < 0 && fgets(line, sizeof line, file) != NULL) {
        char local[33], remote[33];
        unsigned from, to;
        long owner;
        if (sscanf(line, " %*d: %32[0-9A-F]:%x %32[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %ld", local, &from, remote, &to, &owner) != 5)
            continue;
        /* An address of IPv6 ends with the one of IPv4 that it stands for. */
        size_t local_length = strlen(local), remote_length = strlen(remote);
        if (local_length < 8 || remote_length < 8 || from != client || to != server) continue;
        if (strcmp(local + local_length - 8, here) == 0 && strcmp(remote + remote_length - 8, here) == 0) user = owner;
    }
    fclose(file);
    return user;
}

/* Another user of the machine gets no connection: he could hold those that there are. Who is not found may ask. */
static enum MHD_Result is_own(void *context, const struct sockaddr *address, socklen_t length) {
    struct qv_server *server = context;
    struct sockaddr_in client;
    if (length < sizeof client || address->sa_family != AF_INET) return MHD_NO;
    memcpy(&client, address, sizeof client);
    long user = user_in("/proc/net/tcp", ntohs(client.sin_port), server->port);
    if (user < 0) user = user_in("/proc/net/tcp6", ntohs(client.sin_port), server->port);
    return user <= 0 || user == (long)geteuid() ? MHD_YES : MHD_NO;
}

/* The first thing that is known of a request: its target, before it is decoded. */
static void *begun(void *context, const char *target, struct MHD_Connection *connection) {
    struct qv_exchange *exchange = calloc(1, sizeof *exchange);
    if (exchange == NULL) return NULL;
    exchange->server = context;
    exchange->connection = connection;
    exchange->body = -1;
    exchange->target = strdup(target);
    return exchange;
}

static void drop(struct qv_exchange *exchange) {
    exchange->server->held -= exchange->length;
    if (exchange->body >= 0) close(exchange->body);
    for (size_t index = 0; index < exchange->headers; index++) {
        free(exchange->names[index]);
        free(exchange->values[index]);
    }
    free(exchange->path);
    free(exchange->target);
    free(exchange);
}

static void ended(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
    (void)context, (void)connection, (void)code;
    if (*state != NULL) drop(*state);
    *state = NULL;
}

/* Writes a piece of a body; false where it is longer than it may be, or does not fit. */
static bool take(struct qv_exchange *exchange, const char *bytes, size_t count) {
    if (count > exchange->limit - exchange->length) return false;
    exchange->length += count;
    if ((exchange->server->held += count) > exchange->server->plan.most) return false;
    if (exchange->body < 0) {
        exchange->body = memfd_create("body", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        /* It may be a secret, and a command warns of secrets that others may read. */
        if (exchange->body >= 0) (void)fchmod(exchange->body, 0600);
    }
    if (exchange->body < 0) return false;
    for (size_t done = 0; done < count;) {
        ssize_t written = write(exchange->body, bytes + done, count - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += (size_t)written;
    }
    return true;
}

/* Called when the head of a request is there, then with each piece of its body, then at its end. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *piece, size_t *count, void **state) {
    (void)version, (void)connection;
    const struct qv_server *server = context;
    struct qv_exchange *exchange = *state;
    if (exchange == NULL || exchange->target == NULL) return MHD_NO;
    if (exchange->path == NULL) {
        exchange->path = strdup(url);
        exchange->method = method;
        if (exchange->path == NULL) return MHD_NO;
        exchange->is_admitted = server->plan.admits(server->plan.context, exchange);
        return exchange->is_admitted ? MHD_YES : exchange->is_answered ? exchange->queued : MHD_NO;
    }
    if (!exchange->is_admitted || exchange->is_answered) return MHD_NO;
    if (*count > 0) {
        bool is_taken = take(exchange, piece, *count);
        *count = 0;
        return is_taken ? MHD_YES : MHD_NO;
    }
    server->plan.answers(server->plan.context, exchange);
    return exchange->is_answered ? exchange->queued : MHD_NO;
}

struct qv_server *qv_server_start(const struct qv_server_plan *plan) {
    struct qv_server *server = calloc(1, sizeof *server);
    if (server == NULL) return NULL;
    server->plan = *plan;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(plan->port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    server->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, plan->port, is_own, server, handle, server,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_URI_LOG_CALLBACK, begun, server, MHD_OPTION_NOTIFY_COMPLETED, ended, NULL,
        MHD_OPTION_CONNECTION_LIMIT, plan->connections, MHD_OPTION_CONNECTION_TIMEOUT, plan->seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)1 << 16, MHD_OPTION_THREAD_STACK_SIZE, (size_t)1 << 20,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        server->daemon == NULL ? NULL : MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (info == NULL) {
        int error = errno;
        if (server->daemon != NULL) MHD_stop_daemon(server->daemon);
        free(server);
        errno = error;
        return NULL;
    }
    server->port = info->port;
    return server;
}

uint16_t qv_server_port(const struct qv_server *server) { return server->port; }

void qv_server_stop(struct qv_server *server) {
    MHD_stop_daemon(server->daemon);
    free(server);
}

const char *qv_exchange_method(const struct qv_exchange *exchange) { return exchange->method; }

const char *qv_exchange_path(const struct qv_exchange *exchange) {
    return strstr(exchange->target, "%00") == NULL ? exchange->path : NULL;
}

const char *qv_exchange_target(const struct qv_exchange *exchange) { return exchange->target; }

/* What is looked for among values with names, and how many there are. */
struct search {
    const char *name, *value;
    int count;
    bool minds_case;
};

static enum MHD_Result compare(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind;
    struct search *search = context;
    if ((search->minds_case ? strcmp : strcasecmp)(name, search->name) != 0) return MHD_YES;
    search->value = value;
    search->count++;
    return MHD_YES;
}

static const char *only(struct qv_exchange *exchange, enum MHD_ValueKind kind, const char *name) {
    struct search search = {.name = name, .minds_case = kind != MHD_HEADER_KIND};
    (void)MHD_get_connection_values(exchange->connection, kind, compare, &search);
    return search.count == 1 ? search.value : NULL;
}

const char *qv_exchange_header(struct qv_exchange *exchange, const char *name) {
    return only(exchange, MHD_HEADER_KIND, name);
}

const char *qv_exchange_query(struct qv_exchange *exchange, const char *name) {
    return only(exchange, MHD_GET_ARGUMENT_KIND, name);
}

uint64_t qv_exchange_body_length(struct qv_exchange *exchange) {
    if (only(exchange, MHD_HEADER_KIND, "Transfer-Encoding") != NULL) return UINT64_MAX;
    const char *length = only(exchange, MHD_HEADER_KIND, "Content-Length");
    uint64_t count = length == NULL ? 0 : strtoull(length, NULL, 10);
    return count == UINT64_MAX ? UINT64_MAX - 1 : count;
}

void qv_exchange_allow(struct qv_exchange *exchange, uint64_t byte_count) { exchange->limit = byte_count; }

int qv_exchange_body(const struct qv_exchange *exchange) { return exchange->body; }

bool qv_exchange_is_open(struct qv_exchange *exchange) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info == NULL) return false;
    struct pollfd item = {.fd = info->connect_fd, .events = POLLIN | POLLRDHUP};
    return poll(&item, 1, 0) >= 0 && (item.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

void qv_exchange_add(struct qv_exchange *exchange, const char *name, const char *value) {
    if (exchange->headers == HEADERS) return;
    char *copies[] = {strdup(name), strdup(value)};
    if (copies[0] == NULL || copies[1] == NULL) {
        free(copies[0]);
        free(copies[1]);
        return;
    }
    exchange->names[exchange->headers] = copies[0];
    exchange->values[exchange->headers++] = copies[1];
}

static void send_response(struct qv_exchange *exchange, unsigned status, struct MHD_Response *response) {
    exchange->is_answered = true;
    exchange->queued = MHD_NO;
    if (response == NULL) return;
    for (size_t index = 0; index < exchange->headers; index++)
        (void)MHD_add_response_header(response, exchange->names[index], exchange->values[index]);
    exchange->queued = MHD_queue_response(exchange->connection, status, response);
    MHD_destroy_response(response);
}

void qv_exchange_reply(struct qv_exchange *exchange, unsigned status, const void *bytes, size_t count) {
    /* The library does not write to what it copies. */
    send_response(exchange, status, MHD_create_response_from_buffer(count, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY));
}

void qv_exchange_reply_file(struct qv_exchange *exchange, unsigned status, int file, uint64_t offset, uint64_t length) {
    struct MHD_Response *response = MHD_create_response_from_fd_at_offset64(length, file, offset);
    if (response == NULL) close(file);
    send_response(exchange, status, response);
}
