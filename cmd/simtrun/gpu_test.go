package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/gpu"
)

// kernelOfSMs stores the number of SMs, and waits until the last block has started.
//
//go:embed testdata/kernels/kernel_of_s_ms.s
var kernelOfSMs string

// TestRunUsesLimitsOfGPU checks that the number of SMs, the residency, the limits of a launch and the divergence model
// are those of the GPU that flags, scripts and headers name.
func TestRunUsesLimitsOfGPU(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := write("own.toml", "base = \"v100\"\ngpcs = 1\ntpcs = 2\nsms = 2\n")
	wrong := write("wrong.toml", "base = \"v100\"\n\nsms = 0\n")
	script := write("script.sim", "gpu "+own+"\n")
	inHeader := func(name string) string { return "//sim:gpu " + name + "\n" + kernelOfSMs }
	for _, c := range []struct {
		source string
		args   []string
		code   int
		want   string // in the output
	}{
		{kernelOfSMs, nil, 0, "divergence its\nok "},
		{kernelOfSMs, nil, 0, "out[0:1] u32 = 132\n"},
		{kernelOfSMs, []string{"--gpu", "v100"}, 0, "out[0:1] u32 = 80\n"},
		{kernelOfSMs, []string{"--gpu", own}, 0, "out[0:1] u32 = 2\n"},
		{kernelOfSMs, []string{"--script", script}, 0, "out[0:1] u32 = 2\n"},
		{inHeader("a100"), nil, 0, "out[0:1] u32 = 108\n"},
		{inHeader("a100"), []string{"--script", script}, 0, "out[0:1] u32 = 2\n"},
		{inHeader("a100"), []string{"--gpu", "b200-168", "--script", script}, 0, "out[0:1] u32 = 168\n"},
		{inHeader("minimal"), nil, 0, "divergence stack\nok "},
		{inHeader("minimal"), []string{"--divergence", "its"}, 0, "divergence its\nok "},
		{kernelOfSMs, []string{"--grid", "64"}, 0, "ok "},
		{kernelOfSMs, []string{"--grid", "8", "--gpu", "minimal"}, 0, "ok "},
		{kernelOfSMs, []string{"--grid", "9", "--gpu", "minimal"}, 5, "waiting 1 block, not started: the GPU holds 8 of these at once"},
		{kernelOfSMs, []string{"--block", "1024"}, 0, "ok "},
		{kernelOfSMs, []string{"--block", "1024", "--gpu", "minimal"}, 2, "block 1024x1x1: 1024 threads, at most 512"},
		{kernelOfSMs, []string{"--shared", "98305", "--gpu", "v100"}, 2, "98305 bytes of shared memory per block, at most 98304"},
		{kernelOfSMs, []string{"--shared", "98305"}, 0, "ok "},
		{kernelOfSMs, []string{"--regs", "256"}, 2, "simtrun: k: 256 registers per thread, at most 255\n"},
		{kernelOfSMs, []string{"--regs", "65", "--block", "1024"}, 2, "simtrun: k: 1024 threads of 65 registers take 73728 registers per block, at most 65536\n"},
		{"//sim:regs 65\n" + kernelOfSMs, []string{"--block", "1024"}, 2, "take 73728 registers per block"},
		{"//sim:regs 65\n" + kernelOfSMs, []string{"--block", "1024", "--regs", "64"}, 0, "ok "},
		{kernelOfSMs, []string{"--regs", "128", "--block", "512", "--gpu", own, "--grid", "2"}, 0, "ok "},
		{kernelOfSMs, []string{"--regs", "128", "--block", "512", "--gpu", own, "--grid", "3"}, 5, "waiting 1 block, not started: the GPU holds 2 of these at once"},
		{kernelOfSMs, []string{"--shared", "40000", "--gpu", own, "--grid", "3"}, 0, "ok "},
		{kernelOfSMs, []string{"--shared", "40000", "--gpu", own, "--grid", "3", "--carveout", "0"}, 5, "the GPU holds 2 of these at once"},
		{kernelOfSMs, []string{"--regs", "60", "--block", "544", "--gpu", own, "--grid", "3"}, 5, "the GPU holds 2 of these at once"},
		{kernelOfSMs, []string{"--regs", "60", "--block", "544", "--gpu", own, "--grid", "3", "--idealised"}, 0, "ok "},
		{kernelOfSMs, []string{"--carveout", "101"}, 2, `simtrun: --carveout 101: "101" is not a carve-out, a percentage of shared memory from 0 to 100`},
		{kernelOfSMs, []string{"--gpu", wrong}, 2, wrong + ":3: sms: 0; it is at least 1\n"},
	} {
		got := simtrun(t, c.source, append([]string{"FILE"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d\n%s%swant %s", c.args, got.code, c.code, got.stdout, got.stderr, c.want)
		}
	}
	for _, command := range []string{"profile", "debug"} {
		args := []string{command, "FILE", "--gpu", "v100"}
		if command == "debug" {
			args = append(args, "--batch", "-e", "continue")
		}
		if got := simtrun(t, kernelOfSMs, args...); got.code != 0 || !strings.Contains(got.stdout, fmt.Sprintf("u32 = %d\n", 80)) {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

// TestGPUCommandShowsPresets checks the output of gpu, and its messages about mistakes.
func TestGPUCommandShowsPresets(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.toml")
	if err := os.WriteFile(wrong, []byte("base = \"h100\"\nsmz = 3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string // in the output
	}{
		{nil, 0, "h100  NVIDIA H100 SXM5, compute capability 9.0\n"},
		{[]string{"v100"}, 0, "v100  NVIDIA V100 SXM2, compute capability 7.0\n"},
		{[]string{"v100"}, 0, "\nchip        GPCs 6, TPCs 40, SMs 80, warp schedulers 320, clock 1530 MHz\n"},
		{[]string{"v100"}, 0, "\nshared      96 KiB, of a block 48 KiB, opted in 96 KiB; unit 256 bytes, for the system 0 bytes\n"},
		{[]string{"v100"}, 0, "\ncarve-outs  0 8 16 32 64 96 KiB; L1 has the rest of 128 KiB\n"},
		{[]string{"b200"}, 0, "\nmemory      device 180 GiB, peak 7672 GB/s, read 6753 GB/s; L2 126.5 MiB\n"},
		{[]string{"a6000"}, 0, "shared pipes fp64; "},
		{[]string{"h100-text"}, 0, "\nFP32       61.8 TFLOPS    468.5 GFLOPS\n"},
		{[]string{"minimal"}, 0, "\nFP32      0.064 TFLOPS     64.0 GFLOPS\n"},
		{[]string{"minimal"}, 0, "\nload_global            100         1  lsu\n"},
		{[]string{"--list"}, 0, "v100          NVIDIA V100 SXM2           7.0   80 SMs  1530 MHz\n"},
		{[]string{"--toml"}, 0, "\nsms = 132 "},
		{[]string{"h101"}, 2, `simtrun: no GPU "h101"; there are a10, a100, `},
		{[]string{wrong}, 2, wrong + ":2: no key smz; did you mean sms?\n"},
		{[]string{"a100", "h100"}, 2, "one GPU at a time"},
		{[]string{"--list", "--json"}, 2, "--list, --toml and --json cannot be combined"},
		{[]string{"--toml", "--json"}, 2, "--list, --toml and --json cannot be combined"},
		{[]string{"--list", "a100"}, 2, "--list lists all presets"},
	} {
		got := simtrun(t, "", append([]string{"gpu"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d\n%s%swant %s", c.args, got.code, c.code, got.stdout, got.stderr, c.want)
		}
	}
}

// TestTOMLOutputDescribesSameGPU checks that the output of --toml describes the same GPU.
func TestTOMLOutputDescribesSameGPU(t *testing.T) {
	folder := t.TempDir()
	for _, name := range gpu.Names() {
		path := filepath.Join(folder, name+".toml")
		text := simtrun(t, "", "gpu", name, "--toml").stdout
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		want, got := simtrun(t, "", "gpu", name), simtrun(t, "", "gpu", path)
		if diff := cmp.Diff(want.stdout, got.stdout); diff != "" || got.code != 0 {
			t.Errorf("%s (-preset +file):\n%s%s", name, diff, got.stderr)
		}
	}
}
