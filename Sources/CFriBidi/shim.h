/* Text that runs from right to left, by the FriBidi library. */
#include <fribidi.h>
