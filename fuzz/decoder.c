/*
 * qvault-decode with sanitizers: AddressSanitizer needs more memory than its sandbox allows, and writes reports. So what reads
 * documents has nothing but the limit of time here; the renderer, another program, is confined as ever. Reports go to REPORTS.
 */
#define qv_confine qv_confine_fully
#include "../Sources/CSystem/confine.c"
#undef qv_confine

int qv_confine(const struct qv_confinement *wanted);

int qv_confine(const struct qv_confinement *wanted) {
    if (wanted->becomes_another) return qv_confine_fully(wanted);
    return limit(RLIMIT_CPU, wanted->seconds) == 0 && limit(RLIMIT_CORE, 0) == 0 ? 1 : -1;
}

/* The command starts it with an environment of its own, so the options stand here. The limit of memory is that of the sandbox. */
#define OPTIONS "log_path=" REPORTS ":exitcode=99:detect_leaks=0:allocator_may_return_null=1:soft_rss_limit_mb=3072:symbolize=0"

const char *__asan_default_options(void);
const char *__asan_default_options(void) { return OPTIONS; }
