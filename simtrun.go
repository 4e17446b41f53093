// Package simtrun runs PTX kernels on a simulated SIMT machine: warps of 32
// lanes with active masks and reconvergence, barriers and shared memory, without
// a GPU.
//
// A Program is loaded from PTX text. A Machine is a GPU's memory with the program loaded: it allocates buffers,
// launches kernels, and reads results. While a kernel runs, a function can inspect the lanes at every instruction.
//
//	p, err := simtrun.LoadFiles("kernel.ptx")
//	m, err := p.NewMachine(simtrun.Options{})
//	out, err := m.Alloc("out", 4*n)
//	res, err := m.Launch(ctx, simtrun.Launch{
//		Kernel: "k", Grid: simtrun.Dim{X: 4}, Block: simtrun.Dim{X: 128}, Args: []any{out, n},
//	})
//	values := simtrun.Read[float32](out)
//
// Several programs can share one memory: make it first (NewMemory), and load them into it.
//
// The same program, input and options give the same results, on every machine.
package simtrun

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	compiled "github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Program is assembled and linked source. Any goroutine may use it.
type Program struct {
	mod     *isa.Module
	sources []source

	mu   sync.Mutex
	code [2]*interp.Code // without and with functions of libdevice; nil until needed
}

// prepared returns the program compiled for loading.
func (p *Program) prepared(libdevice bool) (*interp.Code, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := 0
	if libdevice {
		i = 1
	}
	if p.code[i] == nil {
		var err error
		if p.code[i], err = interp.NewCode(p.mod, libdevice); err != nil {
			return nil, err
		}
	}
	return p.code[i], nil
}

// Undefined returns an error if the program's kernels need functions or variables that it only declares; nil if there
// are none. Functions of libdevice and of the GPU's system, such as vprintf, do not count. Such a program can be
// loaded, and a call of a missing function is a fault.
func (p *Program) Undefined() error {
	code, err := p.prepared(true)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range code.Undefined() {
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// source is a file of a program.
type source struct {
	name   string
	folder string // folder that its header may read; "" for none
	text   []byte
}

// Load assembles source text. name is used in messages. The error has up to ten messages of the form "file:line:col:
// what".
func Load(name string, src []byte) (*Program, error) {
	mod, err := parse(name, src)
	if err != nil {
		return nil, err
	}
	return &Program{mod: mod, sources: []source{{name, "", src}}}, nil
}

// parse assembles source text, with the names of kernels' parameters in CUDA C++ if it was compiled from that.
func parse(name string, src []byte) (*isa.Module, error) {
	mod, err := asm.Parse(name, src)
	if err == nil {
		compiled.NameParams(mod)
	}
	return mod, err
}

// LoadFiles assembles files and links them.
func LoadFiles(names ...string) (*Program, error) {
	p, err := load(os.ReadFile, names)
	if err != nil {
		return nil, err
	}
	for i := range p.sources {
		p.sources[i].folder = filepath.Dir(p.sources[i].name)
	}
	return p, nil
}

// LoadFS assembles files of a file system, such as an embed.FS, and links them.
func LoadFS(fsys fs.FS, names ...string) (*Program, error) {
	return load(func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) }, names)
}

func load(read func(name string) ([]byte, error), names []string) (*Program, error) {
	if len(names) == 0 {
		return nil, errors.New("no files to load")
	}
	p := &Program{}
	var mods []*isa.Module
	for _, name := range names {
		src, err := read(name)
		if err != nil {
			return nil, err
		}
		mod, err := parse(name, src)
		if err != nil {
			return nil, err
		}
		mods = append(mods, mod)
		p.sources = append(p.sources, source{name: name, text: src})
	}
	if p.mod = mods[0]; len(mods) == 1 {
		return p, nil
	}
	var err error
	p.mod, err = asm.Link(mods...)
	return p, err
}

// Link links programs as NVIDIA's linker does: if one declares a function with fewer parameters than its definition
// in another has, Link only warns, where LoadFiles and LoadFS refuse. The missing arguments are zero. The warnings
// have the form "file:line:col: what".
func Link(programs ...*Program) (p *Program, warnings []string, err error) {
	p = &Program{}
	var mods []*isa.Module
	for _, q := range programs {
		mods = append(mods, q.mod)
		p.sources = append(p.sources, q.sources...)
	}
	var warned []*isa.Error
	if p.mod, warned, err = asm.LinkLoosely(mods...); err != nil {
		return nil, nil, err
	}
	for _, w := range warned {
		warnings = append(warnings, w.Error())
	}
	return p, warnings, nil
}

// Kernels returns the names of the kernels, in source order.
func (p *Program) Kernels() []string {
	var names []string
	for _, f := range p.mod.Entries() {
		names = append(names, f.Name)
	}
	return names
}

// PTX returns the program in canonical form, which NVIDIA's assembler accepts.
func (p *Program) PTX() string { return asm.Format(p.mod) }

// NewMachine makes a machine with its own memory, which holds the program's variables. Machines share nothing; each
// runs one launch at a time.
func (p *Program) NewMachine(o Options) (*Machine, error) {
	m, err := o.memory(p.mod.AddressSize)
	if err != nil {
		return nil, err
	}
	return m.Load(p)
}
