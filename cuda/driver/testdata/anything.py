# RUN SEED=1 SIMTRUN_MEMORY=16777216
# STDERR ^
# RUN SEED=2 SIMTRUN_MEMORY=16777216
# STDERR ^
# RUN SEED=3 SIMTRUN_MEMORY=16777216 SIMTRUN_FUNCTIONAL=0
# STDERR ^
"""Calls of any entry point of api.txt with arguments that are right, wrong, or of another kind: none ends the process, or is answered
with what stands for a bug of the library (999). At the end the library still works.
"""

import ctypes
import os
import random
import re
import sys

cuda = ctypes.CDLL("libcuda.so.1")
R = random.Random(int(os.environ.get("SEED", "1")))
HERE = os.path.dirname(os.path.abspath(__file__))
PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 1;
.global .texref picture;
.global .surfref sheet;
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .b32 %r<3>;
ld.param.u32 %r1, [n];
ld.global.u32 %r2, [counter];
add.u32 %r2, %r2, %r1;
st.global.u32 [counter], %r2;
ret;
}
"""
UNKNOWN = 999
HOST = ctypes.create_string_buffer(1 << 20)
HOST_AT = ctypes.addressof(HOST)
host_function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: None)
stream_callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda s, r, d: None)
shared_of = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda threads: threads * 8)

# What calls have given so far, by type, with handles of what is gone.
known = {"CUdeviceptr": [0, 1, 1 << 63, (1 << 64) - 1]}
HANDLES = ["CUcontext", "CUmodule", "CUfunction", "CUlibrary", "CUkernel", "CUstream", "CUevent", "CUgraph", "CUgraphNode", "CUgraphExec", "CUlinkState", "CUmemoryPool", "CUmemGenericAllocationHandle", "CUuserObject",
           "CUarray", "CUmipmappedArray", "CUtexref", "CUsurfref", "CUtexObject", "CUsurfObject"]
# What would end the process on a GPU, too, or wait without end, or writes files, or takes what cannot be made up here.
LEFT_OUT = {"cuMemcpy", "cuMemcpyAsync", "cuMemHostRegister_v2", "cuModuleLoad", "cuLibraryLoadFromFile", "cuLinkAddFile_v2", "cuCtxCreate_v4",
            "cuStreamWaitValue32_v2", "cuStreamWaitValue64_v2", "cuGraphDebugDotPrint"}


def pick(kind):
    """A value of a type that was given before, mostly."""
    if kind in known and R.random() < 0.9:
        return R.choice(known[kind][-8:])
    others = [v for values in known.values() for v in values]
    return R.choice(others + [0, 1, 2, 0x1234])


def number():
    return R.choice([0, 1, 1, 1, 2, 3, 4, 8, 16, 32, 64, 100, 1000, 4096])


def size():
    """Bytes or elements: small ones, and far too many."""
    return R.choice([0, 1, 4, 8, 16, 64, 256, 1000, 4096, 1 << 20, 1 << 30, 1 << 40, (1 << 62) + 3, (1 << 64) - 1])


def box(words):
    """A structure of a copy: what is of the host is small, so that it is within HOST."""
    b = (ctypes.c_uint64 * 32)(*[0] * 32)
    small = lambda: R.choice([0, 0, 1, 2, 5, 16, 40])
    side = 7 if words == 2 else 11
    for at in (0, side):
        for i in range(2 if words == 2 else 3):
            b[at + i] = small()
        k = at + (2 if words == 2 else 4)
        b[k], b[k + 1], b[k + 2], b[k + 3] = R.choice([1, 2, 2, 2, 3, 3, 9]), HOST_AT, pick("CUdeviceptr"), pick("CUarray")
        if words == 2:
            b[k + 4] = R.choice([0, 40, 64])
        else:
            b[k + 5], b[k + 6] = R.choice([0, 40, 64]), R.choice([0, 16, 60])
    for i in range(words):
        b[2 * side + i] = small()
    return b


def texel_format():
    """A word of the format of texels and how many channels they have."""
    return R.choice([1, 2, 3, 8, 9, 10, 16, 32, 32, 0xc2, 0x55]) | R.choice([1, 1, 2, 4, 4, 3]) << 32


def argument(kind, name, function):
    """An argument for a parameter, what may hold an answer, and of which type that is."""
    if kind in HANDLES or kind == "CUdeviceptr":
        return ctypes.c_uint64(pick(kind)), None
    if kind in ("const CUDA_ARRAY_DESCRIPTOR *", "const CUDA_ARRAY3D_DESCRIPTOR *"):
        extent = [R.choice([0, 1, 4, 8, 8, 6]) for _ in range(3 if "3D" in kind else 2)]
        return (ctypes.c_uint64 * 5)(*extent, texel_format(), R.choice([0, 0, 2, 2, 1, 3, 4, 7, 8, 0x100])), None
    if kind == "const CUDA_RESOURCE_DESC *":
        what = R.choice([0, 0, 1, 2, 3, 9])
        memory = [pick("CUarray"), pick("CUmipmappedArray"), pick("CUdeviceptr"), pick("CUdeviceptr"), *[0] * 6][what]
        return (ctypes.c_uint64 * 18)(what, memory, texel_format(), size(), number(), R.choice([32, 64, 100])), None
    if kind == "const CUDA_TEXTURE_DESC *":
        return (ctypes.c_uint32 * 26)(*[R.choice([0, 1, 2, 3, 3, 9]) for _ in range(3)], R.choice([0, 0, 1, 7]), R.choice([0, 1, 2, 2, 3, 0x12, 0x40, 0x80]), 1, R.choice([0, 1])), None
    if kind == "const CUDA_RESOURCE_VIEW_DESC *":
        return R.choice([None, None, (ctypes.c_uint64 * 14)(R.choice([0, 3, 13, 22, 25, 99]), 8, 8, R.choice([0, 6, 8]), R.choice([0, 1 << 32, 1]), R.choice([0, 1 << 32, 1]))]), None
    if kind in ("const CUDA_MEMCPY2D *", "const CUDA_MEMCPY3D *", "const CUDA_MEMCPY3D_PEER *"):
        return box(2 if "2D" in kind else 3), None
    if kind.startswith("const CUDA_KERNEL_NODE_PARAMS"):
        n = ctypes.c_uint32(3)
        where = ctypes.c_uint64(pick("CUdeviceptr"))
        params = (ctypes.c_void_p * 2)(ctypes.addressof(where), ctypes.addressof(n))
        words = (ctypes.c_uint64 * 12)(pick("CUfunction"), *[0] * 11)
        shape = (ctypes.c_uint32 * 7).from_buffer(words, 8)
        shape[:] = [R.choice([0, 1, 1, 1, 2]) for _ in range(6)] + [R.choice([0, 0, 100000])]
        words[5] = ctypes.addressof(params) if R.random() < 0.9 else 0
        argument.kept.append((n, where, params))
        return words, None
    if kind == "const CUDA_MEMSET_NODE_PARAMS *":
        words = (ctypes.c_uint64 * 5)(pick("CUdeviceptr"), size(), 0, size(), number())
        words[2] = R.choice([1, 2, 3, 4]) << 32 | 7
        return words, None
    if kind == "const CUDA_HOST_NODE_PARAMS *":
        return (ctypes.c_void_p * 2)(ctypes.cast(host_function, ctypes.c_void_p).value if R.random() < 0.9 else 0, 0), None
    if kind == "const CUlaunchConfig *":
        words = (ctypes.c_uint64 * 8)()
        (ctypes.c_uint32 * 7).from_buffer(words)[:] = [R.choice([0, 1, 1, 1, 2]) for _ in range(6)] + [0]
        words[4] = pick("CUstream")
        return words, None
    if kind == "CUhostFn":
        return R.choice([None, host_function]), None
    if kind == "CUstreamCallback":
        return R.choice([None, stream_callback]), None
    if kind == "CUoccupancyB2DSize":
        return R.choice([None, shared_of]), None
    if name == "params" and kind == "void **":
        n, where = ctypes.c_uint32(3), ctypes.c_uint64(pick("CUdeviceptr"))
        argument.kept.append((n, where))
        return R.choice([None, (ctypes.c_void_p * 8)(ctypes.addressof(where), ctypes.addressof(n))]), None
    if name in ("image", "code", "fatbin", "data") and kind.endswith("void *"):
        return (ctypes.c_uint64(HOST_AT) if function.startswith("cuParam") else PTX) if R.random() < 0.9 else None, None
    if name == "file" or kind == "const char *":
        return R.choice([b"k", b"counter", b"picture", b"sheet", b"none", b"0000:01:00.0", None]), None
    if "options" in kind or name in ("options", "values", "extra", "libraryOptions", "libraryValues"):
        return None, None
    if "*" in kind:  # where an answer goes to, or several; or bytes of the host
        if R.random() < 0.08:
            return None, None
        if name in ("src", "dst", "p") and kind in ("const void *", "void *"):
            return ctypes.c_uint64(R.choice([HOST_AT, HOST_AT, HOST_AT + 3] + [known["CUdeviceptr"][-1]] * (function.startswith("cuMemHost") or function == "cuMemFreeHost"))), None
        room = (ctypes.c_uint64 * 256)()
        base = kind.replace("const", "").replace("*", "").strip()
        if name in ("deps", "from", "to") and function != "cuGraphGetEdges" and "Get" not in function:
            for i in range(256):
                room[i] = pick("CUgraphNode")
        return room, base
    if name == "version":
        return ctypes.c_int(12080), None
    if kind in ("size_t", "unsigned long long"):
        if function.startswith("cuGraph") or name == "n" and ("Enumerate" in function or "Attributes" in function):
            return ctypes.c_size_t(R.choice([0, 1, 2, 3, 200])), None
        return ctypes.c_size_t(min(size(), 1 << 16) if function.startswith(("cuLink", "cuMemcpy")) and R.random() < 0.9 else size()), None
    if kind == "float":
        return ctypes.c_float(1.5), None
    if kind == "CUmemLocation":
        return ctypes.c_uint64(1), None
    if function.startswith(("cuLaunch", "cuGraph")) or name in ("n", "libraryN"):
        return ctypes.c_int(R.choice([0, 1, 1, 1, 1, 2])), None
    return ctypes.c_int(R.choice([0, 0, 0, 1, 2, 3, 4, 8, -1, 1 << 30, number()])), None


argument.kept = []


def call(name, params):
    args, answers = [], []
    for kind, param in params:
        arg, base = argument(kind, param, name)
        args.append(arg)
        if base is not None:
            answers.append((base, arg))
    if name in ("cuLinkAddData_v2", "cuParamSetv"):  # as many bytes as there are
        args[3] = ctypes.c_size_t(min(getattr(args[3], "value", 0), len(PTX)))
    if name.startswith("cuMemcpyHtoD") or name.startswith("cuMemcpyDtoH"):
        if args[2].value > 1 << 19 and R.random() < 0.5:
            args[2] = ctypes.c_size_t(1 << 19)
    argument.kept.append(args)
    del argument.kept[:-200]
    if os.environ.get("VERBOSE"):
        print(name, [getattr(a, "value", a) for a in args], file=sys.stderr, flush=True)
    r = getattr(cuda, name)(*args)
    if r == UNKNOWN:
        print(f"{name}{[getattr(a, 'value', a) for a in args]} answers {r}")
        return False
    if r == 0:
        for base, arg in answers:
            if base in HANDLES and arg[0]:
                known.setdefault(base, []).append(arg[0])
                if base == "CUkernel":
                    known.setdefault("CUfunction", []).append(arg[0])
            elif base == "CUdeviceptr" and arg[0] or name in ("cuMemAllocHost_v2", "cuMemHostAlloc") and arg[0]:
                known["CUdeviceptr"].append(arg[0])
    return True


def prototypes():
    with open(os.path.join(HERE, "..", "api.txt")) as text:
        for line in text:
            if m := re.match(r"\d+ (cu\w+)\((.*)\)", line):
                params = [] if m[2] == "void" else [re.match(r"(.*?)(\w+)$", p).groups() for p in m[2].split(", ")]
                yield m[1], [(kind.strip(), name) for kind, name in params]


def main():
    functions = [f for f in prototypes() if f[0] not in LEFT_OUT]
    ok = cuda.cuInit(0) == 0
    makes = [f for f in functions if re.search("Create|Alloc|LoadData|GetFunction$|GetKernel$|PrimaryCtxRetain|Launch|Instantiate|Add.*Node|SetCurrent|PushCurrent", f[0])]
    ends = re.compile("Destroy|Unload|Release|Reset|PopCurrent|Detach|SetCurrent")
    context = ctypes.c_uint64()
    for i in range(int(os.environ.get("CALLS", "6000"))):
        if i % 200 == 0:  # a context that works, whatever became of the others
            ok = cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0 and ok
            known.setdefault("CUcontext", []).append(context.value)
        f = R.choice(makes if R.random() < 0.5 else functions)
        if ends.search(f[0]) and R.random() < 0.8:
            continue
        ok = call(*f) and ok
    for made in known["CUcontext"]:  # with what is in them: there may be no memory left
        cuda.cuCtxDestroy_v2(ctypes.c_uint64(made))
    where = ctypes.c_uint64()
    ok = cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0 and cuda.cuMemAlloc_v2(ctypes.byref(where), ctypes.c_size_t(64)) == 0 and cuda.cuCtxSynchronize() == 0 and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
