// What the kernels of this directory are written in: CUDA C as clang takes it
// without a toolkit, and the same text as C++ for the host.
//
// A KERNEL is run on the host thread by thread. The body of a COOPERATIVE one,
// whose threads exchange values, is under #if DEVICE, with a plain reference
// for the whole grid in its place on the host.
#pragma once

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;

// The grid and the block are numbers of threads along x, or DIM(x, y, z), and
// words is the length of the output.
//
// Every kernel reads the same INPUT_WORDS random words. IN(j) is the j-th of
// the eight that a thread calls its own.
#define INPUT_WORDS 1024
#define IN(j) in[(GID * 8 + (j)) % INPUT_WORDS]
#define GID (BX * NX + TX)

#ifdef __CUDA__

#define DEVICE 1
#define FN __attribute__((device)) static inline
#define NOINLINE __attribute__((device, noinline)) static
#define GLOBAL __attribute__((device))
#define CONSTANT __attribute__((constant))
#define METHOD __attribute__((device))
#define SHARED __attribute__((shared)) static
#define TX __nvvm_read_ptx_sreg_tid_x()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define GX __nvvm_read_ptx_sreg_nctaid_x()

#define KERNEL(name, grid, block, words) \
  extern "C" __attribute__((global)) void name(const u32 *in, u32 *out)
#define COOPERATIVE(name, grid, block, words) KERNEL(name, grid, block, words)
#define KERNEL_TAKING(name, grid, block, words, type, ...) \
  extern "C" __attribute__((global)) void name(const u32 *in, u32 *out, type arg)

#else

#define DEVICE 0
#define FN static inline
#define NOINLINE __attribute__((noinline)) static
#define GLOBAL static
#define CONSTANT static const
#define METHOD
#include "host.h"

#endif

// clang makes loops of the source's own in place of straight-line code.
#define NO_UNROLL _Pragma("clang loop unroll(disable)")

FN u64 join(u32 high, u32 low) { return (u64)high << 32 | low; }
FN void put64(u32 *o, u64 v) {
  o[0] = (u32)v;
  o[1] = (u32)(v >> 32);
}
// nonzero makes a divisor of v.
FN u64 nonzero(u64 v) { return v ? v : 1; }
