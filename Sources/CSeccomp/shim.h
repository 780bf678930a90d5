/* System calls that a program may make, by the libseccomp library. */
#include <seccomp.h>
