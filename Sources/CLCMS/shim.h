/* Colour profiles, by the Little CMS library. */
#include <lcms2.h>
