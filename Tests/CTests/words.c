/* CWords: the catalogue, the table of pinyin and the pocket reader are whole and in order. */
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

/* Each line: a syllable of 1 to 6 letters, a blank, characters of three bytes in their order. */
static int test_pinyin(void) {
    size_t length = 0;
    const char *text = (const char *)qv_words_pinyin(&length), *end = text + length, *last = NULL;
    int count = 0;
    CHECK(length > 50000 && end[-1] == '\n');
    for (const char *line = text; line != NULL; line = next_line(line, end)) {
        const char *stop = memchr(line, '\n', (size_t)(end - line)), *blank = memchr(line, ' ', (size_t)(stop - line));
        CHECK(blank != NULL && blank > line && blank - line <= 6 && stop - blank > 3 && (stop - blank - 1) % 3 == 0);
        for (const char *at = blank + 4; at < stop; at += 3) CHECK(memcmp(at - 3, at, 3) < 0);
        if (last != NULL) CHECK(memcmp(last, line, (size_t)(blank - line) + 1) < 0);
        last = line;
        count++;
    }
    return count;
}

/* The page is whole, and small enough for a telephone. */
static void test_reader(void) {
    size_t length = 0;
    const char *text = (const char *)qv_words_reader(&length);
    static const char head[] = "<!DOCTYPE html>\n", tail[] = "</script></body></html>\n";
    CHECK(length > 100000 && length <= 150000);
    CHECK(memcmp(text, head, sizeof head - 1) == 0);
    CHECK(memcmp(text + length - (sizeof tail - 1), tail, sizeof tail - 1) == 0);
}

int main(void) {
    CHECK(test_catalogue() > 2000);
    CHECK(test_pinyin() > 400);
    test_reader();
    return check_end("words");
}
