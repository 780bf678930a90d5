/* Lists of system calls that a program may make. */
#ifndef QV_CALLS_H
#define QV_CALLS_H

#include <linux/filter.h>

/* What a program is to do: compute on memory; start another program that reads files, and does that; be a shell command that
 * asks for prices. */
enum qv_calls { QV_CALLS_COMPUTING, QV_CALLS_RENDERING, QV_CALLS_FEEDING };

/* Makes the filter for this process, or one that it forks. Returns 0, or -1 where there is none. */
int qv_calls_compile(enum qv_calls calls, struct sock_fprog *program);
/* Confines this process for good; takes no memory and no lock. Returns 0, or -1 with errno. */
int qv_calls_restrict(const struct sock_fprog *program);
void qv_calls_free(struct sock_fprog *program);

#endif
