#!/usr/bin/env python3
"""Runs whole kernels, the cases that kernels_test.go exports: times them, or launches each once for a profiler. See
README.md."""

import argparse
import concurrent.futures
import ctypes
import gzip
import hashlib
import json
import os
import pathlib
import statistics
import subprocess

import cuda
import measure
import ptx


class Case:
    def __init__(self, gpu, directory, spec):
        self.gpu, self.spec, self.directory = gpu, spec, directory
        self.params = bytearray.fromhex(spec["Params"])
        self.memory = []
        for b in spec["Buffers"] or []:
            if not b["At"]:  # a variable of the module
                continue
            p = gpu.alloc(b["Size"])
            self.memory.append((p, b))
            for at in b["At"]:
                self.params[at:at + 8] = p.to_bytes(8, "little")
        self.block = ctypes.create_string_buffer(bytes(self.params), max(len(self.params), 1))

    def fill(self):
        for p, b in self.memory:
            if b["File"]:
                self.gpu.write(p, gzip.decompress((self.directory / b["File"]).read_bytes()))
            else:
                self.gpu.zero(p, b["Size"])

    def launch(self, f):
        # The parameter block as a whole: CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END.
        size = ctypes.c_size_t(len(self.params))
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(self.block), 2, ctypes.addressof(size), 0)
        d = lambda v: (v["X"], v["Y"], v["Z"])
        self.gpu("cuLaunchKernel", f, *d(self.spec["Grid"]), *d(self.spec["Block"]), self.spec["Shared"], ctypes.c_void_p(0), ctypes.c_void_p(0), extra)

    def same(self):
        """Returns whether memory is the same as after simtrun's run."""
        self.gpu.sync()
        return all(hashlib.sha256(self.gpu.read(p, "B", b["Size"]).tobytes()).hexdigest() == b["SHA256"] for p, b in self.memory)

    def free(self):
        for p, _ in self.memory:
            self.gpu.free(p)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("bundle", help="directory that go test -run TestExportWritesEveryCase -args -export DIR wrote")
    p.add_argument("--out", default="measured")
    p.add_argument("--once", action="store_true", help="launch every case once and time nothing")
    p.add_argument("--cases", default=":", help="only those, by number, as a slice of Python's: 10: or :10")
    o = p.parse_args()
    gpu = cuda.GPU()
    directory = pathlib.Path(o.bundle)
    specs = json.loads((directory / "cases.json").read_text())
    first, _, last = o.cases.partition(":")
    specs = specs[int(first or 0):int(last) if last else None]
    ptxas = ptx.find("ptxas")
    arch = f"sm_{gpu.attributes['cc_major']}{gpu.attributes['cc_minor']}"

    def assemble(name):
        source = directory / name
        if not ptxas:
            return name, source.read_bytes() + b"\0", ""
        cubin = source.with_suffix(".cubin")
        if not cubin.exists():
            subprocess.run([ptxas, f"-arch={arch}", "-o", str(cubin), str(source)], check=True)
        return name, cubin.read_bytes(), ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        images = {name: image for name, image, _ in pool.map(assemble, sorted({s["PTX"] for s in specs}))}
    modules, rows = {}, []
    for spec in specs:
        if spec["PTX"] not in modules:
            modules[spec["PTX"]] = gpu.load(images[spec["PTX"]])
        f = gpu.function(modules[spec["PTX"]], spec["Kernel"])
        case = Case(gpu, directory, spec)
        case.fill()
        case.launch(f)
        gpu.sync()
        if not o.once:
            same = case.same()
            times = []
            for _ in range(12):
                times.append(gpu.seconds(lambda: case.launch(f)))
            threads = spec["Block"]["X"] * spec["Block"]["Y"] * spec["Block"]["Z"]
            attributes = [gpu.function_attribute(f, a) for a in ("registers", "static_shared", "local")]
            ctas = spec["Grid"]["X"] * spec["Grid"]["Y"] * spec["Grid"]["Z"]
            rows.append([spec["Name"], spec["Kernel"], ctas, threads, *attributes, gpu.blocks_per_sm(f, threads, spec["Shared"]), "yes" if same else "no",
                         f"{statistics.median(times[2:]) * 1e6:.2f}", f"{min(times[2:]) * 1e6:.2f}", f"{max(times[2:]) * 1e6:.2f}"])
        case.free()
    if not o.once:
        out = pathlib.Path(o.out)
        out.mkdir(parents=True, exist_ok=True)
        measure.write(out / "kernels.csv", measure.heading(gpu, ptxas), "elapsed time by events, of ten launches after three, caches as the launch before left them; same: memory after the first launch equals what simtrun leaves, bit by bit",
                      ["case", "kernel", "ctas", "threads", "registers", "static_shared", "local", "ctas_per_sm", "same", "us_median", "us_min", "us_max"], rows)


if __name__ == "__main__":
    main()
