package gpu

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestFilesInheritFromTheirBase: values that a file does not have are those of its base, down to a single value of a
// class.
func TestFilesInheritFromTheirBase(t *testing.T) {
	got, err := Load("folder/my.toml", `
base = "h100"
sms = 4
tpcs = 2
gpcs = 1 # a tiny one
classes.single.interval = 2
classes.load_shared = { latency = 29 }
sm.sm_wide = ["fp64", "xu"]

[memory]
flat = 500
`)
	if err != nil {
		t.Fatal(err)
	}
	want := H100()
	want.Name, want.GPCs, want.TPCs, want.SMs = "my", 1, 2, 4
	want.GPCTPCs = []int64{2}
	want.Classes[isa.CostSingle].Interval = 2
	want.Classes[isa.CostLoadShared].Latency = 29
	want.Memory.Flat, want.Classes[isa.CostLoadGlobal].Latency = 500, 500
	want.SMWide[isa.FP64], want.SMWide[isa.XU] = true, true
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLoadErrorsNameLineAndKey: errors in a file have its line and key. Each case replaces a line of the preset a100,
// which has no base.
func TestLoadErrorsNameLineAndKey(t *testing.T) {
	whole, err := presetText("a100")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, line, want string }{
		// Not TOML.
		{"sms", `sms = `, `sms: expected value but found '\n' instead`},
		{"sms", `sms = 108 108`, `expected a top-level item to end with a newline, comment, or EOF, but got '1' instead`},
		{"sms", "sms = 108\nsms = 109", "+sms: Key 'sms' has already been defined."},
		// Keys.
		{"sms", `ssms = 108`, "no key ssms; did you mean sms?"},
		{"warps", `wraps = 64`, "no key residency.wraps; did you mean residency.warps?"},
		{"sms", "sms = 108\nwarps = 64", "+no key warps; did you mean residency.warps?"},
		{"sms", "sms = 108\ncolour = \"green\"", "+no key colour"},
		{"sms", "", `!sms is missing: SMs; base = "h100" in front takes what is missing from a preset`},
		{"warps", "", "^residency.warps is missing: warps, at most; a multiple of `sm.schedulers`; base = \"h100\" in front takes what is missing from a preset"},
		{"integer", "", `^classes.integer.pipe is missing: the pipe that executes the class; so are classes.integer.latency, classes.integer.interval; base = "h100" in front takes what is missing from a preset`},
		{"integer", `integer = { pipe = "alu", latency = 4 }`, `classes.integer.interval is missing: cycles until the pipe takes the next instruction; base = "h100" in front takes what is missing from a preset`},
		{"integer", `intger = { pipe = "alu", latency = 4, interval = 2 }`, "no key classes.intger.interval; did you mean classes.integer.interval?"},
		{"integer", `integer = { pipe = "alu", latncy = 4, interval = 2 }`, "no key classes.integer.latncy; did you mean classes.integer.latency?"},
		{"load_global", `load_global = { pipe = "lsu", latency = 4, interval = 2 }`, "no key classes.load_global.latency: this latency is memory.l1"},
		{"cta_barrier", `cta_barrier = { pipe = "adu", latency = 4, interval = 2 }`, "no key classes.cta_barrier.latency: this latency is barrier.release"},
		{"integer", `integer = 4`, "classes.integer is a table, as in [classes.integer]"},
		// Types.
		{"title", `title = 100`, "title: 100; it is a text in quotes"},
		{"title", `title = ""`, "title: it is empty"},
		{"sms", `sms = "many"`, `sms: "many"; it is an integer`},
		{"sms", `sms = 108.5`, "sms: 108.5; it is an integer"},
		{"sms", `sms = 1_048_577`, "sms: 1048577; it is at most 1048576"},
		{"dram_bytes", `dram_bytes = 281474976710657`, "memory.dram_bytes: 281474976710657; it is at most 281474976710656"},
		{"clock_mhz", `clock_mhz = "fast"`, `clock_mhz: "fast"; it is a number`},
		{"clock_mhz", `clock_mhz = nan`, "clock_mhz: NaN; it is a number"},
		{"clock_mhz", `clock_mhz = inf`, "clock_mhz: +Inf; it is a number"},
		{"compute_capability", `compute_capability = 8.0`, "compute_capability: 8; it is a list of 2 integers, as in [8, 16]"},
		{"compute_capability", `compute_capability = [8]`, "compute_capability: [8]; it is a list of 2 integers, as in [8, 16]"},
		{"grid", `grid = [1, 2, "z"]`, `limits.grid: "z"; it is an integer`},
		{"grid", `grid = [4294967296, 1, 1]`, "limits.grid: 4294967296; it is at most 4294967295"},
		{"carveouts", `carveouts = []`, "residency.carveouts: []; it is a list of integers, as in [8, 16]"},
		{"sm_wide", `sm_wide = "fp64"`, `sm.sm_wide: "fp64"; it is a list of pipes, as in ["fp64"], or []`},
		{"sm_wide", `sm_wide = ["fp46"]`, `sm.sm_wide: no pipe "fp46"; there are alu, fma, fmaheavy, fp16, fp64, xu, lsu, adu, cbu, tensor, tex`},
		// Values.
		{"sms", `sms = 0`, "sms: 0; it is at least 1"},
		{"clock_mhz", `clock_mhz = 0`, "clock_mhz: 0; it is at least 1"},
		{"l2", `l2 = -200`, "memory.l2: -200; it is at least 1"},
		{"integer", `integer = { pipe = "alu", latency = -4, interval = 2 }`, "classes.integer.latency: -4; it is at least 1"},
		{"integer", `integer = { pipe = "alu", latency = 4, interval = 0 }`, "classes.integer.interval: 0; it is at least 1"},
		{"integer", `integer = { pipe = "alo", latency = 4, interval = 2 }`, `classes.integer.pipe: no pipe "alo"; did you mean alu?`},
		{"store_surface", `store_surface = { pipe = "lsu", latency = 14, interval = 4 }`, `classes.store_surface.pipe: textures and surfaces go through tex`},
		{"integer", `integer = { pipe = "", latency = 4, interval = 2 }`, `classes.integer.pipe: no pipe ""; there are alu, fma, fmaheavy, fp16, fp64, xu, lsu, adu, cbu, tensor, tex`},
		{"policy", `policy = "fifo"`, `policy: no "fifo"; there are gty, gto, oldest, stalled, lrr, bank-aware`},
		{"divergence", `divergence = "Stack"`, `divergence: no "Stack"; did you mean stack?`},
		{"order", `order = "most_room"`, `ctas.order: no "most_room"; did you mean most-room?`},
		{"turnaround", `turnaround = -1`, "ctas.turnaround: -1; it is at least 0"},
		// Values that depend on each other.
		{"tpcs", `tpcs = 6`, "tpcs: 6 are fewer than 7 GPCs"},
		{"tpcs", "tpcs = 54\ngpc_tpcs = [27, 27]", "+gpc_tpcs: 2 numbers for 7 GPCs"},
		{"tpcs", "tpcs = 54\ngpc_tpcs = [9, 9, 9, 9, 9, 9, 9]", "+gpc_tpcs: 63 are more than 54 TPCs"},
		{"tpcs", "tpcs = 54\ngpc_tpcs = [9, 9, 9, 9, 9, 9, 0]", "+gpc_tpcs: 0; it is at least 1"},
		{"sms", `sms = 53`, "sms: 53 are fewer than 54 TPCs"},
		{"warps", `warps = 66`, "residency.warps: 66 warps cannot be divided by 4 schedulers"},
		{"registers", `registers = 65537`, "residency.registers: 65537 registers cannot be divided by 4 schedulers"},
		{"warps", `warps = 512`, "residency.warps: 512 warps are more than 64 for each of 4 schedulers"},
		{"registers_per_cta", `registers_per_cta = 65537`, "residency.registers_per_cta: 65537 are more than the 65536 of an SM"},
		{"threads", `threads = 2049`, "residency.threads: 2049 are more than 64 warps have"},
		{"carveouts", `carveouts = [0, 8192, 8192, 167936]`, "residency.carveouts: [0 8192 8192 167936] do not rise"},
		{"carveouts", `carveouts = [0, 8192]`, "residency.carveouts: the last is 8192, and residency.shared 167936"},
		{"l1_and_shared", `l1_and_shared = 8192`, "residency.l1_and_shared: 8192 bytes do not hold 167936 of shared memory"},
		{"shared_opt_in", `shared_opt_in = 167936`, "residency.shared_opt_in: 167936 bytes, and 1024 that are reserved, are more than the 167936 of an SM"},
		{"shared_per_cta", `shared_per_cta = 166913`, "residency.shared_per_cta: 166913 bytes are more than the 166912 of shared_opt_in"},
		{"block_threads", `block_threads = 2049`, "limits.block_threads: 2049 are more than the 2048 of an SM"},
		{"dram", `dram = 212`, "memory.dram: 212 is less than l2, 213"},
		{"l2_partitions", `l2_partitions = 3`, "memory.l2_partitions: 3 are more than 2"},
		{"l2_slices", `l2_slices = 81`, "memory.l2_slices: 81 cannot be divided by 2 partitions"},
		{"dram_interleave", `dram_interleave = 384`, "memory.dram_interleave: 384 is not a power of two"},
		{"dram_grain", `dram_grain = 256`, "memory.dram_grain: 256; it is 32, 64 or 128"},
		{"dram_sustained", `dram_sustained = 1556`, "memory.dram_sustained: 1556 is more than dram_peak, 1555"},
		{"title", `base = "h1000"`, `base: no GPU "h1000"; did you mean h100?`},
		// A base.
		{"title", `base = "h100pcie"`, `base: no GPU "h100pcie"; did you mean h100-pcie?`},
		{"title", `base = 100`, `base: 100; it is the name of a preset in quotes`},
	} {
		lines := strings.Split(whole, "\n")
		at, table := 0, 0
		for i, line := range lines {
			if strings.HasPrefix(line, "[") && at == 0 {
				table = i + 1
			}
			if name, _, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == c.key && at == 0 {
				at = i + 1
			}
		}
		lines[at-1] = c.line
		want := c.want
		switch want[0] {
		case '+': // in the next line
			at, want = at+1, want[1:]
		case '^': // in the line of the table
			at, want = table, want[1:]
		case '!': // nowhere
			at, want = 1, want[1:]
		}
		_, err := Load("my.toml", strings.Join(lines, "\n"))
		placed, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%s: %v, want an Error", c.line, err)
			continue
		}
		if placed.Pos.File != "my.toml" || int(placed.Pos.Line) != at || placed.Msg != want {
			t.Errorf("%s:\n got %v\nwant my.toml:%d: %s", c.line, err, at, want)
		}
	}
	if _, err := Load("my.toml", whole+"\n[[barrier]]\nper_warp = 1\n"); err == nil {
		t.Error("a table twice is no error")
	}
	const early = "my.toml:3: classes.texture.latency: 20 is less than the 31 of memory.l1"
	if _, err := Load("my.toml", "base = \"h100\"\n[classes]\ntexture = { latency = 20 }\n"); err == nil || err.Error() != early {
		t.Errorf("%v, want %s", err, early)
	}
	_, err = Load("my.toml", "")
	if err == nil || !strings.HasPrefix(err.Error(), "my.toml:1: title is missing: the GPU's full name; so are compute_capability, gpcs, ") ||
		!strings.HasSuffix(err.Error(), ` others; base = "h100" in front takes what is missing from a preset`) {
		t.Errorf("an empty file: %v", err)
	}
}

// TestOpenTellsFilesFromPresets: a name with a dot or a slash is the name of a file.
func TestOpenTellsFilesFromPresets(t *testing.T) {
	c, text, err := Open("v100")
	if err != nil || c.Name != "v100" || !strings.HasPrefix(text, "# NVIDIA V100") {
		t.Errorf("v100: %v, %v, %.20q", c, err, text)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "small.toml")
	own := "base = \"v100\"\nsms = 40\n"
	if err := os.WriteFile(path, []byte(own), 0o666); err != nil {
		t.Fatal(err)
	}
	c, text, err = Open(path)
	if err != nil || c.Name != "small" || c.SMs != 40 || text != own {
		t.Errorf("%s: %v, %v, %q", path, c, err, text)
	}
	large := filepath.Join(folder, "large.toml")
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"h102":                                `no GPU "h102"; there are`,
		"small":                               "a file is named with its extension, as in my.toml",
		filepath.Join(folder, "missing.toml"): "missing.toml: no such file or directory",
		folder + string(filepath.Separator):   "is a directory",
		large:                                 "more than 1048576 bytes, too long for the file of a GPU",
	} {
		if _, _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
