// Data structures: arrays in local memory, tables in constant and global
// memory, structs as arguments and results, pointers into every space.
#include "kernels.h"

KERNEL(inverse_permutation, 2, 32, 64 * 16) {
  u32 p[16], inverse[16];
  for (u32 i = 0; i < 16; i++) p[i] = i;
  for (u32 i = 15; i; i--) {
    u32 j = IN(i & 7) % (i + 1), t = p[i];
    p[i] = p[j], p[j] = t;
  }
  for (u32 i = 0; i < 16; i++) inverse[p[i]] = i;
  for (u32 i = 0; i < 16; i++) out[GID * 16 + i] = inverse[i];
}

KERNEL(heap_sort, 2, 32, 64 * 8) {
  i32 heap[9];
  int n = 0;
  for (int i = 0; i < 8; i++) {
    int at = ++n;
    heap[at] = (i32)IN(i);
    for (; at > 1 && heap[at] < heap[at / 2]; at /= 2) {
      i32 t = heap[at];
      heap[at] = heap[at / 2], heap[at / 2] = t;
    }
  }
  for (int i = 0; i < 8; i++) {
    out[GID * 8 + i] = (u32)heap[1];
    i32 last = heap[n--];
    int at = 1;
    while (2 * at <= n) {
      int child = 2 * at;
      if (child < n && heap[child + 1] < heap[child]) child++;
      if (last <= heap[child]) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
  }
}

NOINLINE void quicksort(u32 *v, int low, int high) {
  if (low >= high) return;
  u32 pivot = v[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (v[i] < pivot) i++;
    while (v[j] > pivot) j--;
    if (i <= j) {
      u32 t = v[i];
      v[i++] = v[j], v[j--] = t;
    }
  }
  quicksort(v, low, j);
  quicksort(v, i, high);
}

KERNEL(quicksort_local, 2, 32, 64 * 24) {
  u32 v[24];
  for (int i = 0; i < 24; i++) v[i] = IN(i & 7) >> (i & 24) & 0xffff;
  quicksort(v, 0, 23);
  for (int i = 0; i < 24; i++) out[GID * 24 + i] = v[i];
}

FN void exchange(u32 &a, u32 &b) {
  u32 low = a < b ? a : b, high = a < b ? b : a;
  a = low, b = high;
}

KERNEL(sorting_network, 2, 64, 128 * 8) {
  u32 v[8];
  for (int i = 0; i < 8; i++) v[i] = IN(i);
  for (int width = 2; width <= 8; width *= 2)
    for (int gap = width / 2; gap; gap /= 2)
      for (int i = 0; i < 8; i++)
        if (int j = i ^ gap; j > i) {
          if (i & width)
            exchange(v[j], v[i]);
          else
            exchange(v[i], v[j]);
        }
  for (int i = 0; i < 8; i++) out[GID * 8 + i] = v[i];
}

KERNEL(union_find, 2, 32, 64) {
  u8 parent[32];
  for (int i = 0; i < 32; i++) parent[i] = (u8)i;
  u32 sets = 32;
  for (int e = 0; e < 24; e++) {
    u32 bits = IN(e & 7) >> (e >> 3) * 10, a = bits & 31, b = bits >> 5 & 31;
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    while (parent[b] != b) b = parent[b] = parent[parent[b]];
    if (a != b) parent[a] = (u8)b, sets--;
  }
  out[GID] = sets;
}

KERNEL(knapsack, 2, 32, 64) {
  u16 best[65];
  for (int c = 0; c <= 64; c++) best[c] = 0;
  for (int item = 0; item < 8; item++) {
    int weight = 1 + (IN(item) & 31), value = IN(item) >> 5 & 1023;
    for (int c = 64; c >= weight; c--)
      if (best[c - weight] + value > best[c]) best[c] = (u16)(best[c - weight] + value);
  }
  out[GID] = best[64];
}

KERNEL(sieve, 2, 32, 64 * 2) {
  u32 composite[16] = {0}, limit = 100 + IN(0) % 412, count = 0, last = 0;
  for (u32 p = 2; p < limit; p++) {
    if (composite[p >> 5] >> (p & 31) & 1) continue;
    count++, last = p;
    for (u32 m = p * p; m < limit; m += p) composite[m >> 5] |= 1u << (m & 31);
  }
  out[GID * 2] = count;
  out[GID * 2 + 1] = last;
}

CONSTANT i16 thresholds[13] = {-30000, -20000, -12345, -999, -1, 0, 1, 77, 500, 4096, 9999, 20000, 32767};

KERNEL(binary_search, 2, 64, 128 * 2) {
  i16 key = GID < 13 ? thresholds[GID] : (i16)IN(0);
  int low = 0, high = 13;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (thresholds[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  out[GID * 2] = low;
  out[GID * 2 + 1] = low < 13 && thresholds[low] == key;
}

struct inner {
  i8 small;
  double scale;
  u16 list[3];
};
struct aggregate {
  u8 first;
  inner parts[2];
  u32 *unused;
  float weight;
};

KERNEL_TAKING(struct_argument, 2, 32, 64 * 4, aggregate, {7, {{-3, 0.25, {1, 2, 3}}, {4, -8.5, {400, 500, 60000}}}, 0, 1.5f}) {
  u32 *o = out + GID * 4;
  inner picked = arg.parts[GID & 1];
  o[0] = arg.first + picked.small;
  o[1] = picked.list[GID % 3];
  o[2] = (u32)(i32)(picked.scale * 4 + arg.weight * 2);
  arg.parts[1].list[2] += (u16)GID; // a thread has an argument to itself
  o[3] = arg.parts[1].list[2];
}

struct scalars {
  i8 a;
  u16 b;
  i64 c;
  bool d;
  float e;
  i16 f;
  double g;
  u8 h;
};

FN void store_scalars(u32 *o, scalars s) {
  o[0] = (u32)(i32)s.a;
  o[1] = s.b;
  put64(o + 2, (u64)s.c);
  o[4] = s.d ? 10 : 20;
  o[5] = (u32)(i32)(s.e * 8);
  o[6] = (u32)(i32)s.f;
  o[7] = (u32)(i32)(s.g * 3) + s.h;
}

#define SCALARS {-100, 65000, -1234567890123ll, true, -2.375f, -31000, 1e6, 250}
#if DEVICE
extern "C" __attribute__((global)) void scalar_arguments(const u32 *in, u32 *out, i8 a, u16 b, i64 c, bool d, float e, i16 f, double g, u8 h) {
  store_scalars(out + GID * 8, scalars{a, b, c, d, e, f, g, h});
}
#else
KERNEL_TAKING(scalar_arguments, 1, 32, 32 * 8, scalars, SCALARS) { store_scalars(out + GID * 8, arg); }
#endif

struct pair {
  i32 quotient, remainder;
};
struct matrix {
  i32 at[2][3];
  i64 trace;
};

NOINLINE pair divide(i32 a, i32 b) { return {a / b, a % b}; }
NOINLINE matrix combine(matrix a, matrix b, i8 sign) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++) a.at[i][j] += sign * b.at[i][j];
  a.trace = (i64)a.at[0][0] * a.at[1][1];
  return a;
}

KERNEL(struct_results, 2, 64, 128 * 10) {
  u32 *o = out + GID * 10;
  pair p = divide((i32)IN(0) >> 1, (i32)(IN(1) & 255) + 1);
  o[0] = p.quotient;
  o[1] = p.remainder;
  matrix a, b;
  for (int i = 0; i < 6; i++) a.at[i / 3][i % 3] = (i16)IN(i), b.at[i / 3][i % 3] = (i16)IN(7 - i);
  a.trace = b.trace = 0;
  matrix c = combine(a, b, (IN(0) & 1) ? -1 : 3);
  for (int i = 0; i < 6; i++) o[2 + i] = c.at[i / 3][i % 3];
  put64(o + 8, c.trace + a.trace);
}

struct node {
  const node *next;
  const char *name;
  i16 weight;
};
GLOBAL u32 counters[4] = {1, 10, 100, 1000};
GLOBAL double half_pi_digits = 1.5703125;
GLOBAL const node last = {nullptr, "gamma ray", 3};
GLOBAL const node heads[3] = {{&last, "alpha", -1}, {nullptr, "be", 200}, {&last, "", 31000}};
GLOBAL const u32 *const middle = &counters[2];
GLOBAL u8 blank[40];

KERNEL(global_tables, 2, 32, 64 * 3) {
  u32 length = 0, weight = 0;
  for (const node *n = &heads[GID % 3]; n; n = n->next) {
    for (const char *s = n->name; *s; s++) length += (u8)*s;
    weight += n->weight;
  }
  out[GID * 3] = length;
  out[GID * 3 + 1] = weight + *middle + middle[1];
  out[GID * 3 + 2] = (u32)(half_pi_digits * 64) + counters[GID & 3] + blank[GID % 40];
}

// A list that is sorted by insertion, linked by pointers into local memory.
struct link {
  u32 key;
  link *next;
};

KERNEL(linked_list, 2, 32, 64 * 8) {
  link pool[8], *head = nullptr;
  for (int i = 0; i < 8; i++) {
    link **at = &head;
    while (*at && (*at)->key < IN(i)) at = &(*at)->next;
    pool[i].key = IN(i);
    pool[i].next = *at;
    *at = &pool[i];
  }
  u32 *o = out + GID * 8;
  for (link *l = head; l; l = l->next) *o++ = l->key;
}

KERNEL(volatile_accesses, 2, 32, 64) {
  volatile u32 *mine = out + GID;
  *mine = IN(0);
  for (int i = 1; i < 5; i++) *mine = *mine * 3 + i;
  volatile u16 half = (u16)*mine;
  half = half + 1;
  *mine = *mine ^ half;
}

typedef u32 vec4 __attribute__((ext_vector_type(4)));
typedef u16 half4 __attribute__((ext_vector_type(4)));
typedef u8 byte4 __attribute__((ext_vector_type(4)));
typedef u64 long2 __attribute__((ext_vector_type(2)));

KERNEL(vector_types, 2, 64, 128 * 12) {
  vec4 a = ((const vec4 *)in)[2 * GID], b = ((const vec4 *)in)[2 * GID + 1];
  vec4 *o = (vec4 *)(out + GID * 12);
  o[0] = a * b + a.wzyx;
  o[1] = (a > b ? a : b) ^ (a << (b & 31u));
  half4 c = ((const half4 *)in)[4 * GID] + ((const half4 *)in)[4 * GID + 1];
  byte4 d = ((const byte4 *)in)[8 * GID + 3] >> (u8)3;
  *(half4 *)(o + 2) = c.zwxy;
  *((byte4 *)(o + 2) + 2) = d + (byte4)(u8)100;
  long2 e = ((const long2 *)in)[2 * GID] % (((const long2 *)in)[2 * GID + 1] | 1ull);
  *((u32 *)(o + 2) + 3) = (u32)(e.x ^ e.y);
}

CONSTANT u32 constant_words[8] = {3, 1, 4, 1, 5, 9, 2, 6};
GLOBAL u32 global_words[8] = {2, 7, 1, 8, 2, 8, 1, 8};

// Which space the pointer is into, each lane says for itself.
COOPERATIVE(generic_pointers, 2, 32, 64) {
#if DEVICE
  SHARED u32 shared_words[8];
  u32 local_words[8];
  for (int i = 0; i < 8; i++) local_words[i] = IN(i);
  if (TX < 8) shared_words[TX] = TX * TX;
  __syncthreads();
  const u32 *from[5] = {local_words, shared_words, constant_words, global_words, in};
  const u32 *p = from[IN(0) % 5];
  u32 sum = 0;
  for (int i = 0; i < 8; i++) sum = sum * 31 + p[i];
  out[GID] = sum;
#else
  static const u32 squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
  for (u32 g = 0; g < 64; g++) {
    u32 own[8];
    for (int i = 0; i < 8; i++) own[i] = in[g * 8 + i];
    const u32 *from[5] = {own, squares, constant_words, global_words, in};
    const u32 *p = from[own[0] % 5];
    out[g] = 0;
    for (int i = 0; i < 8; i++) out[g] = out[g] * 31 + p[i];
  }
#endif
}

#if DEVICE
extern "C" __attribute__((device)) void *malloc(unsigned long);
extern "C" __attribute__((device)) void free(void *);
#endif

struct tree {
  tree *child[2];
  u32 key, count;
};

KERNEL(heap_allocated_tree, 1, 32, 32 * 3) {
  tree *root = nullptr;
  u32 nodes = 0;
  for (int i = 0; i < 24; i++) {
    u32 key = IN(i & 7) >> i & 31;
    tree **at = &root;
    while (*at && (*at)->key != key) at = &(*at)->child[key > (*at)->key];
    if (!*at) {
      *at = (tree *)malloc(sizeof(tree));
      **at = tree{{nullptr, nullptr}, key, 0};
      nodes++;
    }
    (*at)->count++;
  }
  u32 depth = 0, most = 0;
  while (root) { // take the tree apart by its left spine
    if (tree *left = root->child[0]) {
      root->child[0] = left->child[1];
      left->child[1] = root;
      root = left;
      depth++;
      continue;
    }
    tree *next = root->child[1];
    most = most * 7 + root->count;
    free(root);
    root = next;
  }
  out[GID * 3] = nodes;
  out[GID * 3 + 1] = depth;
  out[GID * 3 + 2] = most;
}

KERNEL(integer_matrices, 2, 32, 64 * 5) {
  i32 a[4][4], b[4][4], c[4][4];
  for (int i = 0; i < 16; i++) a[i / 4][i % 4] = (i8)(IN(i / 4) >> 8 * (i % 4)), b[i / 4][i % 4] = (i8)(IN(4 + i / 4) >> 8 * (i % 4));
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      c[i][j] = 0;
      for (int k = 0; k < 4; k++) c[i][j] += a[i][k] * b[k][j];
    }
  for (int i = 0; i < 4; i++) out[GID * 5 + i] = c[i][GID & 3];
  // The determinant without fractions, after Bareiss.
  i64 m[4][4], previous = 1, sign = 1;
  for (int i = 0; i < 16; i++) m[i / 4][i % 4] = a[i / 4][i % 4];
  for (int k = 0; k < 3; k++) {
    int row = k;
    while (row < 4 && !m[row][k]) row++;
    if (row == 4) {
      sign = 0;
      break;
    }
    if (row != k) {
      for (int j = 0; j < 4; j++) {
        i64 t = m[k][j];
        m[k][j] = m[row][j], m[row][j] = t;
      }
      sign = -sign;
    }
    for (int i = k + 1; i < 4; i++)
      for (int j = k + 1; j < 4; j++) m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / previous;
    previous = m[k][k];
  }
  out[GID * 5 + 4] = (u32)(sign * m[3][3]);
}

KERNEL(game_of_life, 4, 64, 256) {
  u32 x = GID & 15, y = GID >> 4, neighbours = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx | dy) neighbours += in[(y + dy & 15) * 16 + (x + dx & 15)] & 1;
  out[GID] = neighbours == 3 || (neighbours == 2 && in[GID] & 1);
}
