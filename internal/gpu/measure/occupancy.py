"""Occupancy by the driver's functions."""

import ptx

REGISTERS = (8, 16, 20, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 60, 62, 64, 66, 70, 72, 74, 78, 80, 84, 88, 92, 96, 100, 104, 110, 112, 120, 126, 128, 136, 144, 150, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 244, 248)
THREADS = (1, 32, 33, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 832, 896, 960, 992, 1000, 1024)
SHARED = (0, 1, 100, 128, 1024, 2048, 3072, 4096, 5120, 6144, 6272, 7168, 8192, 10240, 12288, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 49153, 57344, 65536, 73728, 76800, 77824, 98304, 102400, 115200, 115712, 115713, 131072, 163840, 196608, 232447, 232448)


def alive(name, n, directive=""):
    """Returns a kernel with n values alive at once."""
    loads = "\n".join(f"    ld.volatile.global.u32 r{i}, [at+{4 * i}];" for i in range(n))
    stores = "\n".join(f"    st.volatile.global.u32 [at+{4 * i}], r{n - 1 - i};" for i in range(n))
    return ptx.Raw(name, f"""
.visible .entry {name}(.param .u64 p)
{directive}
{{
    .reg .b64 at; .reg .b32 r<{n}>;
    ld.param.u64 at, [p];
{loads}
{stores}
    ret;
}}
""", module="// alive\n")


STATIC = (0, 16, 1000, 4224, 6144, 16384, 32768, 49152)
LIMITS = (16, 20, 24, 32, 33, 40, 48, 50, 64, 65, 72, 80, 96, 100, 127, 128, 168, 200, 255)


def kernels():
    for n in REGISTERS:
        yield alive(f"alive_{n}", n)
    for n in LIMITS:
        yield ptx.Raw(f"limited_{n}", alive(f"limited_{n}", 200, f".maxnreg {n}").text, module="// limited\n")
    for n in STATIC:
        yield ptx.Raw(f"static_{n}", f".visible .entry static_{n}(.param .u64 p)\n{{\n    .reg .b32 s, v; .reg .b64 a;\n    .shared .align 16 .b8 buffer[{max(n, 1)}];\n    ld.param.u64 a, [p]; ld.global.u32 s, [a]; " + ("st.shared.u8 [buffer], s; bar.sync 0; ld.shared.u8 v, [buffer]; st.global.u32 [a], v;" if n else "") + "\n    ret;\n}\n", module=f"// static {n}\n")


def run(b):
    g = b.gpu
    registers = [[f"values {n}", g.function_attribute(b.function(f"alive_{n}"), "registers"), g.function_attribute(b.function(f"alive_{n}"), "max_threads")] for n in REGISTERS]
    registers += [[f".maxnreg {n}", g.function_attribute(b.function(f"limited_{n}"), "registers"), g.function_attribute(b.function(f"limited_{n}"), "max_threads")] for n in LIMITS]
    rows, seen = [], set()
    for n in REGISTERS:
        f = b.function(f"alive_{n}")
        used = g.function_attribute(f, "registers")
        if used in seen:
            continue
        seen.add(used)
        g.set_function(f, "max_dynamic_shared", g.attributes["max_shared_per_block_optin"])
        for shared in SHARED if used in (16, 32, 40, 64, 128) or len(seen) % 6 == 0 else (0, 16384):
            if shared <= g.attributes["max_shared_per_block_optin"]:
                rows.append([used, shared, *[g.blocks_per_sm(f, t, shared) for t in THREADS]])
    shares = []
    f = b.function("alive_16")
    used = g.function_attribute(f, "registers")
    for percent in (-1, 0, 10, 14, 25, 28, 30, 44, 50, 58, 60, 72, 75, 86, 90, 100):
        g.set_function(f, "carveout", percent)
        shares.append([percent, *[g.blocks_per_sm(f, 256, s) for s in (0, 1024, 8192, 10240, 16384, 32768, 65536, 115712)]])
    g.set_function(f, "carveout", -1)
    static = []
    for n in STATIC:
        f = b.function(f"static_{n}")
        static.append([n, g.function_attribute(f, "static_shared"), g.function_attribute(f, "registers"), *[g.blocks_per_sm(f, t, 0) for t in (32, 64, 128, 256, 512, 1024)]])
    best = []
    for n in REGISTERS:
        f = b.function(f"alive_{n}")
        best.append([g.function_attribute(f, "registers"), 0, *g.best_block(f, 0)])
    f = b.function("alive_24")
    for shared in (4096, 16384, 32768, 65536, 100000, 200000):
        best.append([g.function_attribute(f, "registers"), shared, *g.best_block(f, shared)])
    available = [[blocks, threads, g.available_shared(b.function("alive_16"), blocks, threads)] for blocks in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32) for threads in (32, 64, 128, 256) if blocks * threads <= 2048]
    return {
        "occupancy": ("cuOccupancyMaxActiveBlocksPerMultiprocessor by registers of a thread, bytes of dynamic shared memory, and threads of a block", ["registers", "dynamic_shared", *[f"t{t}" for t in THREADS]], rows),
        "occupancy_registers": ("registers of a thread as cuFuncGetAttribute tells them, of kernels that keep so many values alive, and of one with 200 values under .maxnreg", ["kernel", "registers", "max_threads"], registers),
        "occupancy_carveout": (f"blocks of 256 threads with {used} registers, by the carve-out that is asked for and bytes of dynamic shared memory", ["percent", "s0", "s1024", "s8192", "s10240", "s16384", "s32768", "s65536", "s115712"], shares),
        "occupancy_static": ("blocks by bytes of static shared memory as declared", ["declared", "static_shared", "registers", "t32", "t64", "t128", "t256", "t512", "t1024"], static),
        "occupancy_best_block": ("cuOccupancyMaxPotentialBlockSize", ["registers", "dynamic_shared", "min_grid", "block"], best),
        "occupancy_available": ("cuOccupancyAvailableDynamicSMemPerBlock", ["blocks_per_sm", "threads", "bytes"], available),
        "attributes": ("device attributes of the driver", ["attribute", "value"], [[k, v] for k, v in g.attributes.items()]),
    }
