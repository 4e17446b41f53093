package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/flowgraph"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	sourcemap "github.com/simtrun/simtrun/internal/source"
)

// asmOptions are the flags of asm.
type asmOptions struct {
	ptx    bool
	target string
	graphs bool   // --cfg was given
	format string // of --cfg
	counts string // a file
	code   string // a kernel, and a stage after a colon
	coded  bool   // --code is given

	machine   string // a kernel
	machining bool   // --machine is given
	sass      string // a file
}

func newAsmCommand() *cobra.Command {
	var o asmOptions
	names := flowFormatNames()
	cmd := &cobra.Command{
		Use:   "asm FILE...",
		Short: "Assemble, verify, link and list a program",
		Args:  someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if last := args[len(args)-1]; cmd.Flags().Changed("cfg") && slices.Contains(names, last) {
				return &usageError{fmt.Sprintf("--cfg=%s is one word", last), asmHint}
			}
			r := readingOf(cmd)
			r.target = o.target
			p, err := loadProgram(args, cmd.InOrStdin(), r)
			if err != nil {
				return err
			}
			p.noteMissingHeader()
			p.warnings = append(p.warnings, unsupported(p.mod)...)
			p.warn(cmd.ErrOrStderr(), colourOf(cmd).on(cmd.ErrOrStderr()))
			o.graphs, o.coded, o.machining = cmd.Flags().Changed("cfg"), cmd.Flags().Changed("code"), cmd.Flags().Changed("machine")
			return o.write(cmd.OutOrStdout(), p)
		},
	}
	completeSources(cmd)
	f := cmd.Flags()
	addReadingFlags(f)
	f.BoolVar(&o.ptx, "ptx", false, "print canonical PTX")
	f.StringVar(&o.target, "target", "", "check instructions against `TARGET`, such as sm_90a, instead of the file's .target")
	f.StringVar(&o.format, "cfg", "", "show the control-flow graph of every function and its reconvergence PCs, as `FORMAT`: "+strings.Join(names, ", "))
	f.Lookup("cfg").NoOptDefVal = names[0]
	f.StringVar(&o.code, "code", "", "show how `KERNEL[:STAGE]` becomes machine code of this CPU, at a stage: "+stageNames())
	f.StringVar(&o.machine, "machine", "", "list the machine instructions that the clock charges for `KERNEL`, in issue order, with stall counts (h100)")
	f.StringVar(&o.sass, "sass", "", "with --machine, show how the clock issues the machine code in `FILE`, the output of nvdisasm or cuobjdump -sass")
	f.StringVar(&o.counts, "counts", "", "annotate the graph of --cfg with execution counts from `FILE`, the output of simtrun run --json")
	completeFlag(cmd, "cfg", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "counts", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt))
	return cmd
}

// write prints a program as the flags say.
func (o *asmOptions) write(w io.Writer, p *programText) error {
	switch {
	case o.graphs && o.ptx:
		return &usageError{"--ptx and --cfg cannot be combined", asmHint}
	case o.coded && (o.ptx || o.graphs):
		return &usageError{"--code cannot be combined with --ptx or --cfg", asmHint}
	case o.machining && (o.ptx || o.graphs || o.coded):
		return &usageError{"--machine cannot be combined with --ptx, --cfg or --code", asmHint}
	case o.sass != "" && !o.machining:
		return &usageError{"--sass FILE needs --machine KERNEL", asmHint}
	case o.machining:
		return writeMachine(w, p.mod, o.machine, o.sass)
	case o.coded:
		return writeCode(w, p.mod, o.code)
	case o.graphs:
		return o.writeGraphs(w, p.mod)
	case o.counts != "":
		return &usageError{"--counts annotates the graph of --cfg: pass --cfg, too", asmHint}
	case o.ptx:
		return written(io.WriteString(w, p.runHeader()+asm.Format(p.mod)))
	}
	return written(io.WriteString(w, listing(p.mod)))
}

// noteMissingHeader adds a note on a .version or .target that the program needs and leaves out.
func (p *programText) noteMissingHeader() {
	first := &p.sources[0]
	if note := asm.MissingHeader(p.mod); note != "" && first.from == nil && first.note == "" {
		first.note = note
	}
}

// unsupported returns the features of a module's functions that cannot be executed yet, each once.
func unsupported(mod *isa.Module) []*isa.Error {
	var all []*isa.Error
	seen := make(map[string]bool)
	add := func(pos isa.Pos, reason string) {
		if reason != "" && !seen[reason] {
			seen[reason] = true
			all = append(all, isa.Errorf(pos, "%s: a kernel that reaches it cannot be launched", reason))
		}
	}
	for _, f := range mod.Funcs {
		if f.Later != nil {
			add(f.Later.Pos, f.Later.Msg)
		}
		for pc := range f.Code {
			add(f.Code[pc].Pos, f.Code[pc].Later)
		}
	}
	return all
}

const asmHint = "simtrun help asm"

func (o *asmOptions) writeGraphs(w io.Writer, mod *isa.Module) error {
	format, err := flowgraph.ParseFormat(o.format)
	if err != nil {
		return badValue("cfg", o.format, err)
	}
	graphs := flowgraph.New(mod)
	if o.counts != "" {
		file, err := os.Open(o.counts)
		if err != nil {
			return &usageError{explain(err), asmHint}
		}
		defer file.Close()
		if err := flowgraph.AddCounts(graphs, file); err != nil {
			return &usageError{fmt.Sprintf("--counts: %s: %s", o.counts, err), asmHint}
		}
	}
	return written(0, format.Write(w, graphs))
}

func flowFormatNames() []string {
	var names []string
	for _, f := range flowgraph.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// runHeader returns the text of the first source's header. Several headers are merged, which one header cannot
// express.
func (p *programText) runHeader() string {
	for _, s := range p.sources {
		if lines := launch.HeaderLines(s.written().text); len(lines) > 0 {
			return strings.Join(lines, "\n") + "\n"
		}
	}
	return ""
}

// assemble parses sources and links them. Unless lax, a source must have the .version and .target that its instructions
// need, and one without .target a GPU that has them, if one is named; clang chose those of CUDA C++.
func assemble(sources []source, r reading) (*isa.Module, error) {
	var mods []*isa.Module
	for _, s := range sources {
		mod, err := asm.Parse(s.name, s.text)
		if err != nil {
			if foreign := refuseForeign(s.name, s.text); foreign != nil {
				err = foreign
			}
			return nil, err
		}
		if r.target != "" {
			if err := asm.Retarget(mod, r.target); err != nil {
				return nil, badValue("target", r.target, err)
			}
		}
		if !r.lax && s.from == nil {
			if err := asm.CheckTarget(mod); err != nil {
				return nil, err
			}
			for _, on := range r.chosen(&s) {
				if err := asm.CheckGPU(mod, on.Name, on.Capability); err != nil {
					return nil, err
				}
			}
		}
		s.describe(mod, r.ptxLines)
		sourcemap.NameParams(mod)
		mods = append(mods, mod)
	}
	if len(mods) == 1 {
		return mods[0], nil
	}
	return asm.Link(mods...)
}

// describe tells a module which source users wrote, and which lines its instructions are shown with: if they wrote the
// PTX, its own, too.
func (s *source) describe(mod *isa.Module, ptxLines bool) {
	mod.Name = s.written().name
	if i := slices.IndexFunc(mod.Funcs, func(f *isa.Func) bool { return f.Debug != nil }); i >= 0 {
		mod.Funcs[i].Debug.ShowCode = ptxLines || s.from == nil && !s.saved
	}
}

// listing shows every function with its instructions numbered.
func listing(mod *isa.Module) string {
	var b strings.Builder
	for _, f := range mod.Funcs {
		if !f.Defined {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		name := f.Name
		if cxx.Mangled(name) != "" {
			name = fmt.Sprintf("%s (%s)", cxx.Name(name), name)
		}
		fmt.Fprintf(&b, "%s  instructions %d  registers %d\n", name, len(f.Code), len(f.Regs))
		listCode(&b, f)
	}
	return b.String()
}

func listCode(b *strings.Builder, f *isa.Func) {
	labels := make(map[int][]string)
	for _, l := range f.Labels {
		if !sourcemap.IsForDebugging(l.Name) {
			labels[l.PC] = append(labels[l.PC], l.Name)
		}
	}
	for pc := range len(f.Code) + 1 {
		for _, name := range labels[pc] {
			fmt.Fprintf(b, "%s:\n", name)
		}
		if pc == len(f.Code) {
			break
		}
		fmt.Fprintf(b, "%6s  %s", fmt.Sprintf("@%d", pc), sourcemap.Text(f, pc))
		if later := f.Code[pc].Later; later != "" {
			fmt.Fprintf(b, "  // %s", later)
		}
		b.WriteByte('\n')
	}
}
