/* Colour profiles (ICC.1:2010), by liblcms2: what colours follow from is read and written anew, and nothing else goes out with
 * a copy. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

enum { HEADER = 128 };

/* The tags that colours follow from (8.3 to 8.5). */
static const cmsTagSignature KEPT[] = {
    cmsSigMediaWhitePointTag, cmsSigMediaBlackPointTag, cmsSigChromaticAdaptationTag, cmsSigRedColorantTag,
    cmsSigGreenColorantTag, cmsSigBlueColorantTag, cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag, cmsSigGrayTRCTag,
    cmsSigAToB0Tag, cmsSigAToB1Tag, cmsSigAToB2Tag, cmsSigBToA0Tag, cmsSigBToA1Tag, cmsSigBToA2Tag,
};

/* What colours follow from, by its meaning: bytes that no number of a tag stands for are left behind. Returns how many tags. */
static int copy_tags(cmsHPROFILE from, cmsHPROFILE to) {
    int count = 0;
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
        if (!cmsIsTag(from, KEPT[i])) continue;
        const void *value = cmsReadTag(from, KEPT[i]);
        if (value != NULL && cmsWriteTag(to, KEPT[i], value)) count++;
    }
    return count;
}

/* The description and the rights, which every profile has: a blank. */
static int put_texts(cmsContext context, cmsHPROFILE to) {
    cmsMLU *text = cmsMLUalloc(context, 1);
    int done = text != NULL && cmsMLUsetASCII(text, "en", "US", " ") && cmsWriteTag(to, cmsSigProfileDescriptionTag, text) &&
               cmsWriteTag(to, cmsSigCopyrightTag, text);
    cmsMLUfree(text);
    return done;
}

/* The profile in memory; NULL where it cannot be written, or takes more than twice as much as before: overlapping tags would
 * make it explode. */
static uint8_t *written(cmsHPROFILE profile, size_t limit, size_t *length) {
    cmsUInt32Number needed = 0;
    if (!cmsSaveProfileToMem(profile, NULL, &needed) || needed <= HEADER || needed > limit) return NULL;
    uint8_t *bytes = malloc(needed);
    if (bytes == NULL || !cmsSaveProfileToMem(profile, bytes, &needed)) {
        free(bytes);
        return NULL;
    }
    /* The day is the same in all, and so is what made it: neither platform nor program. */
    static const uint8_t day[12] = {7, 208, 0, 1, 0, 1};
    memcpy(bytes + 24, day, sizeof day);
    memset(bytes + 4, 0, 4);
    memset(bytes + 40, 0, 4);
    memset(bytes + 48, 0, 16);
    memset(bytes + 80, 0, HEADER - 80);
    *length = needed;
    return bytes;
}

static void clean(cmsContext context, cmsHPROFILE from, size_t length, uint8_t **out, size_t *out_length) {
    cmsHPROFILE to = cmsCreateProfilePlaceholder(context);
    if (to == NULL) return;
    cmsSetEncodedICCversion(to, cmsGetEncodedICCversion(from));
    cmsSetDeviceClass(to, cmsGetDeviceClass(from));
    cmsSetColorSpace(to, cmsGetColorSpace(from));
    cmsSetPCS(to, cmsGetPCS(from));
    cmsSetHeaderRenderingIntent(to, cmsGetHeaderRenderingIntent(from));
    enum { TEXTS = 1024 };
    size_t limit = 2 * length + TEXTS < QV_IMAGE_ICC ? 2 * length + TEXTS : QV_IMAGE_ICC;
    if (copy_tags(from, to) > 0 && put_texts(context, to)) *out = written(to, limit, out_length);
    cmsCloseProfile(to);
}

int qv_profile_clean(const uint8_t *data, size_t length, uint8_t **out, size_t *out_length) {
    *out = NULL;
    *out_length = 0;
    if (length <= HEADER || length > QV_IMAGE_ICC) return 0;
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (context == NULL) return -1;
    cmsHPROFILE from = cmsOpenProfileFromMemTHR(context, data, (cmsUInt32Number)length);
    if (from != NULL) {
        clean(context, from, length, out, out_length);
        cmsCloseProfile(from);
    }
    cmsDeleteContext(context);
    return 0;
}
