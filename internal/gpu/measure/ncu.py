#!/usr/bin/env python3
"""Makes ncu.csv and ncu_lines.csv from Nsight Compute's exports about the cases launched by kernels.py --once. See
README.md."""

import argparse
import csv
import datetime
import json
import pathlib

import measure

# Columns of ncu.csv, by the name of the metric, or by its name and that of another column.
STALLS = ("barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar",
          "mio_throttle", "misc", "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "wait")
METRICS = [
    "gpu__time_duration.sum", "gpc__cycles_elapsed.max", "sm__cycles_active.avg", "sm__cycles_active.max",
    "launch__registers_per_thread", "launch__shared_mem_config_size", "launch__occupancy_limit_blocks", "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps", "launch__waves_per_multiprocessor",
    "smsp__inst_executed.sum", "smsp__inst_issued.sum", "smsp__inst_executed_op_branch.sum", "thread_inst_executed", "thread_inst_executed_true", "smsp__sass_branch_targets_threads_divergent.sum",
    "smsp__warps_active.avg.per_cycle_active", "smsp__warps_eligible.avg.per_cycle_active", "smsp__issue_active.avg.per_cycle_active", "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__average_warp_latency_per_inst_issued.ratio", *[f"smsp__average_warps_issue_stalled_{s}_per_issue_active.ratio" for s in STALLS],
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "smsp__sass_inst_executed_op_shared_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "smsp__sass_inst_executed_op_shared_st.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_atom.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "derived__memory_l1_wavefronts_shared_excessive", "derived__memory_l2_theoretical_sectors_global_excessive", "memory_l1_tag_requests_global",
    "lts__t_sectors.sum", "lts__t_sector_hit_rate.pct", "dram__bytes_read.sum", "dram__bytes_write.sum",
]
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def value(text, unit):
    """Returns a number in the metric's own unit: nanoseconds, bytes, cycles."""
    text = text.replace(",", "")
    try:
        number = float(text)
    except ValueError:
        return text
    if number != number:
        return ""
    if unit in UNITS:
        number *= UNITS[unit]
    elif unit[1:2].islower() and unit[:1] in PREFIXES:
        number *= PREFIXES[unit[0]]
    # Rounding makes sums of counts whole numbers.
    return f"{number:.0f}" if number == round(number) or abs(number) >= 1e6 else f"{number:.6g}"


def launches(path):
    header, units, *rows = csv.reader(open(path))
    return [{n: value(v, u) for n, u, v in zip(header, units, row)} for row in rows]


def lines(path):
    """Yields for every launch the rows of its source page, as dictionaries. Pages that Nsight Compute writes twice in a
    row count once."""
    header, found = None, []
    for row in csv.reader(open(path)):
        if row and row[0] == "Kernel Name":
            found.append([])
            header = None
        elif row and header is None:
            header = row
        elif row:
            found[-1].append(dict(zip(header, row)))
    return [part for i, part in enumerate(found) if i == 0 or part != found[i - 1]]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("bundle", help="the directory that the cases were exported to")
    p.add_argument("--raw", nargs="+", help="files of ncu --page raw --csv, in the order of the cases")
    p.add_argument("--source", nargs="+", help="files of ncu --page source --csv --print-source sass, likewise")
    p.add_argument("--heading", help="a CSV file of the same machine whose heading is taken")
    p.add_argument("--out", default="measured")
    o = p.parse_args()
    cases = json.loads((pathlib.Path(o.bundle) / "cases.json").read_text())
    found = [launch for path in o.raw for launch in launches(path)]
    if [c["Kernel"] for c in cases] != [f["Kernel Name"] for f in found]:
        raise SystemExit("the launches are not the cases")
    heading = [line[2:].strip() for line in open(o.heading) if line.startswith("# ") and not line.startswith("# method")]
    out = pathlib.Path(o.out)
    measure.write(out / "ncu.csv", heading, "Nsight Compute 2025.3, --clock-control none, caches flushed before each of 34 passes; time in ns, shared memory in bytes",
                  ["case", "grid", "block", *METRICS], [[c["Name"], f["Grid Size"].strip("()").replace(", ", "x"), f["Block Size"].strip("()").replace(", ", "x"), *[f.get(m, "") for m in METRICS]] for c, f in zip(cases, found)])
    if not o.source:
        return
    rows, per_case = [], [part for path in o.source for part in lines(path)]
    for number, (c, part, launch) in enumerate(zip(cases, per_case, found, strict=True)):
        executed = sum(int(line["Instructions Executed"]) for line in part)
        if executed != float(launch["smsp__inst_executed.sum"]):
            raise SystemExit(f"the page of sources of {c['Name']} has {executed} executions, not {launch['smsp__inst_executed.sum']}")
        if not (c["Name"].startswith("workload") or number >= len(cases) - 9):
            continue
        for at, line in enumerate(part):
            stalls = {k[6:]: v for k, v in line.items() if k.startswith("stall_") and "Not" not in k and v not in ("0", "-", "")}
            rows.append([number, at, " ".join(line["Source"].split()), line["Instructions Executed"], line["Thread Instructions Executed"], line["Predicated-On Thread Instructions Executed"], line["# Samples"],
                         " ".join(f"{k}:{v}" for k, v in stalls.items()), line["L1 Tag Requests Global"], line["L1 Conflicts Shared N-Way"]])
    measure.write(out / "ncu_lines.csv", heading, "Nsight Compute 2025.3, the page of sources: executions and samples (every 2048 cycles or so) of machine instructions, by the reason why a warp was not issued; case is the row of ncu.csv, from 0",
                  ["case", "at", "sass", "executed", "threads", "threads_true", "samples", "stalls", "l1_tag_requests", "shared_nway"], rows)


if __name__ == "__main__":
    main()
