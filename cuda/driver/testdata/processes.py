# Workers that Python forks use the library, which it has loaded before, each for itself; then the parent does.
import ctypes as c
import multiprocessing

cuda = c.CDLL("libcuda.so.1")


def ok(result):
    assert result == 0, result


def double(n):
    """Twice the number, from the memory of the device, which is set to it."""
    ctx, p, got = c.c_void_p(), c.c_uint64(), c.c_uint32()
    ok(cuda.cuInit(0))
    ok(cuda.cuCtxCreate_v2(c.byref(ctx), 0, 0))
    ok(cuda.cuMemAlloc_v2(c.byref(p), c.c_size_t(4)))
    ok(cuda.cuMemsetD32_v2(p, c.c_uint(2 * n), c.c_size_t(1)))
    ok(cuda.cuMemcpyDtoH_v2(c.byref(got), p, c.c_size_t(4)))
    return got.value


version = c.c_int()
ok(cuda.cuDriverGetVersion(c.byref(version)))
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(double, range(8)) == [2 * n for n in range(8)]
assert double(21) == 42
