// The host's side of kernels.h: a table of the kernels, each a function that
// is called for every thread, or once for the grid.
#include <cstdlib>
#include <vector>

static u32 TX, BX, NX, GX; // the thread that runs

struct dim {
  u32 x, y, z;
  dim(u32 x, u32 y = 1, u32 z = 1) : x(x), y(y), z(z) {}
};
#define DIM(x, y, z) dim(x, y, z)

struct test_case {
  const char *name;
  dim grid, block;
  u32 words; // of output
  bool cooperative;
  void (*run)(const u32 *in, u32 *out);
  const void *argument; // what follows in and out, as bytes
  u32 argument_size;
};
static std::vector<test_case> cases;

struct registration {
  registration(test_case c) { cases.push_back(c); }
};

#define REGISTER(name, grid, block, words, cooperative)    \
  static void name(const u32 *in, u32 *out);               \
  static registration name##_registration(                 \
      test_case{#name, grid, block, words, cooperative, name, nullptr, 0}); \
  static void name([[maybe_unused]] const u32 *in, u32 *out)
#define KERNEL(name, grid, block, words) REGISTER(name, grid, block, words, false)
#define COOPERATIVE(name, grid, block, words) REGISTER(name, grid, block, words, true)
#define KERNEL_TAKING(name, grid, block, words, type, ...)                                 \
  static const type name##_argument = __VA_ARGS__;                                         \
  static void name##_body(const u32 *in, u32 *out, type arg);                              \
  static void name(const u32 *in, u32 *out) { name##_body(in, out, name##_argument); }     \
  static registration name##_registration(test_case{                                       \
      #name, grid, block, words, false, name, &name##_argument, sizeof(type)});        \
  static void name##_body([[maybe_unused]] const u32 *in, u32 *out, type arg)
