/*
 * CLine: a line that a person edits at a terminal, by libedit. The library is loaded when a line is asked for: a command
 * that asks for nothing starts without it. Nothing that was typed is kept as history.
 */
#ifndef QUICKVAULT_LINE_H
#define QUICKVAULT_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* How a line ended. */
enum qv_line_end {
    /* Enter was pressed. */
    QV_LINE_ENTERED,
    /* The up arrow was pressed, where it means the question before. */
    QV_LINE_BACK,
    /* Ctrl-D was pressed on an empty line, or the terminal is gone. */
    QV_LINE_ENDED,
    /* A signal ended it. */
    QV_LINE_INTERRUPTED,
    /* The library is not there, or the terminal cannot do it: nothing was read. */
    QV_LINE_IMPOSSIBLE,
};

/* A line that is being edited. */
struct qv_line;

struct qv_line_question {
    /* A terminal, open for reading and writing, and once more for what is typed: a read there does not wait (O_NONBLOCK). */
    int terminal, input;
    /* UTF-8; the text stands in the line at the start. */
    const char *prompt, *text;
    /* True if the up arrow ends the line. */
    bool takes_back;
    /* Called at Tab with the text before the cursor, in UTF-8; NULL if nothing is completed. Returns whether it knew more. */
    bool (*complete)(void *context, struct qv_line *line, const char *before, size_t count);
    /* Returns whether a signal came that ends the line. */
    bool (*is_interrupted)(void);
    /* Returns a number that grows when the process was stopped and goes on. */
    int (*continued)(void);
    void *context;
};

/* Returns whether the library is there, and a locale of UTF-8. */
bool qv_line_is_possible(void);

/* Edits a line. `*line` gets the text without its newline, in memory that `free` gives back, also where the up arrow ended it;
 * bytes that are no UTF-8 stay as they are. */
enum qv_line_end qv_line_edit(const struct qv_line_question *question, char **line);

/* Puts UTF-8 behind the cursor, in `complete`. */
void qv_line_insert(struct qv_line *line, const char *text);
/* Takes so many characters before the cursor away, in `complete`. */
void qv_line_delete(struct qv_line *line, size_t count);
/* Writes lines below, in `complete`; the line is drawn anew behind them. */
void qv_line_show(struct qv_line *line, const char *text);

#endif
