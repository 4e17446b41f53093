"""Kernels that read the clock before and after their code, their assembly, and the resulting machine code."""

import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

VERSION = "8.0"


def header(arch):
    return f".version {VERSION}\n.target {arch}\n.address_size 64\n"


PARAMETERS = """    .param .u64 p_out, .param .u64 p_data, .param .u32 p_iterations,
    .param .u32 p_a, .param .u32 p_b, .param .u32 p_never"""

# Every warp's record: first and last clock, then its SM.
RECORD = 24


class Kernel:
    """A kernel in which each warp runs a loop between two clock readings.

    setup runs before the first reading, body in every iteration. Stores under a condition that is never true keep
    the registers in sink (lists of type and register) alive. In setup and body, a and b are opaque parameters, data
    is the address of the buffer, tid the index of the thread, lane and warp its position. All warps wait at a barrier
    before the loop unless meet is False."""

    def __init__(self, name, body, setup="", registers="", sink=(), module="", meet=True, loop=True, after=""):
        self.name, self.module = name, module
        sinks = "\n".join(f"    @pnever st.global.{t} [sinkat+{16 * i}], {r};" for i, (t, r) in enumerate(sink))
        top = 'LOOP:\n    .pragma "nounroll";' if loop else ""
        again = """    sub.u32 left, left, 1;
    setp.ne.u32 pleft, left, 0;
    @pleft bra LOOP;""" if loop else ""
        self.text = f"""
.visible .entry {name}(
{PARAMETERS})
{{
    .reg .b32 left, a, b, tid, lane, warp, cta, ntid, smid, never, warps, record;
    .reg .b64 out, data, first, last, at, sinkat;
    .reg .pred pleft, pnever, plane;
{registers}
    ld.param.u64 out, [p_out];
    ld.param.u64 data, [p_data];
    cvta.to.global.u64 out, out;
    cvta.to.global.u64 data, data;
    ld.param.u32 left, [p_iterations];
    ld.param.u32 a, [p_a];
    ld.param.u32 b, [p_b];
    ld.param.u32 never, [p_never];
    mov.u32 tid, %tid.x;
    and.b32 lane, tid, 31;
    shr.u32 warp, tid, 5;
    mov.u32 cta, %ctaid.x;
    mov.u32 ntid, %ntid.x;
    mov.u64 sinkat, out;
    setp.eq.u32 pnever, never, 77;
{setup}
    {"bar.sync 0;" if meet else ""}
    mov.u64 first, %clock64;
{top}
{body}
{again}
    mov.u64 last, %clock64;
{after}
{sinks}
    setp.ne.u32 plane, lane, 0;
    @plane ret;
    shr.u32 warps, ntid, 5;
    mad.lo.u32 record, cta, warps, warp;
    mad.wide.u32 at, record, {RECORD}, out;
    mov.u32 smid, %smid;
    st.global.u64 [at], first;
    st.global.u64 [at+8], last;
    st.global.u32 [at+16], smid;
    ret;
}}
"""


class Raw:
    """A kernel with complete text and its own parameters."""

    def __init__(self, name, text, module=""):
        self.name, self.text, self.module = name, text, module


class Images:
    """Kernels assembled into cubins, or as PTX without ptxas."""

    def __init__(self, directory, arch):
        self.directory, self.arch = pathlib.Path(directory), arch
        self.directory.mkdir(parents=True, exist_ok=True)
        self.ptxas, self.nvdisasm = find("ptxas"), find("nvdisasm")
        self.where = {}  # kernel name -> image path

    def assemble(self, kernels, per_file=12):
        """Assembles kernels; those with the same module text share files."""
        groups = collections.defaultdict(list)
        for k in kernels:
            groups[k.module].append(k)
        jobs = []
        for module, ks in groups.items():
            for i in range(0, len(ks), per_file):
                part = ks[i:i + per_file]
                path = self.directory / f"{part[0].name}.ptx"
                path.write_text(header(self.arch) + module + "".join(k.text for k in part))
                jobs.append((path, part))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for image, part in pool.map(self.build, jobs):
                for k in part:
                    self.where[k.name] = image

    def build(self, job):
        path, part = job
        if not self.ptxas:
            return path, part
        cubin = path.with_suffix(".cubin")
        run = subprocess.run([self.ptxas, f"-arch={self.arch}", "-o", str(cubin), str(path)], capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(f"{path}: {run.stdout}{run.stderr}")
        return cubin, part

    def sass(self):
        """Returns the machine code of every kernel: name -> list of instructions."""
        if not self.nvdisasm or not self.ptxas:
            return {}
        code = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for text in pool.map(self.disassemble, sorted(set(self.where.values()))):
                code.update(text)
        return code

    def disassemble(self, cubin):
        text = subprocess.run([self.nvdisasm, "-c", str(cubin)], capture_output=True, text=True).stdout
        code, at = {}, None
        for line in text.splitlines():
            if m := re.match(r"\s*\.section\s+\.text\.(\w+)", line):
                at = code.setdefault(m[1], [])
            elif m := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?)\s*;", line):
                at.append(m[1])
            elif (m := re.match(r"(\.L_\w+):", line)) and at is not None:
                at.append(m[1] + ":")
        return code


def find(tool):
    return shutil.which(tool) or shutil.which(f"/usr/local/cuda/bin/{tool}")


def mnemonic(instruction):
    """Returns the operation without its guard and operands."""
    words = instruction.split()
    return words[1] if words[0].startswith("@") else words[0]


def mix(code):
    """Returns how often each operation occurs in a kernel, without padding."""
    return collections.Counter(mnemonic(i) for i in code if not i.endswith(":") and mnemonic(i) != "NOP")


def between_clocks(code):
    """Returns the instructions from the first clock reading to the last."""
    at = [i for i, line in enumerate(code) if "SR_CLOCKLO" in line]
    return code[at[0]:at[-1] + 1] if at else []
