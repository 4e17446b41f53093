package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// ptxasFlag, as the first argument, makes cc act as the ptxas in a toolkit folder: it checks PTX, and makes a cubin
// that the driver library loads.
const ptxasFlag = "--ptxas"

// ptxasOptions is a parsed command line of ptxas.
type ptxasOptions struct {
	arch, input, output string
	verbose, version    bool
	relocatable         bool // undefined symbols may be in another file
}

// ptxasValues are the options of ptxas that take a value, without their dashes. Options that are only in its manual
// are ignored.
const ptxasValues = " o output-file arch gpu-name m machine O opt-level maxrregcount e entry dlcm def-load-cache dscm def-store-cache flcm force-load-cache fscm force-store-cache " +
	"fmad allow-expensive-optimizations split-compile maxntid minnctapersm device-function-maxrregcount tool-name position-independent-code pic cloning abi "

func parsePTXAS(args []string) (*ptxasOptions, error) {
	o := &ptxasOptions{arch: "sm_52", output: "elf.o"}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !strings.HasPrefix(arg, "-") {
			if o.input != "" {
				return nil, &usageError{msg: fmt.Sprintf("ptxas: %s and %s: one file of PTX is assembled at a time", o.input, arg)}
			}
			o.input = arg
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !given && strings.Contains(ptxasValues, " "+name+" ") {
			if i++; i == len(args) {
				return nil, &usageError{msg: "ptxas: " + arg + ": it has a value"}
			}
			value = args[i]
		}
		switch name {
		case "o", "output-file":
			o.output = value
		case "arch", "gpu-name":
			o.arch = value
		case "c", "compile-only":
			o.relocatable = true
		case "v", "verbose":
			o.verbose = true
		case "V", "version":
			o.version = true
		}
	}
	if o.input == "" && !o.version {
		return nil, &usageError{msg: "ptxas: no file of PTX"}
	}
	return o, nil
}

var ptxTarget = regexp.MustCompile(`^sm_(\d+)([af]?)`)

// runsOn reports whether PTX for a target, such as "sm_90a, debug", runs on an architecture. sm_90a runs on itself
// only; a target without a letter also on all newer ones, and one with f on those of its family.
func runsOn(target, arch string) bool {
	t, a := ptxTarget.FindStringSubmatch(target), ptxTarget.FindStringSubmatch(arch)
	if t == nil || a == nil {
		return t == nil
	}
	number, _ := strconv.Atoi(t[1])
	on, _ := strconv.Atoi(a[1])
	switch t[2] {
	case "a":
		return t[0] == a[0]
	case "f":
		return number/10 == on/10 && number <= on
	}
	return number <= on
}

// archOfTool returns the number of an architecture on a tool's command line.
func archOfTool(tool, arch string) (int, error) {
	number, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "af"))
	if err != nil {
		return 0, &usageError{msg: tool + ": " + arch + " is not an architecture such as sm_90"}
	}
	return number, nil
}

// ptxas executes a command line of ptxas.
func ptxas(cmd *cobra.Command, args []string) error {
	o, err := parsePTXAS(args)
	if err != nil {
		return err
	}
	if o.version {
		_, err := fmt.Fprint(cmd.OutOrStdout(), cuda.PTXASVersion)
		return err
	}
	arch, err := archOfTool("ptxas", o.arch)
	if err != nil {
		return err
	}
	p, err := loadProgram([]string{o.input}, cmd.InOrStdin(), reading{})
	if err != nil {
		return err
	}
	if !runsOn(p.mod.Target, o.arch) {
		return &codedError{exitProgram, fmt.Errorf("%s: .target %s: it is assembled for %s", o.input, p.mod.Target, o.arch)}
	}
	if !o.relocatable {
		code, err := interp.NewCode(p.mod, true)
		if err != nil {
			return &codedError{exitProgram, err}
		}
		if errs := code.Undefined(); len(errs) > 0 {
			return &codedError{exitProgram, placed(errs[0], p.sources)}
		}
	}
	if o.verbose {
		if err := describeKernels(p.mod, o.arch, cmd.ErrOrStderr()); err != nil {
			return err
		}
	}
	form := cuda.Cubin
	if o.relocatable {
		form = cuda.RelocatableCubin
	}
	return os.WriteFile(o.output, form(p.sources[0].text, arch, symbolsOf(p.mod)...), 0o666)
}

// symbolsOf returns the functions of a module, and its variables in global and constant memory, that are visible in
// other files.
func symbolsOf(mod *isa.Module) []cuda.Symbol {
	var all []cuda.Symbol
	known := make(map[string]bool)
	for _, f := range mod.Funcs {
		if f.Linkage == isa.Internal || known[f.Name] || strings.HasPrefix(f.Name, "__nv_") {
			continue
		}
		known[f.Name] = true
		all = append(all, cuda.Symbol{Name: f.Name, Function: true, Undefined: !mod.Func(f.Name).Defined, Weak: f.Linkage == isa.Weak})
	}
	for _, v := range mod.Vars {
		if v.Linkage != isa.Internal && (v.Space == isa.Global || v.Space == isa.Const) {
			all = append(all, cuda.Symbol{Name: v.Name, Undefined: v.Linkage == isa.Extern, Weak: v.Linkage == isa.Weak, Data: firstValue(v)})
		}
	}
	return all
}

// firstValue returns the bytes of a variable's initialiser; addresses in it are 0.
func firstValue(v *isa.Var) []byte {
	data := make([]byte, v.Size())
	for i, init := range v.Init {
		if init.Sym == "" {
			var value [8]byte
			binary.LittleEndian.PutUint64(value[:], init.Bits)
			copy(data[i*v.Type.Bytes():(i+1)*v.Type.Bytes()], value[:])
		}
	}
	return data
}

// describeKernels prints the resources of each kernel, in ptxas's format.
func describeKernels(mod *isa.Module, arch string, out io.Writer) error {
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		return &codedError{exitProgram, err}
	}
	for _, kernel := range mod.Entries() {
		r, err := m.Resources(kernel.Name)
		if err != nil {
			return &codedError{exitProgram, err}
		}
		shared := ""
		if r.Static > 0 {
			shared = fmt.Sprintf(", %d bytes smem", r.Static)
		}
		if _, err := fmt.Fprintf(out, "ptxas info    : Compiling entry function '%s' for '%s'\nptxas info    : Function properties for %s\n"+
			"    %d bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used %d registers, used %d barriers%s\n",
			kernel.Name, arch, kernel.Name, r.Local, r.Registers, r.Barriers, shared); err != nil {
			return err
		}
	}
	return nil
}
