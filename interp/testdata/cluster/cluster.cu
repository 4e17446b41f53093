// Kernels for clusters, with inline PTX. Made into cluster.LEVEL.ptx by
//
//     for level in O0 O2; do clang-19 -x cuda -std=c++17 -nocudainc -nocudalib --cuda-device-only \
//         --cuda-gpu-arch=sm_90 --cuda-feature=+ptx80 -$level -S -o cluster.$level.ptx cluster.cu; done
//     sha256sum *.ptx >SHA256SUMS; gzip -9nf *.ptx
//
// without a CUDA toolkit. What they compute is worked out anew in cluster_test.go.

#define GLOBAL extern "C" __attribute__((global))
#define DEVICE __attribute__((device)) static inline
#define SHARED __attribute__((shared))

typedef unsigned int u32;

DEVICE u32 rank() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
DEVICE u32 size() { u32 r; asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
DEVICE u32 tid() { u32 r; asm volatile("mov.u32 %0, %%tid.x;" : "=r"(r)); return r; }
DEVICE u32 ntid() { u32 r; asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(r)); return r; }
DEVICE u32 ctaid() { u32 r; asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(r)); return r; }
DEVICE u32 clusterid() { u32 r; asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(r)); return r; }

DEVICE void sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// of is where p, in this block's shared memory, is in that of the block of a rank.
template <class T> DEVICE T *of(T *p, u32 rank)
{
    T *q;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(rank));
    return q;
}

// histogram counts the values of in, of 0 to 64*size-1, in bins that are dealt out to the blocks of a cluster.
GLOBAL void histogram(const u32 *in, u32 *out, u32 n)
{
    SHARED static u32 bins[64];
    for (u32 i = tid(); i < 64; i += ntid())
        bins[i] = 0;
    sync();
    for (u32 i = ctaid() * ntid() + tid(); i < n; i += 4 * size() * ntid()) {
        u32 *bin = of(&bins[in[i] % 64], in[i] / 64);
        asm volatile("red.relaxed.cluster.add.u32 [%0], 1;" ::"l"(bin) : "memory");
    }
    sync();
    for (u32 i = tid(); i < 64; i += ntid())
        out[(clusterid() * size() + rank()) * 64 + i] = bins[i];
}

// reduce leaves in out, for each cluster, the sum of what its blocks have: each block reads those of all others.
GLOBAL void reduce(const u32 *in, u32 *out, u32 n)
{
    SHARED static u32 sums[256];
    SHARED static u32 sum;
    u32 mine = 0;
    for (u32 i = ctaid() * ntid() + tid(); i < n; i += 4 * size() * ntid())
        mine += in[i] * in[i];
    sums[tid()] = mine;
    for (u32 step = ntid() / 2; step > 0; step /= 2) {
        asm volatile("bar.sync 0;" ::: "memory");
        if (tid() < step)
            sums[tid()] += sums[tid() + step];
    }
    if (tid() == 0)
        sum = sums[0];
    sync();
    u32 total = 0;
    for (u32 r = 0; r < size(); r++)
        total += *of(&sum, (rank() + r) % size());
    sync();
    if (tid() == 0)
        out[ctaid()] = total + rank();
}
