package dap_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/dap"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

var update = flag.Bool("update", false, "write what comes back into the scripts")

// cells is a program of CUDA C++ in the test data of package debugger, with the PTX that clang 22 made of it.
const (
	cellsPTX = "../debugger/testdata/cells-clang22.ptx.gz"
	cellsCU  = "../debugger/testdata/cells.cu"
)

// sourcesOf returns the lines of the sources of a kernel, by the names that its PTX has for them.
func sourcesOf(file string) (map[string][]string, error) {
	sources := make(map[string][]string)
	files := map[string]string{}
	switch {
	case file == "cells.cu":
		files["/src/cells.cu"] = cellsCU
	case strings.HasSuffix(file, "inlined.ptx"):
		files["/src/inlined.cu"], files["/src/inlined.h"] = "../source/testdata/inlined.cu", "../source/testdata/inlined.h"
	}
	for name, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sources[name] = strings.Split(string(text), "\n")
	}
	return sources, nil
}

// start begins a launch for a session: of cells.cu, or of the first kernel of a file of PTX, with a buffer called out.
func start(ctx context.Context, words []string, to dap.Streams) (*dap.Target, error) {
	return new(starter).start(ctx, words, to)
}

// starter starts sessions, and parses each file once.
type starter struct {
	modules map[string]*isa.Module
	history int64 // as Config.History
}

func (of *starter) start(_ context.Context, words []string, to dap.Streams) (*dap.Target, error) {
	file := words[len(words)-1]
	name, blocks, threads, steps := file, uint32(1), uint32(32), uint64(1e6)
	if strings.Contains(file, "loop") {
		steps = 1e15 // it is to run until it is interrupted
	}
	if file == "cells.cu" {
		name, blocks, threads = cellsPTX, 2, 64
	}
	sources, err := sourcesOf(file)
	if err != nil {
		return nil, err
	}
	ptx, err := packed.ReadFile(name)
	if err != nil {
		return nil, err
	}
	name = strings.TrimSuffix(filepath.Base(name), ".gz")
	mod := of.modules[name]
	if mod == nil {
		if mod, err = asm.Parse(name, ptx); err != nil {
			return nil, err
		}
		source.NameParams(mod)
		if of.modules != nil {
			of.modules[name] = mod
		}
	}
	sources[name] = strings.Split(string(ptx), "\n")
	fmt.Fprintf(to.Notes, "%s\n", strings.Join(words, " "))
	prepare := func() (*debugger.Program, error) {
		m, err := interp.New(mod, interp.Config{Divergence: divergence.IndependentThreads, MaxSteps: steps, Stdout: to.Kernel})
		if err != nil {
			return nil, err
		}
		in, err := m.Alloc("in", 256)
		if err != nil {
			return nil, err
		}
		out, err := m.Alloc("out", 512)
		if err != nil {
			return nil, err
		}
		for i := range 64 {
			binary.LittleEndian.PutUint32(in.Data[4*i:], uint32(i))
		}
		params := binary.LittleEndian.AppendUint64(nil, out.Base)
		if file == "cells.cu" {
			params = binary.LittleEndian.AppendUint64(nil, in.Base)
			params = binary.LittleEndian.AppendUint64(params, out.Base)
			params = binary.LittleEndian.AppendUint32(params, 64)
		}
		if strings.HasSuffix(file, "inlined.ptx") {
			params = append(binary.LittleEndian.AppendUint32(params, 4), 0)
		}
		l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: isa.Dim{X: blocks, Y: 1, Z: 1}, Block: isa.Dim{X: threads, Y: 1, Z: 1}, Params: params}
		buffers := []debugger.Buffer{{Region: in, Elem: isa.S32}, {Region: out, Elem: isa.S32}}
		return &debugger.Program{Machine: m, Launches: []interp.Launch{l}, Buffers: buffers}, nil
	}
	d, err := debugger.New(debugger.Config{Out: to.Console, Sources: sources, Prepare: prepare, Editor: true, History: of.history})
	if err != nil {
		return nil, err
	}
	return &dap.Target{Debugger: d, ExitCode: func() int {
		if d.Failure() != nil {
			return 4
		}
		return 0
	}}, nil
}

// session begins a session, and returns the client's end.
func session(t testing.TB) *client {
	return sessionOf(t, dap.Config{Start: start, StartHost: startHost})
}

func sessionOf(t testing.TB, cfg dap.Config) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := dap.Serve(context.Background(), fromClient, toClient, cfg)
		toClient.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.CloseWithError(io.EOF)
		<-ended
	})
	return &client{t: t, to: toServer, in: bufio.NewReader(fromServer), names: make(map[string]string)}
}

// TestSessionsMatchScripts plays the scripts in testdata: what comes back is what they say.
func TestSessionsMatchScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.dap")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			want, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			got := session(t).play(string(want))
			if *update {
				if err := os.WriteFile(script, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
