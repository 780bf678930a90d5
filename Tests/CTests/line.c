/* CLine: lines that are typed at a pseudo-terminal. */
#define _GNU_SOURCE
#include "check.h"
#include "line.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <termios.h>

static int keyboard, terminal, input;
static atomic_bool is_signalled;
static atomic_int continued;
static char before_tab[64];

static bool is_interrupted(void) { return is_signalled; }
static int times_continued(void) { return continued; }

/* Shows two names behind "x", puts 三 in the place of "san", and knows nothing else. */
static bool complete(void *context, struct qv_line *line, const char *before, size_t count) {
    CHECK(context == &keyboard && strlen(before) == count && count < sizeof before_tab);
    memcpy(before_tab, before, count + 1);
    if (strcmp(before, "x") == 0) {
        qv_line_show(line, "x1\nx2\n");
        return true;
    }
    if (strcmp(before, "san") != 0) return false;
    qv_line_delete(line, 3);
    qv_line_insert(line, "三");
    return true;
}

/* All that the terminal has shown since the last call; in it `text`, or NULL. */
static const char *shown(const char *text) {
    static char screen[1 << 16];
    size_t count = 0;
    struct pollfd item = {.fd = keyboard, .events = POLLIN};
    while (poll(&item, 1, 20) > 0 && (item.revents & POLLIN) != 0 && count < sizeof screen - 1) {
        ssize_t length = read(keyboard, screen + count, sizeof screen - 1 - count);
        CHECK(length > 0);
        count += (size_t)length;
    }
    screen[count] = 0;
    return strstr(screen, text);
}

static void type(const char *keys) { CHECK(write(keyboard, keys, strlen(keys)) == (ssize_t)strlen(keys)); }

/* The line that keys make, beginning with a text. */
static enum qv_line_end edited(const char *text, const char *keys, bool takes_back, bool completes, char **line) {
    struct qv_line_question question = {
        .terminal = terminal,
        .input = input,
        .prompt = "姓名: ",
        .text = text,
        .takes_back = takes_back,
        .complete = completes ? complete : NULL,
        .is_interrupted = is_interrupted,
        .continued = times_continued,
        .context = &keyboard,
    };
    type(keys);
    return qv_line_edit(&question, line);
}

static void check(const char *text, const char *keys, const char *expected) {
    char *line = NULL;
    enum qv_line_end end = edited(text, keys, false, true, &line);
    if (end != QV_LINE_ENTERED || line == NULL || strcmp(line, expected) != 0) {
        (void)fprintf(stderr, "%s: '%s', and not '%s'\n", keys, line == NULL ? "nothing" : line, expected);
    }
    CHECK(end == QV_LINE_ENTERED && line != NULL && strcmp(line, expected) == 0);
    free(line);
}

static void test_editing(void) {
    check("", "abc\n", "abc");
    check("", "\n", "");
    check("文三", "路\n", "文三路");
    check("", "abc文三路\177\177X\n", "abc文X");
    check("", "文三路\033[D\033[D\033[3~\n", "文路");
    check("", "b\033[Ha\033OFc\n", "abc");
    check("one two", "\033[1;5D\033[1;5DX \033[1;5Cy\n", "X oney two");
    check("one two", "\027\n", "one ");
    check("one", "\025two\n", "two");
    /* Nothing is history, and the up arrow means nothing where it leads nowhere. */
    check("", "a\033[A\020b\n", "ab");
    /* Bytes that are no UTF-8 stay as they are, in the middle of a character too. */
    check("", "a\377b\344\270c\n", "a\377b\344\270c");
    CHECK(shown("姓名: ") != NULL);
    /* What is typed for the next question waits for it. */
    char *line = NULL;
    CHECK(edited("", "one\ntwo\nthree\n", false, false, &line) == QV_LINE_ENTERED && strcmp(line, "one") == 0);
    free(line);
    check("", "", "two");
    check("", "", "three");
    /* A line of any length. */
    char many[2048];
    memset(many, 'z', sizeof many);
    many[sizeof many - 2] = '\n';
    many[sizeof many - 1] = 0;
    char expected[2048];
    memcpy(expected, many, sizeof many);
    expected[sizeof many - 2] = 0;
    check("", many, expected);
    (void)shown("");
}

static void test_completion(void) {
    check("", "san\t!\n", "三!");
    check("", "文三\t\n", "文三");
    CHECK(strcmp(before_tab, "文三") == 0);
    (void)shown("");
    check("", "x\ty\n", "xy");
    CHECK(shown("x1\r\nx2\r\n") != NULL);
    char *line = NULL;
    CHECK(edited("", "a\tb\n", false, false, &line) == QV_LINE_ENTERED && strcmp(line, "ab") == 0);
    free(line);
}

static void test_ends(void) {
    char *line = NULL;
    // What was typed is given to who asks again.
    CHECK(edited("", "ab\033[A", true, false, &line) == QV_LINE_BACK && strcmp(line, "ab") == 0);
    free(line);
    line = NULL;
    CHECK(edited("", "\033OA", true, false, &line) == QV_LINE_BACK && (line == NULL || *line == 0));
    free(line);
    line = NULL;
    CHECK(edited("", "\004", true, false, &line) == QV_LINE_ENDED && line == NULL);
    is_signalled = true;
    CHECK(edited("", "ab\n", true, false, &line) == QV_LINE_INTERRUPTED && line == NULL);
    is_signalled = false;
    tcflush(terminal, TCIFLUSH);
}

/* Stops and goes on, and gets another width, while a line is typed. */
static void *disturb(void *context) {
    usleep(100000);
    struct winsize size = {.ws_row = 20, .ws_col = 30};
    CHECK(ioctl(terminal, TIOCSWINSZ, &size) == 0);
    continued++;
    usleep(400000);
    type("end\n");
    return context;
}

static void test_disturbances(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, disturb, NULL) == 0);
    char *line = NULL;
    CHECK(edited("", "begin ", false, false, &line) == QV_LINE_ENTERED && strcmp(line, "begin end") == 0);
    free(line);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* Types keys and drops them, as Ctrl-C drops what was typed before, and ends the line then. */
static void *drop(void *is_over) {
    unsigned wait = 1;
    for (int i = 0; i < 500; i++) {
        type("k");
        wait = wait * 1103515245 + 12345;
        for (volatile unsigned j = 0; j < wait >> 20; j++) {}
        CHECK(tcflush(terminal, TCIFLUSH) == 0);
    }
    is_signalled = true;
    for (int i = 0; i < 100 && !*(atomic_bool *)is_over; i++) usleep(10000);
    CHECK(*(atomic_bool *)is_over);
    return is_over;
}

/* Keys that are gone when they are read keep nobody waiting. */
static void test_keys_that_vanish(void) {
    for (int i = 0; i < 20; i++) {
        atomic_bool is_over = false;
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, drop, &is_over) == 0);
        char *line = NULL;
        CHECK(edited("", "", false, false, &line) == QV_LINE_INTERRUPTED && line == NULL);
        is_over = true;
        CHECK(pthread_join(thread, NULL) == 0);
        is_signalled = false;
        tcflush(terminal, TCIFLUSH);
    }
}

/* The terminal has its own settings again. */
static void test_settings(void) {
    struct termios before, after;
    CHECK(tcgetattr(terminal, &before) == 0);
    check("", "a\n", "a");
    CHECK(tcgetattr(terminal, &after) == 0);
    CHECK(before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag && before.c_oflag == after.c_oflag);
    CHECK(memcmp(before.c_cc, after.c_cc, sizeof before.c_cc) == 0);
}

/* Libedit keeps some bytes for each of its lines, and libtinfo for each terminal. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:wcsdup\nleak:_nc_trim_sgr0\n"; }

int main(void) {
    if (!qv_line_is_possible()) {
        puts("skipped: line, since libedit is not installed");
        return check_end("line");
    }
    CHECK(setenv("TERM", "xterm", 1) == 0);
    keyboard = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(keyboard >= 0 && grantpt(keyboard) == 0 && unlockpt(keyboard) == 0);
    terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
    input = open(ptsname(keyboard), O_RDONLY | O_NOCTTY | O_NONBLOCK);
    CHECK(input >= 0);
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    CHECK(terminal >= 0 && ioctl(terminal, TIOCSWINSZ, &size) == 0);
    /* What is typed before a question is asked is neither edited nor echoed. */
    struct termios settings;
    CHECK(tcgetattr(terminal, &settings) == 0);
    settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    CHECK(tcsetattr(terminal, TCSANOW, &settings) == 0);
    test_editing();
    test_completion();
    test_ends();
    test_settings();
    test_disturbances();
    test_keys_that_vanish();
    return check_end("line");
}
