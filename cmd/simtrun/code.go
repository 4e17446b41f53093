package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/native"
	lowering "github.com/simtrun/simtrun/internal/program"
)

// codeStage is a stage of compiled code that asm --code shows.
type codeStage struct {
	name string
	text func(*native.Listing) string
}

// codeStages lists all stages, in order.
var codeStages = []codeStage{
	{"plan", func(l *native.Listing) string { return l.Plan }},
	{"regions", func(l *native.Listing) string { return l.Regions }},
	{"code", func(l *native.Listing) string { return l.Code }},
	{"exits", func(l *native.Listing) string { return l.Exits }},
}

// writeCode prints the stages of compiling a kernel to machine code of the host: all stages, or the one after the
// colon.
func writeCode(w io.Writer, mod *isa.Module, which string) error {
	name, stage := which, ""
	if i := strings.LastIndexByte(which, ':'); i >= 0 && !strings.HasSuffix(which[:i], ":") { // not of a C++ name
		name, stage = which[:i], which[i+1:]
		if !slices.ContainsFunc(codeStages, func(s codeStage) bool { return s.name == stage }) {
			return badValue("code", which, fmt.Errorf("no stage %q; there are %s", stage, stageNames()))
		}
	}
	kernel, err := launch.Kernel(mod, name)
	if err != nil {
		return badValue("code", which, err)
	}
	listing, err := compiledOf(mod, kernel)
	if err != nil {
		return err
	}
	for i, s := range codeStages {
		if stage != "" && s.name != stage {
			continue
		}
		text := s.text(listing)
		if i > 0 && stage == "" {
			text = "\n" + text
		}
		if err := written(io.WriteString(w, text)); err != nil {
			return err
		}
	}
	return nil
}

// stageNames lists the stages.
func stageNames() string {
	var names []string
	for _, s := range codeStages {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// defaultBlock is the block size for a listing if the kernel does not have one: code depends only on how threads are
// divided into warps.
var defaultBlock = isa.Dim{X: 128, Y: 1, Z: 1}

// compiledOf compiles a kernel for a listing, for the CPU's level, or for AVX2 if the host cannot execute compiled
// code.
func compiledOf(mod *isa.Module, kernel *isa.Func) (*native.Listing, error) {
	level, err := jit.Chosen()
	if err != nil {
		return nil, &usageError{explain(err), asmHint}
	}
	if level == jit.None {
		level = jit.AVX2
	}
	m, err := lowering.NewModule(mod, true)
	if err != nil {
		return nil, err
	}
	const anywhere = 1 << 32 // the addresses of variables do not matter
	p, err := m.Lower(kernel, lowering.Env{Address: func(string) (uint64, bool) { return anywhere, true }})
	if err != nil {
		return nil, err
	}
	block := cmp.Or(kernel.ReqNTID, defaultBlock)
	var c native.Compiler
	return c.List(native.Subject{Program: p, Func: p.Kernel(), Shape: native.ShapeOf(block), Level: level})
}
