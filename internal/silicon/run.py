#!/usr/bin/env python3
"""Runs cases of simtrun on an NVIDIA GPU.

    run.py cases.zip results.zip [--workers N] [--seconds N]

`go test ./internal/silicon -cases cases.zip` writes cases.zip. run.py needs only
Python 3.8 and NVIDIA's driver: it calls libcuda directly.

Kernels are assembled many at a time, without those that the driver's assembler
refuses. Workers are processes; one whose GPU context an error has
corrupted, or that hangs, is replaced, and the error or hang is the result of its module.
"""

import argparse
import base64
import bisect
import collections
import ctypes
import datetime
import hashlib
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile

HASH_BYTES = 8
LAUNCH_SECONDS = 12  # a module that takes longer hangs
ARENA = 64 << 20  # bytes of a worker's device memory for buffers
ALIGN = 256
BATCH = 48  # modules at most that are merged
FILE_BYTES = 4 << 20  # longer outputs are only hashed, unless they are wanted
ALL_FILE_BYTES = 128 << 20  # of all outputs that are kept without being wanted


class CudaError(Exception):
    """An error of the driver."""


class Driver:
    """The functions of libcuda that run.py needs."""

    def __init__(self):
        self.lib = ctypes.CDLL(os.environ.get("LIBCUDA", "libcuda.so.1"))
        self("cuInit", ctypes.c_uint(0))
        self.device = ctypes.c_int()
        self("cuDeviceGet", ctypes.byref(self.device), ctypes.c_int(0))

    def __call__(self, name, *args):
        code = getattr(self.lib, name)(*args)
        if code:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorName(ctypes.c_int(code), ctypes.byref(text))
            raise CudaError((text.value or b"?").decode() + " (%d)" % code)

    def about(self):
        name = ctypes.create_string_buffer(256)
        self("cuDeviceGetName", name, ctypes.c_int(256), self.device)
        version = ctypes.c_int()
        self("cuDriverGetVersion", ctypes.byref(version))
        return {
            "gpu": name.value.decode(),
            "driver": driver_version(),
            "cuda": "%d.%d" % (version.value // 1000, version.value % 1000 // 10),
            "date": datetime.date.today().isoformat(),
        }

    def open(self):
        """Makes a context, and allocates memory for buffers."""
        context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self("cuCtxSetCurrent", context)
        self("cuCtxSetLimit", ctypes.c_int(0), ctypes.c_size_t(4096))  # bytes of stack
        self.arena = self.alloc(ARENA)

    def alloc(self, size):
        address = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def load(self, ptx):
        """Loads a module. An error has the assembler's log."""
        log = ctypes.create_string_buffer(1 << 18)
        options = (ctypes.c_int * 2)(5, 6)  # ERROR_LOG_BUFFER, its _SIZE_BYTES
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        module = ctypes.c_void_p()
        try:
            self("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(ptx.encode()), ctypes.c_uint(2), options, values)
        except CudaError as e:
            raise CudaError("%s: %s" % (e, log.value.decode(errors="replace").strip())) from None
        return module

    def run(self, jobs, contents):
        """Executes launches, pairs of a loaded kernel and what to do with it, and
        returns the outputs of each: buffers and variables. Those of one call are
        copied together, and waited for once."""
        host, places = bytearray(), []
        for _, launch, _ in jobs:
            mine = []
            for b in launch.get("buffers") or []:
                mine.append(len(host))
                host += contents(b["data"]) if b.get("data") else bytes(b["size"])
                host += bytes(-len(host) % ALIGN)
            places.append(mine)
        own = None if len(host) <= ARENA else self.alloc(len(host))
        base = own or self.arena
        if host:
            self("cuMemcpyHtoD_v2", ctypes.c_uint64(base), (ctypes.c_char * len(host)).from_buffer(host), ctypes.c_size_t(len(host)))
        keep = []  # parameters, until they are used
        for (kernel, launch, _), mine in zip(jobs, places):
            params = bytearray(base64.b64decode(launch["params"] or ""))
            for p in launch.get("pointers") or []:
                at = base + mine[p["buffer"]] + p.get("offset", 0)
                params[p["at"] : p["at"] + 8] = at.to_bytes(8, "little")
            block = ctypes.create_string_buffer(bytes(params), max(len(params), 1))
            offsets = launch.get("offsets") or []
            args = (ctypes.c_void_p * max(len(offsets), 1))(*[ctypes.addressof(block) + o for o in offsets])
            keep += [block, args]
            shared = launch.get("shared", 0)
            if shared > 48 << 10:
                self("cuFuncSetAttribute", kernel, ctypes.c_int(8), ctypes.c_int(shared))
            shape = [ctypes.c_uint(n) for n in launch["grid"] + launch["block"] + [shared]]
            for _ in range(launch["times"]):
                self("cuLaunchKernel", kernel, *shape, None, args, None)
        self("cuCtxSynchronize")
        after = self.read(base, len(host))
        if own:
            self("cuMemFree_v2", ctypes.c_uint64(own))
        results = []
        for (_, launch, module), mine in zip(jobs, places):
            outputs = [after[at : at + b["size"]] for at, b in zip(mine, launch.get("buffers") or [])]
            for v in launch.get("variables") or []:
                address = ctypes.c_uint64()
                self("cuModuleGetGlobal_v2", ctypes.byref(address), None, module, ctypes.c_char_p(v["name"].encode()))
                outputs.append(self.read(address.value, v["size"]))
            results.append(outputs)
        return results

    def kernel(self, module, name):
        function = ctypes.c_void_p()
        self("cuModuleGetFunction", ctypes.byref(function), module, ctypes.c_char_p(name.encode()))
        return function

    def read(self, address, size):
        data = ctypes.create_string_buffer(max(size, 1))
        if size:
            self("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw[:size]


def driver_version():
    try:
        with open("/proc/driver/nvidia/version") as f:
            return re.search(r"\b(\d+\.\d+(\.\d+)?)\b", f.read()).group(1)
    except (OSError, AttributeError):
        pass
    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def digest(data):
    return hashlib.sha256(data).hexdigest()[: 2 * HASH_BYTES]


ENTRY = re.compile(r"(\.version .*\n\.target .*\n\.address_size 64\n\s*\.visible \.entry )(k)\(")


def merged(modules):
    """The text of modules that have a kernel k each and nothing else as one, with
    kernels k0, k1 …, and the line in which each begins."""
    text, starts = ENTRY.match(modules[0]["ptx"]).group(1).rsplit(".visible", 1)[0], []
    for i, m in enumerate(modules):
        starts.append(text.count("\n") + 1)
        text += ".visible .entry k%d(" % i + m["ptx"][ENTRY.match(m["ptx"]).end() :] + "\n"
    return text, starts


class Refusals:
    """Loads modules as one, without those that are refused."""

    def __init__(self, driver, modules):
        self.driver, self.logs = driver, {}
        left = list(range(len(modules)))
        while left:
            text, starts = merged([modules[i] for i in left])
            try:
                self.module, self.names = driver.load(text), {n: "k%d" % i for i, n in enumerate(left)}
                return
            except CudaError as e:
                blamed = {}
                for line in str(e).splitlines():
                    if number := re.search(r", line (\d+); error +: (.*)", line):
                        at = bisect.bisect(starts, int(number.group(1))) - 1
                        blamed.setdefault(left[at], number.group(2))
                if not blamed:
                    raise
                self.logs.update(blamed)
                left = [i for i in left if i not in blamed]
        self.module, self.names = None, {}


def answers(driver, modules, contents, keep, files):
    """The results of modules: one, or several that can be merged."""
    results = [None] * len(modules)
    try:
        if len(modules) == 1:
            loaded = driver.load(modules[0]["ptx"])
            jobs = [(0, driver.kernel(loaded, l["kernel"]), l) for l in modules[0]["launches"]]
        else:
            r = Refusals(driver, modules)
            loaded = r.module
            for i, log in r.logs.items():
                results[i] = {"status": "refused", "log": log}
            jobs = [(i, driver.kernel(loaded, name), l) for i, name in r.names.items() for l in modules[i]["launches"]]
    except CudaError as e:
        return [{"status": "refused", "log": str(e)}] * len(modules)
    groups = [[j] for j in jobs] if len(modules) == 1 else [jobs]
    for group in groups:
        outputs = driver.run([(kernel, launch, loaded) for _, kernel, launch in group], contents) if group else []
        for (i, _, launch), output in zip(group, outputs):
            one = {"hashes": []}
            want = launch.get("want") or []
            for n, o in enumerate(output):
                begin = len(one["hashes"])
                table = launch.get("columns") if n == len(launch.get("buffers") or []) - 1 else None
                one["hashes"] += [digest(c) for c in columns(o, table)]
                end = len(one["hashes"])
                if keep or one["hashes"][begin:end] != want[begin:end] and len(o) <= FILE_BYTES:
                    one.setdefault("files", {})[n] = digest(o)
                    files[digest(o)] = o
            results[i] = results[i] or {"status": "ok", "launches": []}
            results[i]["launches"].append(one)
    if loaded:
        driver("cuModuleUnload", loaded)
    return results


def columns(data, number):
    """The columns of a table of 8-byte words, if it is one."""
    if not number:
        return [data]
    words = memoryview(data).cast("Q")
    return [words[c::number].tobytes() for c in range(number)]


def worker(pipe, path):
    """Takes modules from the pipe and sends back their results. It ends after
    an error that may have corrupted the context."""
    os.environ["CUDA_CACHE_DISABLE"] = "1"
    printed = tempfile.TemporaryFile()
    os.dup2(printed.fileno(), 1)
    archive = zipfile.ZipFile(path)
    cache = {}

    def contents(name):
        if name not in cache:
            cache[name] = archive.read("data/" + name)
        return cache[name]

    driver = Driver()
    driver.open()
    pipe.send(None)
    while True:
        modules, keep = pipe.recv()
        files = {}
        try:
            results = answers(driver, modules, contents, keep, files)
        except CudaError as e:
            pipe.send(([{"status": "error", "log": str(e)}] * len(modules), {}))
            os._exit(0)
        if os.fstat(printed.fileno()).st_size:
            printed.seek(0)
            results[0]["printed"] = printed.read().decode(errors="replace")
            printed.seek(0)
            printed.truncate()
        pipe.send((results, files))


class Worker:
    """A worker process and its present module."""

    def __init__(self, path):
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(target=worker, args=(theirs, path), daemon=True)
        self.process.start()
        theirs.close()
        self.jobs, self.ready, self.since = None, False, time.monotonic()

    def end(self):
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Run:
    """All modules of all cases, and their results."""

    def __init__(self, path, seconds):
        self.path = path
        with zipfile.ZipFile(path) as z:
            self.cases = [json.loads(line) for line in z.read("cases.jsonl").decode().splitlines()]
        self.results = [{"name": c["name"], "key": c.get("key", ""), "modules": [{"status": "not run"} for _ in c["modules"]]} for c in self.cases]
        self.left = sum(len(c["modules"]) for c in self.cases)
        self.batches = self.batched()
        self.files, self.room = {}, ALL_FILE_BYTES
        self.deadline = time.monotonic() + seconds

    def module(self, job):
        i, k = job
        return self.cases[i]["modules"][k]

    def batched(self):
        """Modules by case and number, in lists of those that are merged."""
        batches, header, room = [], None, 0
        for i, c in enumerate(self.cases):
            for k, m in enumerate(c["modules"]):
                entry = ENTRY.match(m["ptx"])
                mine = entry.group(1) if entry and not c.get("keep") else None
                size = sum(b["size"] + ALIGN for l in m["launches"] for b in l.get("buffers") or [])
                if mine is None or mine != header or len(batches[-1]) == BATCH or size > room:
                    batches.append([])
                    header, room = mine, ARENA
                batches[-1].append((i, k))
                room -= size
        return collections.deque(batches)

    def finish(self, w, results, files=None):
        jobs = w.jobs
        w.jobs, files = None, files or {}
        if len(jobs) > 1 and results[0] and results[0]["status"] in ("error", "timeout"):
            half = len(jobs) // 2  # one of them is to blame
            self.batches.extendleft([jobs[half:], jobs[:half]])
            return
        for (i, k), result in zip(jobs, results):
            self.results[i]["modules"][k] = result
            self.left -= 1
        if not self.cases[jobs[0][0]].get("keep"):
            self.room -= sum(map(len, files.values()))
            if self.room < 0:
                for launch in (l for r in results for l in r.get("launches", [])):
                    launch.pop("files", None)
                return
        self.files.update(files)

    def give(self, w):
        """Sends w the next modules; False if there are none."""
        if not self.batches or time.monotonic() > self.deadline:
            return False
        w.jobs = self.batches.popleft()
        w.since = time.monotonic()
        w.pipe.send(([self.module(j) for j in w.jobs], self.cases[w.jobs[0][0]].get("keep", False)))
        return True

    def work(self, number):
        workers = [Worker(self.path) for _ in range(number)]
        shown = time.monotonic()
        while workers:
            for pipe in multiprocessing.connection.wait([w.pipe for w in workers], 1):
                w = next(w for w in workers if w.pipe is pipe)
                try:
                    answer = pipe.recv()
                except (EOFError, ConnectionError):
                    workers.remove(w)
                    w.end()
                    if w.jobs:
                        self.finish(w, [{"status": "error", "log": "worker died"}] * len(w.jobs))
                    elif not w.ready:
                        sys.exit("a worker cannot use the GPU")
                    workers.append(Worker(self.path))
                    continue
                if answer is not None:
                    self.finish(w, *answer)
                    if answer[0][0]["status"] == "error":
                        workers.remove(w)
                        w.end()
                        workers.append(Worker(self.path))
                        continue
                w.ready = True
                if not self.give(w):
                    workers.remove(w)
                    w.end()
            now = time.monotonic()
            for w in [w for w in workers if now - w.since > LAUNCH_SECONDS + len(w.jobs or ()) / 4 + (0 if w.ready else 60)]:
                workers.remove(w)
                w.end()
                if w.jobs:
                    self.finish(w, [{"status": "timeout"}] * len(w.jobs))
                if now < self.deadline:
                    workers.append(Worker(self.path))
            if now - shown > 5:
                shown = now
                print("%d modules left" % self.left, flush=True)

    def write(self, path, about):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("about.json", json.dumps(about))
            z.writestr("results.jsonl", "".join(json.dumps(r) + "\n" for r in self.results))
            for name, data in self.files.items():
                z.writestr(name, data)

    def summary(self):
        """Counts of modules by result."""
        counts = {}
        for c, r in zip(self.cases, self.results):
            for m, got in zip(c["modules"], r["modules"]):
                what = got["status"]
                if what == "ok":
                    same = [l["want"] == g["hashes"] for l, g in zip(m["launches"], got["launches"])]
                    what = "same" if all(same) else "different"
                counts[what] = counts.get(what, 0) + 1
        return ", ".join("%s: %d" % kv for kv in sorted(counts.items()))




def main():
    parser = argparse.ArgumentParser(description="Runs cases of simtrun on an NVIDIA GPU.")
    parser.add_argument("cases")
    parser.add_argument("results")
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 8))
    parser.add_argument("--seconds", type=float, default=3600, help="start no more modules after this time (default 3600)")
    args = parser.parse_args()
    run = Run(args.cases, args.seconds)
    about = Driver().about()
    print("%(gpu)s, driver %(driver)s, CUDA %(cuda)s" % about, flush=True)
    run.work(args.workers)
    run.write(args.results, about)
    print(run.summary())


if __name__ == "__main__":
    main()
