package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/flowgraph"
	"github.com/simtrun/simtrun/isa"
)

// asmOptions are the flags of asm.
type asmOptions struct {
	ptx    bool
	graphs bool   // --cfg is given
	format string // of --cfg
	counts string // a file
}

func newAsmCommand() *cobra.Command {
	var o asmOptions
	cmd := &cobra.Command{
		Use:   "asm FILE...",
		Short: "Assemble, verify, link and list a program",
		Args:  someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			mod, _, err := assemble(args)
			if err != nil {
				return err
			}
			o.graphs = cmd.Flags().Changed("cfg")
			return o.write(cmd.OutOrStdout(), mod)
		},
	}
	completeSources(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.ptx, "ptx", false, "print canonical PTX")
	names := flowFormatNames()
	f.StringVar(&o.format, "cfg", "", "show the flow graph of every function and where lanes meet, as `FORMAT`: "+strings.Join(names, ", "))
	f.Lookup("cfg").NoOptDefVal = names[0]
	f.StringVar(&o.counts, "counts", "", "add to the flow graph the counts of a run: `FILE` is what simtrun run --json printed")
	completeFlag(cmd, "cfg", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "counts", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt))
	return cmd
}

// write prints a program as the flags say.
func (o *asmOptions) write(w io.Writer, mod *isa.Module) error {
	switch {
	case o.graphs && o.ptx:
		return &usageError{"--ptx and --cfg print different things: give one of them", asmHint}
	case o.graphs:
		return o.writeGraphs(w, mod)
	case o.counts != "":
		return &usageError{"--counts adds to a flow graph: give --cfg too", asmHint}
	case o.ptx:
		return written(io.WriteString(w, asm.Format(mod)))
	}
	return written(io.WriteString(w, listing(mod)))
}

const asmHint = "simtrun help asm"

func (o *asmOptions) writeGraphs(w io.Writer, mod *isa.Module) error {
	format, err := flowgraph.ParseFormat(o.format)
	if err != nil {
		return &usageError{"--cfg: " + err.Error(), asmHint}
	}
	graphs := flowgraph.New(mod)
	if o.counts != "" {
		file, err := os.Open(o.counts)
		if err != nil {
			return &usageError{err.Error(), asmHint}
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

// assemble reads and parses source files and links them. It returns the
// sources too.
func assemble(names []string) (*isa.Module, [][]byte, error) {
	var mods []*isa.Module
	var sources [][]byte
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, &usageError{msg: err.Error()}
		}
		mod, err := asm.Parse(name, src)
		if err != nil {
			if foreign := refuseForeign(name, src); foreign != nil {
				err = foreign
			}
			return nil, nil, err
		}
		mods, sources = append(mods, mod), append(sources, src)
	}
	if len(mods) == 1 {
		return mods[0], sources, nil
	}
	mod, err := asm.Link(mods...)
	return mod, sources, err
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
		fmt.Fprintf(&b, "%s  instructions %d  registers %d\n", f.Name, len(f.Code), len(f.Regs))
		listCode(&b, f)
	}
	return b.String()
}

func listCode(b *strings.Builder, f *isa.Func) {
	labels := make(map[int][]string)
	for _, l := range f.Labels {
		labels[l.PC] = append(labels[l.PC], l.Name)
	}
	for pc := range len(f.Code) + 1 {
		for _, name := range labels[pc] {
			fmt.Fprintf(b, "%s:\n", name)
		}
		if pc == len(f.Code) {
			break
		}
		fmt.Fprintf(b, "%6s  %s", fmt.Sprintf("@%d", pc), f.Text(pc))
		if later := f.Code[pc].Later; later != "" {
			fmt.Fprintf(b, "  // %s", later)
		}
		b.WriteByte('\n')
	}
}
