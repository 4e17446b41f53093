"""The part of the CUDA driver API that the measurements need, by ctypes. It needs only Python and NVIDIA's driver."""

import array
import ctypes as c

ATTRIBUTES = {  # CUdevice_attribute
    "max_threads_per_block": 1,
    "max_block_x": 2,
    "max_shared_per_block": 8,
    "constant_bytes": 9,
    "warp_size": 10,
    "max_registers_per_block": 12,
    "clock_khz": 13,
    "sms": 16,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "max_threads_per_sm": 39,
    "cc_major": 75,
    "cc_minor": 76,
    "max_shared_per_sm": 81,
    "max_registers_per_sm": 82,
    "max_shared_per_block_optin": 97,
    "max_blocks_per_sm": 106,
    "max_persisting_l2_bytes": 108,
    "reserved_shared_per_block": 111,
}

FUNCTION = {  # CUfunction_attribute
    "max_threads": 0,
    "static_shared": 1,
    "const": 2,
    "local": 3,
    "registers": 4,
    "max_dynamic_shared": 8,
    "carveout": 9,
    "non_portable_cluster": 14,
}


class Error(Exception):
    pass


class GPU:
    """The first device and its primary context."""

    def __init__(self):
        self.lib = c.CDLL("libcuda.so.1")
        self("cuInit", 0)
        dev = c.c_int()
        self("cuDeviceGet", c.byref(dev), 0)
        self.dev = dev
        ctx = c.c_void_p()
        self("cuDevicePrimaryCtxRetain", c.byref(ctx), dev)
        self("cuCtxSetCurrent", ctx)
        name = c.create_string_buffer(128)
        self("cuDeviceGetName", name, 128, dev)
        self.name = name.value.decode()
        version = c.c_int()
        self("cuDriverGetVersion", c.byref(version))
        self.cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
        self.attributes = {k: self.attribute(v) for k, v in ATTRIBUTES.items()}
        self.sms = self.attributes["sms"]
        self.events = [c.c_void_p(), c.c_void_p()]
        for e in self.events:
            self("cuEventCreate", c.byref(e), 0)

    def __call__(self, fn, *args):
        err = getattr(self.lib, fn)(*args)
        if err:
            text = c.c_char_p()
            self.lib.cuGetErrorName(err, c.byref(text))
            raise Error(f"{fn}: {text.value.decode() if text.value else err}")

    def attribute(self, number):
        v = c.c_int()
        self("cuDeviceGetAttribute", c.byref(v), number, self.dev)
        return v.value

    def load(self, image):
        """Loads a module of PTX text or a cubin."""
        m = c.c_void_p()
        self("cuModuleLoadData", c.byref(m), c.c_char_p(image))
        return m

    def function(self, module, name):
        f = c.c_void_p()
        self("cuModuleGetFunction", c.byref(f), module, name.encode())
        return f

    def variable(self, module, name):
        """Returns address and size of a module's variable."""
        p, n = c.c_uint64(), c.c_size_t()
        self("cuModuleGetGlobal_v2", c.byref(p), c.byref(n), module, name.encode())
        return p.value, n.value

    def function_attribute(self, f, what):
        v = c.c_int()
        self("cuFuncGetAttribute", c.byref(v), FUNCTION[what], f)
        return v.value

    def set_function(self, f, what, value):
        self("cuFuncSetAttribute", f, FUNCTION[what], value)

    def alloc(self, size):
        p = c.c_uint64()
        self("cuMemAlloc_v2", c.byref(p), c.c_size_t(size))
        return p.value

    def free(self, p):
        self("cuMemFree_v2", c.c_uint64(p))

    def memory_free(self):
        """Returns the free bytes of the device's memory."""
        free, total = c.c_size_t(), c.c_size_t()
        self("cuMemGetInfo_v2", c.byref(free), c.byref(total))
        return free.value

    def zero(self, p, size):
        self("cuMemsetD8_v2", c.c_uint64(p), c.c_ubyte(0), c.c_size_t(size))

    def write(self, p, data):
        """Copies bytes or an array to the device."""
        data = bytes(data)
        self("cuMemcpyHtoD_v2", c.c_uint64(p), data, c.c_size_t(len(data)))

    def read(self, p, code, count):
        """Returns an array.array of count elements of type code."""
        out = array.array(code, bytes(array.array(code).itemsize * count))
        address, _ = out.buffer_info()
        self("cuMemcpyDtoH_v2", c.c_void_p(address), c.c_uint64(p), c.c_size_t(out.itemsize * count))
        return out

    def launch(self, f, grid, block, args, shared=0):
        """Launches on the default stream. Arguments are ctypes values."""
        gx, gy, gz = triple(grid)
        bx, by, bz = triple(block)
        pointers = (c.c_void_p * max(len(args), 1))(*[c.addressof(a) for a in args])
        self("cuLaunchKernel", f, gx, gy, gz, bx, by, bz, shared, c.c_void_p(0), pointers, c.c_void_p(0))

    def sync(self):
        self("cuCtxSynchronize")

    def seconds(self, do):
        """Returns the time of the work that do() enqueues, by events."""
        self("cuEventRecord", self.events[0], c.c_void_p(0))
        do()
        self("cuEventRecord", self.events[1], c.c_void_p(0))
        self("cuEventSynchronize", self.events[1])
        ms = c.c_float()
        self("cuEventElapsedTime", c.byref(ms), self.events[0], self.events[1])
        return ms.value / 1000

    def blocks_per_sm(self, f, threads, dynamic):
        n = c.c_int()
        self("cuOccupancyMaxActiveBlocksPerMultiprocessor", c.byref(n), f, threads, c.c_size_t(dynamic))
        return n.value

    def best_block(self, f, dynamic, limit=0):
        """Returns the minimum grid and block size of cuOccupancyMaxPotentialBlockSize."""
        grid, block = c.c_int(), c.c_int()
        self("cuOccupancyMaxPotentialBlockSize", c.byref(grid), c.byref(block), f, c.c_void_p(0), c.c_size_t(dynamic), limit)
        return grid.value, block.value

    def available_shared(self, f, blocks, threads):
        n = c.c_size_t()
        self("cuOccupancyAvailableDynamicSMemPerBlock", c.byref(n), f, blocks, threads)
        return n.value


def triple(d):
    return d if isinstance(d, tuple) else (d, 1, 1)


def u32(v):
    return c.c_uint32(v & 0xFFFFFFFF)


def u64(v):
    return c.c_uint64(v)
