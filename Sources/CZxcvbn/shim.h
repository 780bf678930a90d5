/* Estimates of how hard a password is to guess, by the zxcvbn-c library. */
#include <zxcvbn.h>
