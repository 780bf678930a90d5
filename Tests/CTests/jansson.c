/* CJansson: a value is given back, and what is in it. */
#include "CJansson/shim.h"
#include "check.h"

static void test_free(void) {
    json_t *inner = json_string("inner"), *outer = json_array();
    CHECK(inner != NULL && outer != NULL && json_array_append(outer, inner) == 0);
    CHECK(inner->refcount == 2);
    /* Two have the outer one: with the last of them what is in it goes too. */
    CHECK(json_incref(outer) == outer && outer->refcount == 2);
    qv_json_free(outer);
    CHECK(outer->refcount == 1 && inner->refcount == 2);
    qv_json_free(outer);
    CHECK(inner->refcount == 1 && strcmp(json_string_value(inner), "inner") == 0);
    qv_json_free(inner);
    qv_json_free(NULL);
    /* Values that all share are never given back. */
    size_t before = json_true()->refcount;
    qv_json_free(json_true());
    CHECK(json_true()->refcount == before && json_is_true(json_true()));
}

/* LeakSanitizer sees what a tree of a thousand values would leave. */
static void test_tree(void) {
    char text[2001];
    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    text[2000] = 0;
    json_error_t error;
    json_t *tree = json_loads(text, 0, &error);
    CHECK(tree != NULL && json_array_size(tree) == 1);
    qv_json_free(tree);
}

int main(void) {
    test_free();
    test_tree();
    return check_end("jansson");
}
