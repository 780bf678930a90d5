/* CWords: the catalogue is whole, and its entries are in order. */
#include "check.h"
#include "words.h"

/* The start of the line after this one; NULL behind the last. */
static const char *next_line(const char *line, const char *end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    return stop == NULL || stop + 1 == end ? NULL : stop + 1;
}

static int test_catalogue(void) {
    size_t length = 0;
    const char *text = (const char *)qv_words_zh(&length), *end = text + length;
    CHECK(length > 100000 && end[-1] == '\n');
    CHECK(strncmp(text, "msgid \"\"\n", 9) == 0);
    static const char mark[] = "msgid \"";
    const char *last = NULL;
    size_t last_length = 0;
    int count = 0;
    for (const char *line = text; line != NULL; line = next_line(line, end)) {
        if (strncmp(line, mark, sizeof mark - 1) != 0) continue;
        const char *id = line + sizeof mark - 1, *stop = memchr(id, '\n', (size_t)(end - id));
        size_t size = (size_t)(stop - id) - 1;
        CHECK(stop[-1] == '"' && strncmp(stop + 1, "msgstr \"", 8) == 0);
        if (last != NULL) {
            int order = memcmp(last, id, last_length < size ? last_length : size);
            CHECK(order < 0 || (order == 0 && last_length < size));
        }
        last = id;
        last_length = size;
        count++;
    }
    return count;
}

int main(void) {
    CHECK(test_catalogue() > 2000);
    return check_end("words");
}
