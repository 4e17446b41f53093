# STDERR ^simtrun: .
"""Ctrl-C while a kernel runs for ever: the kernel ends, Python raises KeyboardInterrupt, and another context works."""

import ctypes
import os
import signal
import sys
import threading
import time

cuda = ctypes.CDLL("libcuda.so.1")
PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 p)
{
.reg .b64 %d;
.reg .b32 %r<3>;
.reg .pred %q;
ld.param.u64 %d, [p];
L:
add.u32 %r2, %r2, 1;
ld.volatile.global.u32 %r1, [%d];
setp.ne.u32 %q, %r1, 0;
@%q bra L;
st.global.u32 [%d], %r2;
ret;
}
"""


def check(status):
    if status != 0:
        raise RuntimeError(f"error {status}")


def prepare():
    context, module, function, address = (ctypes.c_uint64() for _ in range(4))
    check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
    check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"spin"))
    check(cuda.cuMemAllocManaged(ctypes.byref(address), ctypes.c_size_t(4), 1))
    return function, address


def launch(function, address):
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, (ctypes.c_void_p * 1)(ctypes.addressof(address)), None))


def main():
    check(cuda.cuInit(0))
    function, address = prepare()
    check(cuda.cuMemsetD32_v2(address, 1, ctypes.c_size_t(1)))
    threading.Timer(0.6, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        launch(function, address)
        time.sleep(5)
        print("no KeyboardInterrupt")
        return 1
    except KeyboardInterrupt:
        pass
    if cuda.cuCtxSynchronize() == 0:
        print("the context has not failed")
        return 1
    function, address = prepare()
    check(cuda.cuMemsetD32_v2(address, 0, ctypes.c_size_t(1)))
    launch(function, address)
    check(cuda.cuCtxSynchronize())
    return 0


if __name__ == "__main__":
    sys.exit(main())
