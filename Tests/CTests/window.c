/* CWindow: requests as bytes on a connection, and the answers. */
#define _GNU_SOURCE
#include "check.h"
#include "window.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 100000 };
static uint16_t port;
static atomic_int admitted, answered, was_open;
static char seen_body[ROOM + 1];

/* Refuses /no before its body is read, gives no answer to /nothing, and lets others have a body. */
static bool admits(void *context, struct qv_exchange *exchange) {
    CHECK(context == &port);
    admitted++;
    qv_exchange_add(exchange, "X-Who", "me");
    const char *path = qv_exchange_path(exchange);
    if (path == NULL || strcmp(path, "/no") == 0) {
        qv_exchange_reply(exchange, 403, "no", 2);
        return false;
    }
    if (strcmp(path, "/nothing") == 0) return false;
    qv_exchange_allow(exchange, ROOM);
    return true;
}

static void show(char *text, size_t room, const char *name, const char *value) {
    size_t length = strlen(text);
    (void)snprintf(text + length, room - length, "%s=%s;", name, value == NULL ? "-" : value);
}

static void answers(void *context, struct qv_exchange *exchange) {
    CHECK(context == &port);
    answered++;
    const char *path = qv_exchange_path(exchange);
    if (strcmp(path, "/file") == 0) {
        int file = memfd_create("answer", MFD_CLOEXEC);
        CHECK(write(file, "0123456789", 10) == 10);
        qv_exchange_reply_file(exchange, 200, file, 3, 4);
        return;
    }
    if (strcmp(path, "/silent") == 0) return;
    if (strcmp(path, "/wait") == 0) {
        was_open = qv_exchange_is_open(exchange) ? 1 : 0;
        for (int i = 0; i < 200 && qv_exchange_is_open(exchange); i++) usleep(10000);
        if (!qv_exchange_is_open(exchange)) was_open += 2;
    }
    for (int i = 0; i < 40; i++) qv_exchange_add(exchange, "X-Many", "1");
    int body = qv_exchange_body(exchange);
    ssize_t count = body < 0 ? 0 : pread(body, seen_body, ROOM, 0);
    seen_body[count] = 0;
    char text[1024];
    (void)snprintf(text, sizeof text, "%s %s %s %zd %lld;", qv_exchange_method(exchange), path, qv_exchange_target(exchange), count,
                   (long long)qv_exchange_body_length(exchange));
    show(text, sizeof text, "host", qv_exchange_header(exchange, "host"));
    show(text, sizeof text, "q", qv_exchange_query(exchange, "q"));
    qv_exchange_reply(exchange, 200, text, strlen(text));
}

static int dial(void) {
    int file = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    CHECK(file >= 0 && connect(file, (struct sockaddr *)&address, sizeof address) == 0);
    return file;
}

/* What is answered to bytes, until the other side ends the connection. */
static const char *asked(const char *bytes, size_t count) {
    static char text[1 << 16];
    int file = dial();
    size_t length = 0;
    for (size_t done = 0; done < count;) {
        ssize_t sent = send(file, bytes + done, count - done, MSG_NOSIGNAL);
        if (sent <= 0) break;
        done += (size_t)sent;
    }
    for (ssize_t got; length < sizeof text - 1 && (got = read(file, text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    close(file);
    return text;
}

static const char *ask(const char *request) { return asked(request, strlen(request)); }

static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

#define CLOSE "Host: h\r\nConnection: close\r\n"

static void test_requests(void) {
    const char *text = ask("GET /a%20b?q=1%202&r=3 HTTP/1.1\r\n" CLOSE "\r\n");
    CHECK(has(text, "GET /a b /a%20b?q=1%202&r=3 0 0;host=h;q=1 2;") && has(text, "X-Who: me") && has(text, "HTTP/1.1 200"));
    /* What is there twice is nobody's. */
    text = ask("GET /?q=1&q=2 HTTP/1.1\r\n" CLOSE "\r\n");
    CHECK(has(text, "q=-;"));
    CHECK(has(ask("GET /a%00b HTTP/1.1\r\n" CLOSE "\r\n"), "403"));
    CHECK(has(ask("POST /no HTTP/1.1\r\nContent-Length: 10000000000\r\n" CLOSE "\r\nxx"), "403"));
    CHECK(strcmp(ask("GET /nothing HTTP/1.1\r\n" CLOSE "\r\n"), "") == 0);
    CHECK(strcmp(ask("GET /silent HTTP/1.1\r\n" CLOSE "\r\n"), "") == 0);
    text = ask("GET /file HTTP/1.1\r\n" CLOSE "\r\n");
    CHECK(has(text, "Content-Length: 4") && strcmp(strstr(text, "\r\n\r\n") + 4, "3456") == 0);
}

static void test_bodies(void) {
    CHECK(has(ask("POST /p HTTP/1.1\r\nContent-Length: 5\r\n" CLOSE "\r\nhello"), "POST /p /p 5 5;") && strcmp(seen_body, "hello") == 0);
    const char *text = ask("POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE "\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n");
    CHECK(has(text, "POST /p /p 5 -1;") && strcmp(seen_body, "hello") == 0);
    /* Longer than it may be, in chunks that do not say so before; a broken chunk; one that never ends. */
    static char long_body[ROOM + 4000];
    int head = snprintf(long_body, sizeof long_body, "POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE "\r\n%x\r\n", ROOM + 1);
    memset(long_body + head, 'x', ROOM + 1);
    (void)snprintf(long_body + head + ROOM + 1, 100, "\r\n0\r\n\r\n");
    int before = answered;
    CHECK(!has(asked(long_body, (size_t)head + ROOM + 8), "200"));
    CHECK(!has(ask("POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE "\r\nzz\r\nhel\r\n"), "200"));
    CHECK(!has(ask("POST /p HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n" CLOSE "\r\n5\r\nhello\r\n"), "200 OK"));
    CHECK(!has(ask("GET / HTTP/1.1\r\n\r\n"), "200") && !has(ask("nonsense\r\n\r\n"), "200"));
    CHECK(answered == before);
}

/* A request is told when the other side is gone; one that sends nothing is ended after a while. */
static void test_connections(void) {
    int file = dial();
    const char *request = "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n";
    CHECK(write(file, request, strlen(request)) == (ssize_t)strlen(request));
    usleep(100000);
    close(file);
    for (int i = 0; i < 300 && was_open != 3; i++) usleep(10000);
    CHECK(was_open == 3);
    file = dial();
    char byte;
    CHECK(write(file, "GET", 3) == 3);
    CHECK(read(file, &byte, 1) <= 0);
    close(file);
}

int main(void) {
    struct qv_server_plan plan = {.port = 0, .connections = 8, .seconds = 1, .most = 2 * ROOM, .admits = admits, .answers = answers, .context = &port};
    struct qv_server *server = qv_server_start(&plan);
    CHECK(server != NULL);
    port = qv_server_port(server);
    CHECK(port != 0);
    /* A port has one server. */
    struct qv_server_plan taken = plan;
    taken.port = port;
    CHECK(qv_server_start(&taken) == NULL);
    test_requests();
    test_bodies();
    test_connections();
    size_t length = 0;
    const unsigned char *page = qv_window_page(&length);
    CHECK(length > 15 && memcmp(page, "<!DOCTYPE html>", 15) == 0);
    qv_server_stop(server);
    return check_end("window");
}
