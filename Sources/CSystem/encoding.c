#include "csystem.h"

#include <iconv.h>
#include <stdlib.h>

ssize_t qv_from_gb18030(const uint8_t *text, size_t size, uint8_t *utf8, size_t room) {
    static _Thread_local iconv_t converter;
    if (converter == NULL) {
        unsetenv("GCONV_PATH"); /* a folder of modules, whose code would run here */
        converter = iconv_open("UTF-8", "GB18030");
    }
    if (converter == (iconv_t)-1) return -1;
    iconv(converter, NULL, NULL, NULL, NULL);
    char *from = (char *)text, *to = (char *)utf8;
    size_t left = room;
    if (iconv(converter, &from, &size, &to, &left) == (size_t)-1) return -1;
    return (ssize_t)(room - left);
}
