// Products of matrices of 16 by 16 as clang compiles them: by its builtins for wmma, and by
// inline assembly with ldmatrix and mma. c += a * b. make.sh compiles one kernel at a time.
#define global __attribute__((global))
#define shared __attribute__((shared))
typedef unsigned u32;

extern "C" {
#ifdef wmma_f16 // b is by columns
global void kernel(const int *a, const int *b, float *c) {
  int fa[8], fb[8];
  float fc[8], fd[8];
  __hmma_m16n16k16_ld_a(fa, a, 16, 0);
  __hmma_m16n16k16_ld_b(fb, b, 16, 1);
  __hmma_m16n16k16_ld_c_f32(fc, c, 16, 0);
  __hmma_m16n16k16_mma_f32f32(fd, fa, fb, fc, 1, 0);
  __hmma_m16n16k16_st_c_f32(c, fd, 16, 0);
}
#endif

#ifdef wmma_s8 // b is by columns; sums are clamped
global void kernel(const int *a, const int *b, int *c) {
  int fa[2], fb[2], fc[8], fd[8];
  __imma_m16n16k16_ld_a_s8(fa, a, 16, 0);
  __imma_m16n16k16_ld_b_s8(fb, b, 16, 1);
  __imma_m16n16k16_ld_c(fc, c, 16, 0);
  __imma_m16n16k16_mma_s8(fd, fa, fb, fc, 1, 1);
  __imma_m16n16k16_st_c_i32(c, fd, 16, 0);
}
#endif

#ifdef mma_f16
global void kernel(const u32 *a, const u32 *b, float *c) {
  shared __attribute__((aligned(16))) static u32 tile[256]; // a, and b behind it
  u32 lane = __nvvm_read_ptx_sreg_tid_x();
  for (int i = 0; i < 8; i++)
    tile[i * 32 + lane] = i < 4 ? a[i * 32 + lane] : b[(i - 4) * 32 + lane];
  __nvvm_bar_sync(0);
  u32 base = (u32)(unsigned long long)(__attribute__((address_space(3))) u32 *)tile;
  u32 row = base + lane % 16 * 32 + lane / 16 * 16;
  u32 x[4], y[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(row) : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]) : "r"(row + 512) : "memory");
  for (int t = 0; t < 2; t++) {
    float *p = c + lane / 4 * 16 + t * 8 + lane % 4 * 2, d[4] = {p[0], p[1], p[128], p[129]};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * t]), "r"(y[2 * t + 1]));
    p[0] = d[0], p[1] = d[1], p[128] = d[2], p[129] = d[3];
  }
}
#endif
}
