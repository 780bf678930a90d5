/* CSystem: keys of the kernel, and text of GB 18030. */
#define _GNU_SOURCE
#include "check.h"
#include "csystem.h"

#include <linux/keyctl.h>
#include <sys/syscall.h>

static void test_keys(void) {
    char name[64], prefix[48], payload[16] = {0};
    (void)snprintf(prefix, sizeof prefix, "quickvault-tests-%d-", (int)getpid());
    (void)snprintf(name, sizeof name, "%sone", prefix);
    if (syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1) < 0) {
        check_skip("keys: this kernel, or its sandbox, has none");
        CHECK(qv_keyring_find(name) == -1 && qv_keyring_store(name, "x", 1, 9) == -1 && qv_keyring_renew(1, "x", 1, 9) == -1);
        CHECK(qv_keyring_read(1, payload, 1) == -1 && qv_keyring_drop(1) == -1 && qv_keyring_drop_all(prefix) <= 0);
        return;
    }
    CHECK(qv_keyring_find(name) == 0 && qv_keyring_drop_all(prefix) == 0);
    int key = qv_keyring_store(name, "12345", 5, 600);
    CHECK(key > 0 && qv_keyring_find(name) == key);
    CHECK(qv_keyring_read(key, payload, sizeof payload) == 5 && memcmp(payload, "12345", 5) == 0);
    char facts[128] = {0};
    CHECK(syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, facts, sizeof facts - 1) > 0 && strstr(facts, ";3f3f0000;") != NULL);
    CHECK(qv_keyring_renew(key, "67", 2, 600) == 0 && qv_keyring_read(key, payload, 1) == 2);
    CHECK(qv_keyring_store(name, "8", 1, 600) == key && qv_keyring_read(key, payload, sizeof payload) == 1 && payload[0] == '8');
    CHECK(qv_keyring_drop(key) == 0 && qv_keyring_find(name) == 0);
    CHECK(qv_keyring_read(key, payload, 1) == -1 && qv_keyring_renew(key, "x", 1, 600) == -1);
    /* No key has that number. */
    CHECK(qv_keyring_drop(0x7ffffff0) == -1);
    for (char last = 'a'; last <= 'c'; last++) {
        (void)snprintf(name, sizeof name, "%s%s%c", last == 'c' ? "other-" : "", prefix, last);
        CHECK(qv_keyring_store(name, "x", 1, 600) > 0);
    }
    CHECK(qv_keyring_drop_all(prefix) == 2 && qv_keyring_find(name) > 0 && qv_keyring_drop_all(name) == 1);
}

/* Text, its bytes in UTF-8 by the tables of GB 18030-2005; NULL where it is none. */
static const struct {
    const char *text, *wanted;
} texts[] = {
    {"", ""},
    {"plain 1", "plain 1"},
    {"\xD6\xD0\xB9\xFA", "\xE4\xB8\xAD\xE5\x9B\xBD"},
    {"a\xB0\xA1z", "a\xE5\x95\x8Az"},
    {"\x81\x30\x81\x30", "\xC2\x80"},
    {"\x84\x31\xA4\x37", "\xEF\xBF\xBD"},
    {"\x90\x30\x81\x30", "\xF0\x90\x80\x80"},
    {"\xFF", NULL},
    {"ab\xD6", NULL},
    {"\x81\x30\x81", NULL},
    {"\xD6\x20", NULL},
};

static void test_gb18030(void) {
    /* A folder of modules from outside is passed over. */
    CHECK(setenv("GCONV_PATH", "/there is none", 1) == 0);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            size_t size = strlen(texts[i].text);
            uint8_t *text = malloc(size + 1), utf8[64];
            CHECK(text != NULL);
            memcpy(text + 1, texts[i].text, size);
            ssize_t length = qv_from_gb18030(text + 1, size, utf8, sizeof utf8);
            if (texts[i].wanted == NULL) {
                CHECK(length == -1);
            } else {
                size_t wanted = strlen(texts[i].wanted);
                CHECK(length == (ssize_t)wanted && memcmp(utf8, texts[i].wanted, wanted) == 0);
                /* Just room enough, and one byte too little. */
                CHECK(qv_from_gb18030(text + 1, size, utf8, wanted) == (ssize_t)wanted);
                if (wanted > 0) CHECK(qv_from_gb18030(text + 1, size, utf8, wanted - 1) == -1);
            }
            free(text);
        }
    }
    CHECK(getenv("GCONV_PATH") == NULL);
}

static void test_fits(void) {
    CHECK(qv_fits("*.o", "a.o") == 1 && qv_fits("*.o", ".o") == 1 && qv_fits("*.o", "a.c") == 0);
    CHECK(qv_fits("[!a]?", "bc") == 1 && qv_fits("[!a]?", "ac") == 0 && qv_fits("\\*", "*") == 1 && qv_fits("\\*", "a") == 0);
    CHECK(qv_fits("", "") == 1 && qv_fits("", "a") == 0 && qv_fits("[a", "[a") == 1);
    /* A character of three bytes, and bytes that are none: bytes are compared. */
    CHECK(qv_fits("???", "\xe6\x96\x87") == 1 && qv_fits("*", "\xff\xfe") == 1 && qv_fits("\xff", "\xff") == 1);
}

int main(void) {
    test_keys();
    test_gb18030();
    test_fits();
    return check_end("system_keys");
}
