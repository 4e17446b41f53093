#!/usr/bin/env python3
"""What NVIDIA's assembler makes of PTX: fills in assembled.csv.

    python3 assemble.py [--arch sm_90] assembled.csv

needs ptxas and nvdisasm of the CUDA toolkit on the PATH, and no GPU. Each row is PTX,
often one instruction; the other columns are made anew: how many machine
instructions it comes to, and which. A new row needs its PTX alone.

A figure is a quarter of the difference between two kernels, with two and with
six copies of the PTX on registers of their own. What the PTX reads comes from
memory, what it leaves goes there; loads, stores and constants of the kernel are
not counted, nor are the comparisons and selections that bring predicates in and
out, nor what stands behind the first EXIT: functions that the code calls, which
only special operands need. Where CALL is among the instructions, the count is
none of what is executed.
"""

import argparse
import collections
import csv
import pathlib
import re
import subprocess
import tempfile

TYPES = {"p": "pred", "rs": "b16", "r": "b32", "rd": "b64", "f": "f32", "fd": "f64"}
LOADS = {"rs": "u16", "r": "u32", "rd": "u64", "f": "f32", "fd": "f64"}
REGISTER = re.compile(r"%(fd|rd|rs|p|r|f)(\d+)")
KEPT = re.compile(r"(LDG|STG|LDC|ULDC|NOP)\b")  # of the kernel
BATCH = 24


def registers(ptx):
    """The registers that the PTX reads before it writes them, and those it leaves."""
    inputs, written, results = [], set(), []
    for line in filter(None, (part.strip() for part in ptx.split(";"))):
        guard, body = "", line
        if line.startswith("@"):
            guard, body = line.split(None, 1)
        opcode, _, operands = body.partition(" ")
        end = operands.index("}") if operands.startswith("{") else (operands + ",").index(",")
        target = "" if opcode.startswith(("st.", "red.")) else operands[:end]
        writes = REGISTER.findall(target)
        for r in REGISTER.findall(guard + operands[len(target):]) + (writes if guard else []):
            if r not in written and r not in inputs:
                inputs.append(r)
            if r in results:
                results.remove(r)
        for r in writes:
            written.add(r)
            if r not in results:
                results.append(r)
    return inputs, results


def kernel(name, ptx, copies):
    inputs, results = registers(ptx)
    before, body, after, offset = [], [], [], 0
    for i in range(copies):
        def rename(text):
            return REGISTER.sub(lambda m: f"%{m[1]}{int(m[2]) + 40 * i}", text)
        for kind, n in inputs:
            r = f"%{kind}{int(n) + 40 * i}"
            if kind == "p":
                t = f"%q{int(n) + 40 * i}"
                before.append(f"ld.volatile.global.u32 {t}, [%base+{offset}]; setp.ne.u32 {r}, {t}, 0;")
            else:
                before.append(f"ld.volatile.global.{LOADS[kind]} {r}, [%base+{offset}];")
            offset += 8
        body.append(rename(ptx).replace("[OUT]", f"[%base+{8192 + 8 * i}]"))
        for kind, n in results:
            r = f"%{kind}{int(n) + 40 * i}"
            if kind == "p":
                t = f"%q{int(n) + 40 * i}"
                after.append(f"selp.b32 {t}, 1, 0, {r}; st.volatile.global.u32 [%base+{offset}], {t};")
            else:
                after.append(f"st.volatile.global.{LOADS[kind]} [%base+{offset}], {r};")
            offset += 8
    regs = " ".join(f".reg .{t} %{k}<300>;" for k, t in TYPES.items())
    return f""".visible .entry {name}(.param .u64 buffer) {{
    {regs} .reg .b32 %q<300>, %thread; .reg .b64 %base; .shared .align 16 .b8 x[64];
    ld.param.u64 %base, [buffer]; mov.u32 %thread, %tid.x; mad.wide.u32 %base, %thread, 16384, %base;
    """ + "\n    ".join(before + body + after) + "\n    ret;\n}\n", sum(k == "p" for k, _ in inputs + results)


def assemble(text, arch, folder):
    """Machine instructions by kernel, or None if the assembler refuses."""
    ptx, cubin = folder / "k.ptx", folder / "k.cubin"
    ptx.write_text(f".version 8.0\n.target {arch}\n.address_size 64\n{text}")
    if subprocess.run(["ptxas", f"-arch={arch}", "-o", cubin, ptx], capture_output=True).returncode:
        return None
    code, at = {}, None
    for line in subprocess.check_output(["nvdisasm", "-c", cubin], text=True).splitlines():
        if m := re.match(r"\s*\.section\s+\.text\.(\w+)", line):
            at = code.setdefault(m[1], [])
        elif (m := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?);", line)) and at is not None:
            at.append(m[1].strip())
    return code


def mix(code):
    found = collections.Counter()
    for line in code:
        if line == "EXIT":
            break
        opcode = re.sub(r"^@!?U?P\d+ ", "", line).split()[0]
        if not KEPT.match(opcode):
            found[opcode] += 1
    return found


def measure(rows, arch, folder):
    """Adds count and mix to rows of PTX; those that are refused get none."""
    text, predicates = "", []
    for i, row in enumerate(rows):
        few, n = kernel(f"few{i}", row["ptx"], 2)
        text += few + kernel(f"many{i}", row["ptx"], 6)[0]
        predicates.append(n)
    code = assemble(text, arch, folder)
    if code is None:
        if len(rows) > 1:
            for row in rows:
                measure([row], arch, folder)
        else:
            rows[0].update(count="", sass="refused")
        return
    for i, row in enumerate(rows):
        few, many = mix(code[f"few{i}"]), mix(code[f"many{i}"])
        per = {k: (many[k] - few[k]) / 4 for k in many if many[k] != few[k]}
        row["count"] = f"{sum(per.values()) - predicates[i]:g}"
        row["sass"] = " ".join(f"{k}*{v:g}" for k, v in sorted(per.items(), key=lambda e: (-e[1], e[0])))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file", type=pathlib.Path)
    p.add_argument("--arch", default="sm_90")
    o = p.parse_args()
    lines = o.file.read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    version = re.search(r"release \S+ V(\S+)", subprocess.check_output(["ptxas", "--version"], text=True).replace(",", ""))[1]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(0, len(rows), BATCH):
            measure(rows[i:i + BATCH], o.arch, pathlib.Path(folder))
    with o.file.open("w", newline="") as f:
        f.write(f"# assembler: ptxas {version}, {o.arch}; made by assemble.py\n")
        w = csv.DictWriter(f, ["ptx", "count", "sass"], lineterminator="\n")
        w.writeheader()
        w.writerows({k: row.get(k, "") for k in ("ptx", "count", "sass")} for row in rows)


if __name__ == "__main__":
    main()
