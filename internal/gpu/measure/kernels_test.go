package measure_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/accuracy"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

var export = flag.String("export", "", "write the cases to `DIR`, for kernels.py")

// kase is a launch that is ready to run, from a line of cases.txt.
type kase struct {
	name    string // the line
	module  *isa.Module
	machine *interp.Machine
	launch  interp.Launch
	buffers []*memory.Region
}

// cases returns the lines of cases.txt; longer is the index of the first one that takes long.
func cases(t *testing.T) (all []string, longer int) {
	t.Helper()
	text, err := os.ReadFile("cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.Join(strings.Fields(line), " ")
		switch {
		case strings.HasPrefix(line, "# Longer"):
			longer = len(all)
		case line != "" && line[0] != '#':
			all = append(all, line)
		}
	}
	return all, longer
}

func load(t *testing.T, line string) *kase {
	t.Helper()
	p, err := accuracy.Prepare(t.Context(), line)
	if err != nil {
		t.Fatal(err)
	}
	return &kase{name: line, module: p.Module, machine: p.Machine, launch: p.Launch, buffers: p.Buffers}
}

// run executes the case and returns its counters by name.
func (k *kase) run(t *testing.T) map[string]float64 {
	t.Helper()
	o := launch.Observed{Profile: true}
	e, err := o.Execute(context.Background(), k.machine, k.launch)
	if err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	counters := make(map[string]float64)
	for _, v := range profile.Values(&e.Profile.Total) {
		counters[v.Name] = v.Number
	}
	return counters
}

// exported is a case in the form that kernels.py reads.
type exported struct {
	Name, Kernel, PTX string
	Grid, Block       isa.Dim
	Shared            int64
	Params            string // hexadecimal
	Buffers           []exportedBuffer
	Counters          map[string]float64
}

type exportedBuffer struct {
	Name   string
	Size   int
	At     []int  // offsets in Params for its address
	File   string // content; "" for zeros
	SHA256 string // of its content after the run by simtrun
}

// TestExportWritesEveryCase writes every case with its inputs, so that a GPU can run it, and with simtrun's results.
func TestExportWritesEveryCase(t *testing.T) {
	if *export == "" {
		t.Skip("no -export")
	}
	var all []exported
	lines, _ := cases(t)
	for _, line := range lines {
		k := load(t, line)
		e := exported{Name: line, Kernel: k.launch.Kernel, Grid: k.launch.Grid, Block: k.launch.Block, Shared: k.launch.Shared}
		text := asm.Format(k.module)
		e.PTX = write(t, []byte(text), ".ptx")
		for _, r := range k.buffers {
			b := exportedBuffer{Name: r.Name, Size: len(r.Data)}
			for at := 0; at+8 <= len(k.launch.Params); at += 8 {
				if binary.LittleEndian.Uint64(k.launch.Params[at:]) == r.Base {
					b.At = append(b.At, at)
				}
			}
			if strings.Trim(string(r.Data), "\x00") != "" {
				b.File = write(t, r.Data, ".gz")
			}
			e.Buffers = append(e.Buffers, b)
		}
		e.Params = hex.EncodeToString(k.launch.Params)
		e.Counters = k.run(t)
		for i, r := range k.buffers {
			e.Buffers[i].SHA256 = hexSum(r.Data)
		}
		all = append(all, e)
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*export, "cases.json"), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// write writes data to a file named after its content; .gz compresses it.
func write(t *testing.T, data []byte, suffix string) string {
	t.Helper()
	name := hexSum(data)[:16] + suffix
	if err := os.MkdirAll(*export, 0o777); err != nil {
		t.Fatal(err)
	}
	if suffix == ".gz" {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(data)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	if err := os.WriteFile(filepath.Join(*export, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
