package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/load"
)

// viewLoader loads the program of a session of the view command, with the flags of the command line.
type viewLoader struct {
	base *cobra.Command
	file string
}

// load implements view.Config.Load.
func (l *viewLoader) load(ctx context.Context, open view.Open) (*view.Program, error) {
	cmd, o, err := l.command(ctx, open.Settings)
	if err != nil {
		return nil, err
	}
	file := l.file
	if open.Name != "" && open.Name != file {
		return nil, fmt.Errorf("this session shows %s, not %s", file, open.Name)
	}
	if open.Text != nil {
		remove, err := o.edit(&file, *open.Text)
		if err != nil {
			return nil, err
		}
		defer remove()
	}
	var notes bytes.Buffer
	cmd.SetErr(&notes)
	text, err := (&reading{edited: o.edited}).read(file)
	if err != nil {
		return nil, err
	}
	p := &view.Program{Files: []view.File{{Name: file, Text: string(text), Lang: "ptx"}}, Settings: settingsOf(cmd.Flags())}
	if filepath.Ext(file) == cudaExtension {
		p.Files[0].Lang = "cuda"
	}
	plan, err := o.plan(cmd, []string{file})
	if err != nil {
		p.Findings = load.Mistakes(err)
		return p, nil
	}
	if ptx, ok := o.sources[ptxOf(file)]; ok {
		p.Files = append(p.Files, view.File{Name: ptxOf(file), Text: strings.Join(ptx, "\n"), Lang: "ptx"})
	}
	p.Sources = o.sources
	load.Ready(ctx, p, plan, o.timed)
	return p, nil
}

// command makes a view command with the flags of the command line, and settings in place of some of them.
func (l *viewLoader) command(ctx context.Context, s *view.Settings) (*cobra.Command, *viewOptions, error) {
	root := newRoot()
	cmd, o := newViewCommandOf()
	root.AddCommand(cmd)
	cmd.SetIn(new(bytes.Buffer))
	cmd.SetOut(io.Discard)
	var words []string
	l.base.Flags().Visit(func(f *pflag.Flag) {
		if s != nil && slices.Contains(settingFlags, f.Name) || f.Name == "color" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name+"="+v)
		}
	})
	if s != nil {
		words = append(words, settingWords(s)...)
	}
	if err := cmd.ParseFlags(words); err != nil {
		return nil, nil, err
	}
	return cmd, o, o.defaults(ctx, cmd)
}

// edit puts a text in place of a file. The compiler of CUDA C++ reads files: it gets another one, for which remove is
// called in the end, and finds others in the folder of the first.
func (o *viewOptions) edit(file *string, text string) (remove func(), err error) {
	if filepath.Ext(*file) != cudaExtension {
		o.edited = map[string][]byte{*file: []byte(text)}
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "simtrun-view")
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(*file)
	*file = filepath.Join(dir, filepath.Base(*file))
	o.cc = append(o.cc, launch.CompilerLine{Text: "-I" + folder, At: launch.Origin{Flag: "--cc"}})
	return func() { os.RemoveAll(dir) }, os.WriteFile(*file, []byte(text), 0o600)
}
