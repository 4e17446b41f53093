package main

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/lsp"
)

func newLSPCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve the language to an editor (Language Server Protocol)",
		Long: "Serve the language to an editor with the Language Server Protocol, on standard input and\n" +
			"output: errors while typing, help on instructions, completion, definitions and uses of\n" +
			"names, renaming, formatting, colours, live registers, and commands to run. docs/lsp.md has settings for Neovim.",
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := readingOf(cmd)
			cfg := lsp.Config{Version: release, GPU: func(name string, text []byte) *gpu.Config {
				return r.targets(&source{name: name, folder: filepath.Dir(name), text: text})[0]
			}, Diagnose: func(name string, text []byte) []lsp.Diagnostic { return diagnose(name, text, r) }}
			err := lsp.Serve(cmd.Context(), cmd.InOrStdin(), kernelOutput(cmd.OutOrStdout()), cfg)
			if errors.Is(err, lsp.ErrNotShutDown) {
				return &codedError{exitFindings, err} // as the protocol requires
			}
			return err
		},
	}
	cmd.Flags().String("gpu", "", "the `GPU` that gives latencies and targets, for sources that name none (default h100)")
	completeFlag(cmd, "gpu", completeGPU)
	return cmd
}

// diagnose returns the messages of simtrun asm about a source, for an editor.
func diagnose(name string, text []byte, r reading) []lsp.Diagnostic {
	var all []lsp.Diagnostic
	p, err := assembled([]source{{name: name, folder: filepath.Dir(name), text: text}}, r)
	if err != nil {
		return mistakesOf(err)
	}
	for _, w := range append(p.warnings, unsupported(p.mod)...) {
		all = append(all, lsp.Diagnostic{Pos: w.Pos, Message: w.Msg, Warning: true})
	}
	return all
}

// mistakesOf returns the errors of a source with their places; an error without a place is at the first line.
func mistakesOf(err error) []lsp.Diagnostic {
	if es, ok := errors.AsType[asm.Errors](err); ok {
		var all []lsp.Diagnostic
		for _, e := range es.List {
			all = append(all, lsp.Diagnostic{Pos: e.Pos, Message: e.Msg})
		}
		for _, e := range es.Notes {
			all = append(all, lsp.Diagnostic{Pos: e.Pos, Message: e.Msg, Warning: true})
		}
		return all
	}
	if e, ok := errors.AsType[*isa.Error](err); ok {
		return []lsp.Diagnostic{{Pos: e.Pos, Message: e.Msg}}
	}
	if e, ok := errors.AsType[*launch.Error](err); ok {
		return []lsp.Diagnostic{{Pos: e.At.Pos, Message: e.Msg}}
	}
	return []lsp.Diagnostic{{Pos: isa.Pos{Line: 1, Col: 1}, Message: err.Error()}}
}
