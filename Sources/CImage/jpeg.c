#include "jpeg_internal.h"

#include <stdlib.h>
#include <string.h>

#include <jerror.h>

void qv_jpeg_leave(j_common_ptr info, enum qv_image_status status) {
    qv_jpeg_errors *errors = (qv_jpeg_errors *)info->err;
    errors->status = status;
    longjmp(errors->end, 1);
}

static _Noreturn void on_error(j_common_ptr info) {
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    qv_image_say(((qv_jpeg_errors *)info->err)->message, text);
    switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY: qv_jpeg_leave(info, QV_IMAGE_NO_MEMORY);
    case JERR_NO_BACKING_STORE: qv_jpeg_leave(info, QV_IMAGE_TOO_LARGE);
    case JERR_BAD_PRECISION: qv_jpeg_leave(info, QV_IMAGE_UNSUPPORTED);
    default: qv_jpeg_leave(info, QV_IMAGE_CORRUPT);
    }
}

/* The first warning is remembered; what is cut short decodes with one. */
static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    if (info->err->num_warnings++ > 0) return;
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    qv_image_say(((qv_jpeg_errors *)info->err)->message, text);
}

static void on_progress(j_common_ptr info) {
    struct jpeg_decompress_struct *reader = (struct jpeg_decompress_struct *)info;
    if (info->is_decompressor && reader->input_scan_number > QV_IMAGE_SCANS) qv_jpeg_leave(info, QV_IMAGE_TOO_LARGE);
}

void qv_jpeg_set_errors(qv_jpeg_errors *errors, char *message) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = on_error;
    errors->base.emit_message = on_message;
    errors->status = QV_IMAGE_DONE;
    errors->message = message;
}

static void on_source(j_decompress_ptr info) { (void)info; }

/* A truncated picture ends with a warning. */
static boolean fill(j_decompress_ptr info) {
    static const uint8_t end[] = {0xFF, JPEG_EOI};
    qv_jpeg_source *source = (qv_jpeg_source *)info->src;
    long count = qv_reader_next(&source->reader, &source->base.next_input_byte);
    if (count < 0) qv_jpeg_leave((j_common_ptr)info, QV_IMAGE_STOPPED);
    if (count == 0) {
        WARNMS(info, JWRN_JPEG_EOF);
        source->base.next_input_byte = end;
        count = sizeof end;
    }
    source->base.bytes_in_buffer = (size_t)count;
    return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    qv_jpeg_source *source = (qv_jpeg_source *)info->src;
    size_t left = source->base.bytes_in_buffer, here = (size_t)count < left ? (size_t)count : left;
    source->base.next_input_byte += here;
    source->base.bytes_in_buffer -= here;
    qv_reader_skip(&source->reader, (size_t)count - here);
}

void qv_jpeg_open(struct jpeg_decompress_struct *info, qv_jpeg_source *source, const qv_input *input) {
    info->mem->max_memory_to_use = QV_IMAGE_MEMORY;
    source->progress.progress_monitor = on_progress;
    info->progress = &source->progress;
    source->reader.input = input;
    source->base.init_source = source->base.term_source = on_source;
    source->base.fill_input_buffer = fill;
    source->base.skip_input_data = skip;
    source->base.resync_to_restart = jpeg_resync_to_restart;
    info->src = &source->base;
    jpeg_save_markers(info, JPEG_APP0 + 1, 0xFFFF);
}

void qv_jpeg_read_header(struct jpeg_decompress_struct *info) {
    jpeg_read_header(info, TRUE);
    if (info->image_width > QV_IMAGE_SIDE || info->image_height > QV_IMAGE_SIDE ||
        (uint64_t)info->image_width * info->image_height > QV_IMAGE_PIXELS)
        qv_jpeg_leave((j_common_ptr)info, QV_IMAGE_TOO_LARGE);
}

int qv_jpeg_orientation(const struct jpeg_decompress_struct *info) {
    for (jpeg_saved_marker_ptr marker = info->marker_list; marker != NULL; marker = marker->next) {
        if (marker->marker == JPEG_APP0 + 1 && marker->data_length > 6 && memcmp(marker->data, "Exif\0\0", 6) == 0) {
            return qv_exif_orientation(marker->data + 6, marker->data_length - 6);
        }
    }
    return 1;
}

int qv_jpeg_is_ink(const struct jpeg_decompress_struct *info, int component) {
    int is_inverted = info->saw_Adobe_marker;
    switch (info->jpeg_color_space) {
    case JCS_CMYK: return !is_inverted;
    /* Y, Cb and Cr are those of 255 - C, 255 - M and 255 - Y. */
    case JCS_YCCK: return component == 3 ? !is_inverted : is_inverted;
    default: return 0;
    }
}

typedef struct {
    struct jpeg_decompress_struct info;
    qv_jpeg_errors errors;
    qv_jpeg_source source;
    qv_shrinker shrinker;
    uint8_t *row, *rgb;
    uint8_t *profile;
} reader;

/* Colours without ink of their own: Adobe's programs store CMYK inverted, and nearly all CMYK in JPEG is theirs. */
static void from_cmyk(const uint8_t *in, uint8_t *out, uint32_t count, int is_inverted) {
    for (uint32_t x = 0; x < count; x++, in += 4, out += 3) {
        for (int c = 0; c < 3; c++) {
            int ink = is_inverted ? in[c] : 255 - in[c], key = is_inverted ? in[3] : 255 - in[3];
            out[c] = (uint8_t)(ink * key / 255);
        }
    }
}

/* The smallest size that the decoder gives by itself and that is no smaller than what is wanted. */
static void set_scale(struct jpeg_decompress_struct *info, uint32_t width, uint32_t height) {
    info->scale_denom = 8;
    for (info->scale_num = 1; info->scale_num < 8; info->scale_num++) {
        uint64_t wide = (uint64_t)info->image_width * info->scale_num / 8;
        uint64_t high = (uint64_t)info->image_height * info->scale_num / 8;
        if (wide >= width || high >= height) break;
    }
}

/* Reads the whole picture, or with `facts` only what it says of itself. */
static void read_all(
    reader *r, const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, qv_image_facts *facts) {
    struct jpeg_decompress_struct *info = &r->info;
    jpeg_create_decompress(info);
    qv_jpeg_open(info, &r->source, input);
    if (out != NULL) jpeg_save_markers(info, JPEG_APP0 + 2, 0xFFFF);
    qv_jpeg_read_header(info);
    if (facts != NULL) {
        *facts = (qv_image_facts){info->image_width, info->image_height, qv_jpeg_orientation(info), 0};
        return;
    }
    int turn = qv_jpeg_orientation(info);
    if (turn > 4) {
        uint32_t other = width;
        width = height;
        height = other;
    }
    unsigned int profile_length = 0;
    long warnings = info->err->num_warnings;
    if (jpeg_read_icc_profile(info, &r->profile, &profile_length) &&
        qv_keep_profile(r->profile, profile_length, out) != 0)
        qv_jpeg_leave((j_common_ptr)info, QV_IMAGE_NO_MEMORY);
    info->err->num_warnings = warnings; /* a profile that is none costs no pixel */
    set_scale(info, width, height);
    int is_cmyk = info->num_components == 4;
    info->out_color_space = is_cmyk ? JCS_CMYK : info->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(info);
    r->row = malloc((size_t)info->output_width * (size_t)info->output_components);
    r->rgb = malloc((size_t)info->output_width * 3);
    if (r->row == NULL || r->rgb == NULL ||
        qv_shrinker_start(&r->shrinker, info->output_width, info->output_height, width, height) != 0)
        qv_jpeg_leave((j_common_ptr)info, QV_IMAGE_NO_MEMORY);
    while (info->output_scanline < info->output_height) {
        jpeg_read_scanlines(info, &r->row, 1);
        if (is_cmyk) {
            from_cmyk(r->row, r->rgb, info->output_width, info->saw_Adobe_marker);
        } else if (info->output_components == 1) {
            for (uint32_t x = 0; x < info->output_width; x++) memset(r->rgb + 3 * x, r->row[x], 3);
        }
        qv_shrinker_take(&r->shrinker, is_cmyk || info->output_components == 1 ? r->rgb : r->row);
    }
    jpeg_finish_decompress(info);
    if (r->errors.base.num_warnings > 0) qv_jpeg_leave((j_common_ptr)info, QV_IMAGE_CORRUPT);
    double scale = (double)r->shrinker.out_width / info->image_width;
    if (info->saw_JFIF_marker && info->density_unit > 0 && info->X_density == info->Y_density)
        out->dpi = info->X_density * (info->density_unit == 2 ? 2.54 : 1) * scale;
    if (qv_shrinker_finish(&r->shrinker, turn, out) != 0) qv_jpeg_leave((j_common_ptr)info, QV_IMAGE_NO_MEMORY);
}

static enum qv_image_status run(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, qv_image_facts *facts, char *message) {
    reader *r = calloc(1, sizeof *r);
    if (r == NULL) return QV_IMAGE_NO_MEMORY;
    qv_jpeg_set_errors(&r->errors, message);
    r->info.err = &r->errors.base;
    if (setjmp(r->errors.end) == 0) read_all(r, input, width, height, out, facts);
    enum qv_image_status status = r->errors.status;
    qv_shrinker_end(&r->shrinker);
    if (r->row != NULL) qv_image_free(r->row, (size_t)r->info.output_width * (size_t)r->info.output_components);
    if (r->rgb != NULL) qv_image_free(r->rgb, (size_t)r->info.output_width * 3);
    free(r->profile);
    jpeg_destroy_decompress(&r->info);
    qv_image_free((uint8_t *)r, sizeof *r);
    return status;
}

enum qv_image_status qv_jpeg_read(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, char *message) {
    return run(input, width, height, out, NULL, message);
}

enum qv_image_status qv_jpeg_look(const qv_input *input, qv_image_facts *facts, char *message) {
    return run(input, 0, 0, NULL, facts, message);
}

typedef struct {
    struct jpeg_compress_struct info;
    qv_jpeg_errors errors;
    unsigned char *data;
    unsigned long length;
} writer;

static void write_all(writer *w, const qv_pixels *pixels, int quality) {
    struct jpeg_compress_struct *info = &w->info;
    jpeg_create_compress(info);
    jpeg_mem_dest(info, &w->data, &w->length);
    info->image_width = pixels->width;
    info->image_height = pixels->height;
    info->input_components = 3;
    info->in_color_space = JCS_RGB;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, quality, TRUE);
    info->optimize_coding = TRUE;
    if (pixels->dpi >= 1 && pixels->dpi <= 10000) {
        info->density_unit = 1;
        info->X_density = info->Y_density = (UINT16)(pixels->dpi + 0.5);
    }
    jpeg_start_compress(info, TRUE);
    if (pixels->profile != NULL) jpeg_write_icc_profile(info, pixels->profile, (unsigned int)pixels->profile_length);
    while (info->next_scanline < info->image_height) {
        uint8_t *row = pixels->bytes + (size_t)info->next_scanline * pixels->width * 3;
        jpeg_write_scanlines(info, &row, 1);
    }
    jpeg_finish_compress(info);
}

enum qv_image_status qv_jpeg_write(
    const qv_pixels *pixels, int quality, uint8_t **data, size_t *length, char *message) {
    *data = NULL;
    *length = 0;
    message[0] = 0;
    writer *w = calloc(1, sizeof *w);
    if (w == NULL) return QV_IMAGE_NO_MEMORY;
    qv_jpeg_set_errors(&w->errors, message);
    w->info.err = &w->errors.base;
    if (setjmp(w->errors.end) == 0) write_all(w, pixels, quality);
    enum qv_image_status status = w->errors.status;
    jpeg_destroy_compress(&w->info);
    if (status == QV_IMAGE_DONE) {
        *data = w->data;
        *length = w->length;
    } else {
        qv_image_free(w->data, w->length);
    }
    free(w);
    return status;
}
