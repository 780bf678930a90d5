#ifndef QUICKVAULT_LANDLOCK_H
#define QUICKVAULT_LANDLOCK_H

#include <stddef.h>

/* The version of Landlock that this kernel has; 0 for none. */
int qv_landlock_version(void);
/* Rules that let a process read and execute these files and folders. A descriptor, or -1 where the kernel has none. */
int qv_landlock_rules(const char *const readable[], size_t count);
/* Lets a process read and write devices as well. */
void qv_landlock_allow_devices(int rules);
/* This process and those that it starts keep to the rules from now on; 0, or -1. */
int qv_landlock_restrict(int rules);

#endif
