"""Prints a random program in CUDA C++ that compares a kernel with the host.

    csmith_program.py SEED [OPTION of csmith...]

Csmith's program becomes a struct: its global variables are fields and its functions are methods, so that each thread has
its own variables. Half of the variables start with values that depend on the thread, so that threads diverge. Only data
depends on it: Csmith's programs compute array indices and bounds of loops from constants. All threads run the same
methods on the host, too, compiled by the same compiler; the program prints "equal", or the first thread that differs.
It exits with 77 if the host does not end within 8 seconds: Csmith's programs may be endless.
"""
import random
import re
import subprocess
import sys

# Packed structs have misaligned members, to which these programs have pointers. C has no such loads, and GPUs fault.
CSMITH = ["csmith", "--lang-cpp", "--cpp11", "--no-argc", "--no-packed-struct"]
THREADS = 64

VARIABLE = re.compile(r"((?:const |volatile )*)(u?int(?:8|16|32|64)_t) (g_\d+(?:\[\d+\])*) = ([^&]*);\s*$")
NUMBER = re.compile(r"\(?-?\b(?:0x[0-9A-Fa-f]+|\d+)U?L{0,2}\b\)?")

PROGRAM = """\
#include <float.h>
#include <limits.h>
#include <math.h>
#include <new>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define STATIC static
#define UNDEFINED(x) (x)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#define assert(x)
#pragma clang force_cuda_host_device begin
#include "safe_math.h"
%(types)s
struct Program {
    const uint64_t lane;
    uint64_t hash = 0xcbf29ce484222325;

    Program(uint64_t lane) : lane(lane) {}

    template <class T> void transparent_crc(T value, const char *, int) {
        hash = (hash ^ (uint64_t)value) * 0x100000001b3;
        hash ^= hash >> 29;
    }
    void transparent_crc_bytes(const volatile void *at, int n, const char *, int) {
        for (int i = 0; i < n; i++)
            transparent_crc(((const volatile char *)at)[i], "", 0);
    }
%(variables)s
%(functions)s
    void run() {
        %(declarations)s
        %(body)s
    }
};
#pragma clang force_cuda_host_device end

constexpr int threads = %(threads)d, size = (sizeof(Program) + 63) / 64 * 64;

__global__ void kernel(uint64_t *hashes, char *memory) {
    int i = threadIdx.x;
%(kernel)s
}

int main() {
    static uint64_t want[threads], got[threads];
    signal(SIGALRM, [](int) { _exit(77); });
    alarm(8);
    for (int i = 0; i < threads; i++) {
        Program *p = new Program(i);
        p->run();
        want[i] = p->hash;
        delete p;
    }
    alarm(0);
    uint64_t *hashes;
    char *memory;
    cudaDeviceSetLimit(cudaLimitStackSize, 65536);
    cudaMalloc(&hashes, sizeof got);
    cudaMalloc(&memory, threads * size);
    kernel<<<1, threads>>>(hashes, memory);
    if (cudaError_t e = cudaMemcpy(got, hashes, sizeof got, cudaMemcpyDeviceToHost)) {
        printf("%%s\\n", cudaGetErrorString(e));
        return 1;
    }
    cudaFree(hashes);
    cudaFree(memory);
    for (int i = 0; i < threads; i++) {
        if (got[i] != want[i]) {
            printf("thread %%d: %%llx, want %%llx\\n", i, (unsigned long long)got[i], (unsigned long long)want[i]);
            return 1;
        }
    }
    printf("equal\\n");
}
"""
IN_LOCAL_MEMORY = "    Program p(i);\n    p.run();\n    hashes[i] = p.hash;"
IN_GLOBAL_MEMORY = "    Program *p = new (memory + i * size) Program(i);\n    p->run();\n    hashes[i] = p->hash;"


def by_lane(line, rng):
    """Returns a declaration, without static, whose value depends on the thread if it is an integer, sometimes."""
    line = re.sub(r"/\*.*?\*/", "", re.sub("^static ", "", line))
    found = VARIABLE.match(line)
    mask = rng.choice([
        None,
        f"(lane & {1 << rng.randrange(6)})",
        f"(lane * {rng.getrandbits(31)}u)",
        f"(lane >= {rng.randrange(1, THREADS)} ? {rng.getrandbits(40)} : 0)",
    ])
    if not found or not mask:
        return line
    qualifiers, kind, name, value = found.groups()
    value = NUMBER.sub(lambda n: f"({kind})({n[0]} ^ {mask})", value)
    return f"{qualifiers}{kind} {name} = {value};"


def program(seed, options):
    text = subprocess.run(CSMITH + ["--seed", str(seed), *options], check=True, capture_output=True, text=True, timeout=30).stdout
    text = text[text.index("static long __undefined;") + len("static long __undefined;"):]
    text, main = text[:text.index("int main (")], text[text.index("int main ("):]
    parts = re.split(r"/\* --- (?:GLOBAL VARIABLES|FORWARD DECLARATIONS|FUNCTIONS) --- \*/", text)
    rng = random.Random(seed)
    return PROGRAM % {
        "types": parts[0],
        "variables": "\n".join(by_lane(line, rng) for line in parts[1].split("\n")),
        "functions": re.sub("^(static |inline )+", "", parts[3], flags=re.M),
        "declarations": main[main.index("{") + 1:main.index("platform_main_begin")],
        "body": re.sub(r"if \(print_hash_value\) printf\(.*\);", "", main[main.index("func_1();"):main.index("platform_main_end")]),
        "kernel": IN_GLOBAL_MEMORY if seed % 2 else IN_LOCAL_MEMORY,
        "threads": THREADS,
    }


print(program(int(sys.argv[1]), sys.argv[2:]))
