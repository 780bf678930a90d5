/* QR codes in pictures, by the ZXing-C++ library: Sources/qvault-decode/codes.cpp includes its headers, which are C++. */
