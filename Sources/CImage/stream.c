#include "internal.h"

#include <string.h>

int qv_input_read(const qv_input *input, size_t place, uint8_t *out, size_t count) {
    if (count == 0) return 0;
    if (input->bytes == NULL) return input->read(input->context, place, out, count);
    memcpy(out, input->bytes + place, count);
    return 0;
}

long qv_reader_next(qv_reader *reader, const uint8_t **bytes) {
    size_t left = reader->input->length - reader->place;
    size_t count = reader->input->bytes != NULL || left < QV_PIECE ? left : QV_PIECE;
    *bytes = reader->input->bytes != NULL ? reader->input->bytes + reader->place : reader->piece;
    if (count > 0 && *bytes == reader->piece && qv_input_read(reader->input, reader->place, reader->piece, count) != 0)
        return -1;
    reader->place += count;
    return (long)count;
}

void qv_reader_skip(qv_reader *reader, size_t count) {
    size_t left = reader->input->length - reader->place;
    reader->place += count < left ? count : left;
}

int qv_writer_flush(qv_writer *writer) {
    size_t count = writer->count;
    writer->count = 0;
    return count == 0 ? 0 : writer->output->write(writer->output->context, writer->piece, count);
}

int qv_writer_add(qv_writer *writer, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        size_t part = QV_PIECE - writer->count < count ? QV_PIECE - writer->count : count;
        memcpy(writer->piece + writer->count, bytes, part);
        writer->count += part;
        bytes += part;
        count -= part;
        if (writer->count == QV_PIECE && qv_writer_flush(writer) != 0) return -1;
    }
    return 0;
}
