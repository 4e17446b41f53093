package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/isa"
)

func newAsmCommand() *cobra.Command {
	ptx := false
	cmd := &cobra.Command{
		Use:   "asm FILE...",
		Short: "Assemble, verify, link and list a program",
		Args:  someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			mod, _, err := assemble(args)
			if err != nil {
				return err
			}
			text := listing(mod)
			if ptx {
				text = asm.Format(mod)
			}
			return written(io.WriteString(cmd.OutOrStdout(), text))
		},
	}
	completeSources(cmd)
	cmd.Flags().BoolVar(&ptx, "ptx", false, "print canonical PTX")
	return cmd
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
