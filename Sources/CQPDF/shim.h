/* The structure of PDF files, by the qpdf library. */
#include <qpdf/qpdf-c.h>
