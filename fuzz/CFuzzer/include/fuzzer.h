/* The entry of libFuzzer, which comes with the toolchain (-sanitize=fuzzer). */
#ifndef QUICKVAULT_FUZZER_H
#define QUICKVAULT_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
