#define _GNU_SOURCE
#include "line.h"
#include "characters.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* The functions of the library. */
static struct {
    __typeof__(&el_init_fd) init_fd;
    __typeof__(&el_end) end;
    __typeof__(&el_set) set;
    __typeof__(&el_wset) wset;
    __typeof__(&el_get) get;
    __typeof__(&el_wgets) wgets;
    __typeof__(&el_wline) wline;
    __typeof__(&el_winsertstr) winsertstr;
    __typeof__(&el_wpush) wpush;
    __typeof__(&el_deletestr) deletestr;
    __typeof__(&el_resize) resize;
} edit;

struct qv_line {
    const struct qv_line_question *question;
    EditLine *library;
    wchar_t *prompt;
    FILE *out;
    struct winsize size;
    int continued;
    /* What was read of a character so far. */
    char bytes[MB_LEN_MAX];
    size_t byte_count;
    enum qv_line_end end;
    bool was_shown;
};

enum {
    /* Milliseconds between two looks at the size of the terminal. */
    LOOK_TIME = 200,
};

bool qv_line_is_possible(void) {
    static void *library;
    if (library != NULL) return true;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8 == (locale_t)0) return false;
    freelocale(utf8);
    library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return false;
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"el_init_fd", &edit.init_fd},       {"el_end", &edit.end},         {"el_set", &edit.set},
        {"el_wset", &edit.wset},             {"el_get", &edit.get},         {"el_wgets", &edit.wgets},
        {"el_wline", &edit.wline},           {"el_winsertstr", &edit.winsertstr},
        {"el_wpush", &edit.wpush},
        {"el_deletestr", &edit.deletestr}, {"el_resize", &edit.resize},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL) {
            dlclose(library);
            library = NULL;
            return false;
        }
        memcpy(functions[i].place, &function, sizeof function);
    }
    return true;
}

static struct qv_line *of(EditLine *library) {
    struct qv_line *line = NULL;
    edit.get(library, EL_CLIENTDATA, &line);
    return line;
}

static wchar_t *prompt(EditLine *library) { return of(library)->prompt; }

/* False where another process of the same terminal has it. */
static bool is_foreground(int terminal) {
    pid_t group = tcgetpgrp(terminal);
    return group == -1 || group == getpgrp();
}

/* One byte of the terminal: 1, or 0 at its end, or -1 at a signal. */
static int read_byte(struct qv_line *line, unsigned char *byte) {
    const struct qv_line_question *question = line->question;
    for (;;) {
        if (question->is_interrupted()) {
            line->end = QV_LINE_INTERRUPTED;
            return -1;
        }
        /* In the background the terminal is another's. */
        if (question->continued() != line->continued && is_foreground(question->terminal)) {
            /* The shell has switched its own settings on. */
            line->continued = question->continued();
            edit.set(line->library, EL_PREP_TERM, 1);
            edit.set(line->library, EL_REFRESH);
        }
        struct winsize size;
        bool has_size = ioctl(question->terminal, TIOCGWINSZ, &size) == 0;
        if (has_size && (size.ws_col != line->size.ws_col || size.ws_row != line->size.ws_row)) {
            line->size = size;
            edit.resize(line->library);
        }
        struct pollfd item = {.fd = question->input, .events = POLLIN};
        int count = poll(&item, 1, LOOK_TIME);
        if (count <= 0) continue;
        ssize_t length = read(question->input, byte, 1);
        if (length == 1) return 1;
        /* Ctrl-C drops what was typed, also what poll has seen. */
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        return 0;
    }
}

/* One character, for the library: 1, or 0 and -1 as `read` has them. */
static int read_character(EditLine *library, wchar_t *character) {
    struct qv_line *line = of(library);
    for (;;) {
        mbstate_t state = {0};
        size_t taken = line->byte_count == 0 ? (size_t)-2 : mbrtowc(character, line->bytes, line->byte_count, &state);
        if (taken != (size_t)-2) {
            if (taken == (size_t)-1) *character = STRAY_BYTE + (unsigned char)line->bytes[0];
            if (taken == 0 || taken == (size_t)-1) taken = 1;
            line->byte_count -= taken;
            memmove(line->bytes, line->bytes + taken, line->byte_count);
            return 1;
        }
        unsigned char byte;
        int count = read_byte(line, &byte);
        if (count <= 0) return count;
        line->bytes[line->byte_count++] = (char)byte;
    }
}

static unsigned char go_back(EditLine *library, int key) {
    (void)key;
    struct qv_line *line = of(library);
    if (!line->question->takes_back) return CC_ERROR;
    line->end = QV_LINE_BACK;
    return CC_NEWLINE;
}

static unsigned char complete(EditLine *library, int key) {
    (void)key;
    struct qv_line *line = of(library);
    const struct qv_line_question *question = line->question;
    if (question->complete == NULL) return CC_ERROR;
    const LineInfoW *info = edit.wline(library);
    char *before = qv_narrowed(info->buffer, (size_t)(info->cursor - info->buffer));
    if (before == NULL) return CC_ERROR;
    line->was_shown = false;
    bool has_more = question->complete(question->context, line, before, strlen(before));
    free(before);
    return line->was_shown ? CC_REDISPLAY : has_more ? CC_REFRESH : CC_ERROR;
}

void qv_line_insert(struct qv_line *line, const char *text) {
    wchar_t *wide = qv_widened(text);
    if (wide != NULL) edit.winsertstr(line->library, wide);
    free(wide);
}

void qv_line_delete(struct qv_line *line, size_t count) { edit.deletestr(line->library, (int)count); }

void qv_line_show(struct qv_line *line, const char *text) {
    fprintf(line->out, "\n%s", text);
    fflush(line->out);
    line->was_shown = true;
}

/* Keys that terminals send and the library does not bind, or not so. */
static void bind(EditLine *library) {
    static const char *const keys[][2] = {
        {"\t", "qv-complete"},
        {"\033[A", "qv-back"},
        {"\033OA", "qv-back"},
        {"\020", "qv-back"},
        {"\033[H", "ed-move-to-beg"},
        {"\033OH", "ed-move-to-beg"},
        {"\033[1~", "ed-move-to-beg"},
        {"\033[7~", "ed-move-to-beg"},
        {"\033[F", "ed-move-to-end"},
        {"\033OF", "ed-move-to-end"},
        {"\033[4~", "ed-move-to-end"},
        {"\033[8~", "ed-move-to-end"},
        {"\033[3~", "ed-delete-next-char"},
        {"\033[1;5C", "em-next-word"},
        {"\033[1;5D", "ed-prev-word"},
        {"\033[1;3C", "em-next-word"},
        {"\033[1;3D", "ed-prev-word"},
        {"\027", "ed-delete-prev-word"},
        {"\025", "vi-kill-line-prev"},
    };
    edit.set(library, EL_ADDFN, "qv-complete", "completes what is typed", complete);
    edit.set(library, EL_ADDFN, "qv-back", "goes back to the question before", go_back);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) edit.set(library, EL_BIND, keys[i][0], keys[i][1], NULL);
}

/* Reads the line that `line` is ready for. */
static void read_line(struct qv_line *line, char **answer) {
    EditLine *library = line->library;
    const struct qv_line_question *question = line->question;
    edit.set(library, EL_CLIENTDATA, line);
    edit.wset(library, EL_PROMPT, prompt);
    edit.set(library, EL_GETCFN, read_character);
    edit.set(library, EL_EDITOR, "emacs");
    /* The library counts characters where it inserts and deletes, and not columns: wide ones would be shown in the wrong place.
     * Without these abilities it draws the rest of the line anew. */
    static const char *const abilities[] = {"ic", "IC", "im", "ei", "dc", "DC"};
    for (size_t i = 0; i < sizeof abilities / sizeof *abilities; i++) {
        edit.set(library, EL_SETTC, abilities[i], "", NULL);
    }
    bind(library);
    wchar_t *text = qv_widened(question->text);
    if (text != NULL && *text != 0) edit.wpush(library, text);
    free(text);
    /* The terminal gives single keys before the prompt is shown: keys that are typed ahead are edited too. */
    edit.set(library, EL_PREP_TERM, 1);
    int count = 0;
    const wchar_t *wide = edit.wgets(library, &count);
    if (line->end != QV_LINE_ENTERED && line->end != QV_LINE_BACK) return;
    if (wide == NULL || count <= 0) {
        if (line->end == QV_LINE_ENTERED) line->end = QV_LINE_ENDED;
        return;
    }
    size_t length = (size_t)count;
    while (length > 0 && (wide[length - 1] == L'\n' || wide[length - 1] == L'\r')) length--;
    *answer = qv_narrowed(wide, length);
}

enum qv_line_end qv_line_edit(const struct qv_line_question *question, char **answer) {
    *answer = NULL;
    if (!qv_line_is_possible()) return QV_LINE_IMPOSSIBLE;
    /* The library looks at the characters of this thread's locale. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8 == (locale_t)0) return QV_LINE_IMPOSSIBLE;
    locale_t before = uselocale(utf8);
    struct qv_line line = {.question = question, .end = QV_LINE_ENTERED, .continued = question->continued()};
    if (ioctl(question->terminal, TIOCGWINSZ, &line.size) != 0) line.size = (struct winsize){0};
    struct termios settings;
    bool is_terminal = tcgetattr(question->terminal, &settings) == 0;
    int descriptor = fcntl(question->terminal, F_DUPFD_CLOEXEC, 0);
    line.out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    line.prompt = qv_widened(question->prompt);
    if (is_terminal && line.out != NULL && line.prompt != NULL) {
        line.library = edit.init_fd("qvault", line.out, line.out, line.out, question->terminal, descriptor, descriptor);
    }
    if (line.library != NULL) {
        read_line(&line, answer);
        /* The library would drop what is typed for the next question when it sets the terminal back. */
        edit.set(line.library, EL_EDITMODE, 0);
        edit.end(line.library);
        while (tcsetattr(question->terminal, TCSADRAIN, &settings) != 0 && errno == EINTR) {}
    } else {
        line.end = QV_LINE_IMPOSSIBLE;
    }
    if (line.out != NULL) {
        fclose(line.out);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    free(line.prompt);
    uselocale(before);
    freelocale(utf8);
    return line.end;
}
