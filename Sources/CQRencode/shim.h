/* QR codes, by the libqrencode library. */
#include <qrencode.h>
