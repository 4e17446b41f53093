package libdevice

// special are the special functions.
var special []compute

// simd are the functions of two or four integers in 32 bits.
var simd []compute
