#define _GNU_SOURCE
#include "csystem.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught_signal;

static volatile sig_atomic_t continued;

static void remember_signal(int signal_number) {
    if (signal_number == SIGCONT) {
        continued++;
    } else {
        caught_signal = signal_number;
    }
}

static void pass_over(int signal_number) { (void)signal_number; }

int qv_watch_interrupts(void) {
    /* A closed pipe and a file grown too large are errors of the call: ended by them, a save would be left half-done.
     * A handler, unlike SIG_IGN, is not passed on to a password command. */
    if (signal(SIGPIPE, pass_over) == SIG_ERR || signal(SIGXFSZ, pass_over) == SIG_ERR) return -1;
    /* An ignored SIGCHLD is inherited, and the status of a child that ended would be lost. */
    if (signal(SIGCHLD, SIG_DFL) == SIG_ERR) return -1;
    /* All signals that end a process and can be caught: each leaves the terminal and the files as they should be. */
    static const int watched[] = {
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
#ifdef __linux__
        SIGIO, SIGPWR, SIGSTKFLT,
#endif
        SIGCONT,
    };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember_signal;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        struct sigaction old;
        if (sigaction(watched[i], NULL, &old) != 0) return -1;
        /* A signal that the parent ignores (nohup) stays ignored. */
        if (old.sa_handler != SIG_IGN && sigaction(watched[i], &action, NULL) != 0) return -1;
    }
    return 0;
}

int qv_interrupted(void) { return caught_signal; }
void qv_forget_interrupt(void) { caught_signal = 0; }

int qv_continued(void) { return continued; }

void qv_die_by(int signal_number) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    _exit(128 + signal_number);
}
