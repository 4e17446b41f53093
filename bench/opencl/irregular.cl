// The workloads of internal/workloads/irregular.cu in OpenCL C 1.2. Sizes, inputs and
// references are those of package internal/workloads.
#define NONE 0xffffffffu

// One level of a breadth-first search, a vertex to a work-item. The queue has two halves, for
// the vertices of this level and of the next.
__kernel void bfs(__global const uint *start, __global const uint *edges,
                  volatile __global uint *distance, __global uint *queue,
                  volatile __global uint *sizes, const int vertices, const int level)
{
    __global const uint *now = queue + level % 2 * vertices;
    __global uint *next = queue + (level + 1) % 2 * vertices;
    uint size = sizes[level];
    for (uint i = get_global_id(0); i < size; i += get_global_size(0)) {
        uint vertex = now[i];
        for (uint e = start[vertex], end = start[vertex + 1]; e < end; e++) {
            uint to = edges[e];
            if (distance[to] == NONE && atomic_cmpxchg(&distance[to], NONE, (uint)level + 1) == NONE)
                next[atomic_inc(&sizes[level + 1])] = to;
        }
    }
}

// The insertion of keys, none of which is 0, into a table of mask + 1 places with linear
// probing.
__kernel void hash_insert(__global const uint *keys, volatile __global uint *table, const int mask)
{
    uint key = keys[get_global_id(0)];
    for (uint at = key * 2654435769u >> 8;; at++) {
        uint had = atomic_cmpxchg(&table[at & mask], 0, key);
        if (had == 0 || had == key) return;
    }
}

// A work list: work-items take lists from it until there are none left, and sum up each list.
__kernel void list_walk(__global const uint *heads, __global const uint *next,
                        __global const uint *value, __global uint *sums,
                        volatile __global uint *taken, const int lists)
{
    for (uint list; (list = atomic_inc(taken)) < (uint)lists;) {
        uint sum = 0;
        for (uint node = heads[list]; node != NONE; node = next[node]) sum += value[node];
        sums[list] = sum;
    }
}

// The nearest of the boxes that each ray hits, found in a tree of bounding boxes.
__kernel void rays(__global const float *bounds, __global const int *children, __global uint *hits,
                   const float ox, const float oy, const int width)
{
    int stack[24], depth = 0, node = 0;
    uint item = get_global_id(0), hit = NONE;
    float x = (float)(item % width) / width, y = (float)(item / width) / width;
    float best = 3.0e38f, dx = 1.0f / (x - ox), dy = 1.0f / (y - oy);
    for (;;) {
        __global const float *b = bounds + 6 * node;
        float x0 = (b[0] - ox) * dx, x1 = (b[3] - ox) * dx;
        float y0 = (b[1] - oy) * dy, y1 = (b[4] - oy) * dy;
        float near = fmax(fmax(fmin(x0, x1), fmin(y0, y1)), b[2]);
        float far = fmin(fmin(fmax(x0, x1), fmax(y0, y1)), b[5]);
        if (near <= far && near <= best) {
            int child = children[node];
            if (child >= 0) {
                stack[depth++] = child + 1;
                node = child;
                continue;
            }
            if (near < best || (uint)~child < hit) {
                best = near;
                hit = ~child;
            }
        }
        if (depth == 0) break;
        node = stack[--depth];
    }
    hits[item] = hit;
}
