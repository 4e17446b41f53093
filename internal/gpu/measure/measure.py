#!/usr/bin/env python3
"""Measures a GPU, and writes one CSV file for each subject. See README.md."""

import argparse
import csv
import datetime
import importlib
import pathlib
import subprocess
import sys
import time
import traceback

import bench
import cuda
import ptx

SUBJECTS = ("occupancy", "instructions", "pairs", "banks", "shared", "barriers", "control", "warps", "ctas", "l1", "chains", "bandwidth", "constants")


def smi(query):
    try:
        run = subprocess.run(["nvidia-smi", "-i", "0", f"--query-gpu={query}", "--format=csv,noheader,nounits"], capture_output=True, text=True)
        return run.stdout.strip() or "unknown"
    except OSError:
        return "unknown"


def tool(path):
    if not path:
        return "none"
    out = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    return next((word.strip(",") for word in out.split() if word.startswith("V1")), "unknown")


def heading(gpu, ptxas):
    return [f"gpu: {gpu.name}, {gpu.sms} SMs", f"driver: {smi('driver_version')}, CUDA {gpu.cuda}, ptxas {tool(ptxas)}", f"date: {datetime.date.today()}",
            f"SM clock right after the runs, MHz: {smi('clocks.sm')} (at most {smi('clocks.max.sm')}), memory: {smi('clocks.mem')}; not locked, figures are in SM cycles where no other unit is named"]


def write(path, heading_lines, method, columns, rows):
    with open(path, "w", newline="") as f:
        for line in [*heading_lines, f"method: {method}"]:
            f.write(f"# {line}\n")
        w = csv.writer(f, lineterminator="\n")
        w.writerow(columns)
        w.writerows(rows)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--out", default="measured", help="directory of the CSV files")
    p.add_argument("--build", default="build", help="directory of PTX and cubin files")
    p.add_argument("--arch", help="PTX target; that of the GPU if left out")
    p.add_argument("--only-build", action="store_true", help="assemble the kernels and end; needs no GPU")
    p.add_argument("subject", nargs="*", default=SUBJECTS, help=f"any of {' '.join(SUBJECTS)}; all if left out")
    o = p.parse_args()

    gpu = None if o.only_build else cuda.GPU()
    arch = o.arch or (f"sm_{gpu.attributes['cc_major']}{gpu.attributes['cc_minor']}" if gpu else "sm_90")
    images = ptx.Images(o.build, arch)
    subjects = [importlib.import_module(s) for s in o.subject]
    start = time.time()
    images.assemble([k for s in subjects for k in s.kernels()])
    images.code = images.sass()
    print(f"assembled {len(images.where)} kernels: {time.time() - start:.1f} s", flush=True)
    if o.only_build:
        return

    out = pathlib.Path(o.out)
    out.mkdir(parents=True, exist_ok=True)
    b = bench.Bench(gpu, images)
    failed = False
    for s in subjects:
        for part in s.parts(b) if hasattr(s, "parts") else [lambda: s.run(b)]:
            start = time.time()
            try:
                tables = part()
            except Exception:  # a failing part must not discard the results of the others
                traceback.print_exc()
                failed = True
                continue
            for name, table in tables.items():
                if isinstance(table, str):
                    (out / name).write_text(table + "\n")
                    continue
                write(out / f"{name}.csv", heading(gpu, images.ptxas), *table)
            print(f"{' '.join(tables)}: {time.time() - start:.1f} s, SM clock {smi('clocks.sm')} MHz", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
