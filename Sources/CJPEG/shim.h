/* Photographs, by the libjpeg library. */
#include <stddef.h>
#include <stdio.h>
#include <jpeglib.h>
