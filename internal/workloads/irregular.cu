// Workloads with loops whose number of iterations comes from memory: a graph, a hash table, lists and a tree.
// irregular.ptx is compiled from this file, unchanged, by clang 19.1.7:
//   clang-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_70 \
//            --cuda-feature=+ptx63 -ffp-contract=off -O2 -S -o irregular.ptx irregular.cu
//   sha256sum irregular.ptx; gzip -9n irregular.ptx  # SHA256SUMS has the digest
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static inline __attribute__((device))
typedef unsigned u32;
#define THREAD (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
#define THREADS (__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x())
#define NONE 0xffffffffu
DEVICE u32 cas(u32 *at, u32 old, u32 now) { return __nvvm_atom_cas_gen_i((int *)at, (int)old, (int)now); }
DEVICE u32 count(u32 *at) { return __nvvm_atom_add_gen_i((int *)at, 1); }

// One level of a breadth-first search, a vertex to a thread. The queue has two halves, for the vertices of this level
// and of the next.
KERNEL bfs(const u32 *start, const u32 *edges, u32 *distance, u32 *queue, u32 *sizes, int vertices, int level) {
  const u32 *now = queue + level % 2 * vertices;
  u32 *next = queue + (level + 1) % 2 * vertices, size = sizes[level];
  for (u32 i = THREAD; i < size; i += THREADS) {
    u32 vertex = now[i];
    for (u32 e = start[vertex], end = start[vertex + 1]; e < end; e++) {
      u32 to = edges[e];
      if (distance[to] == NONE && cas(&distance[to], NONE, level + 1) == NONE) next[count(&sizes[level + 1])] = to;
    }
  }
}

// The insertion of keys, none of which is 0, into a table of mask + 1 places with linear probing.
KERNEL hash_insert(const u32 *keys, u32 *table, int mask) {
  u32 key = keys[THREAD];
  for (u32 at = key * 2654435769u >> 8;; at++) {
    u32 had = cas(&table[at & mask], 0, key);
    if (had == 0 || had == key) return;
  }
}

// A work list: threads take lists from it until there are none left, and sum up each list.
KERNEL list_walk(const u32 *heads, const u32 *next, const u32 *value, u32 *sums, u32 *taken, int lists) {
  for (u32 list; (list = count(taken)) < (u32)lists;) {
    u32 sum = 0;
    for (u32 node = heads[list]; node != NONE; node = next[node]) sum += value[node];
    sums[list] = sum;
  }
}

// The nearest of the boxes that each ray hits, found in a tree of bounding boxes. A node's box is bounds[6 * node],
// from its lower to its upper corner; its child is the first of two, or ~child is a box at the end of the tree.
KERNEL rays(const float *bounds, const int *children, u32 *hits, float ox, float oy, int width) {
  int stack[24], depth = 0, node = 0;
  u32 thread = THREAD, hit = NONE;
  float x = (float)(thread % width) / width, y = (float)(thread / width) / width;
  float best = 3.0e38f, dx = 1.0f / (x - ox), dy = 1.0f / (y - oy);
  for (;;) {
    const float *b = bounds + 6 * node;
    float x0 = (b[0] - ox) * dx, x1 = (b[3] - ox) * dx, y0 = (b[1] - oy) * dy, y1 = (b[4] - oy) * dy;
    float near = __builtin_fmaxf(__builtin_fmaxf(__builtin_fminf(x0, x1), __builtin_fminf(y0, y1)), b[2]);
    float far = __builtin_fminf(__builtin_fminf(__builtin_fmaxf(x0, x1), __builtin_fmaxf(y0, y1)), b[5]);
    if (near <= far && near <= best) {
      int child = children[node];
      if (child >= 0) {
        stack[depth++] = child + 1;
        node = child;
        continue;
      }
      if (near < best || (u32)~child < hit) best = near, hit = ~child;
    }
    if (depth == 0) break;
    node = stack[--depth];
  }
  hits[thread] = hit;
}
