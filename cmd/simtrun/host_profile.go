package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/launch"
)

// hostProfile is the part of the host command that profiles launches: after the program has ended, it runs those again
// that were saved.
type hostProfile struct {
	on     bool
	folder string          // of the saved launches; "" if none is profiled
	before map[string]bool // what was in the folder before the program began
}

// runProfiled executes the host command, and then profiles launches if that is asked for.
func (o *hostOptions) runProfiled(cmd *cobra.Command, args []string) error {
	remove, err := o.profile.begin(o.save)
	if err != nil {
		return err
	}
	defer remove()
	noteMisplaced(cmd.ErrOrStderr(), args)
	return cmp.Or(o.run(cmd, args), o.profile.print(cmd))
}

// begin chooses the folder: the one to which the user has launches saved, or a temporary one, which remove removes.
func (p *hostProfile) begin(saved string) (remove func(), err error) {
	remove = func() {}
	if !p.on {
		return remove, nil
	}
	if p.folder = cmp.Or(saved, os.Getenv(cuda.EnvSave)); p.folder == "" {
		if p.folder, err = os.MkdirTemp("", "simtrun-profile-*"); err != nil {
			return remove, err
		}
		remove = func() { os.RemoveAll(p.folder) }
	}
	p.before = make(map[string]bool)
	for _, name := range p.saved() {
		p.before[name] = true
	}
	return remove, nil
}

// saved returns the folders of saved launches, in the order of the launches.
func (p *hostProfile) saved() (folders []string) {
	kernels, _ := filepath.Glob(filepath.Join(p.folder, "*", launch.KernelFile))
	for _, kernel := range kernels {
		if folder := filepath.Dir(kernel); !p.before[folder] {
			folders = append(folders, folder)
		}
	}
	return folders
}

// print profiles the launches that the program has made, with a clock. A launch that fails has no profile.
func (p *hostProfile) print(cmd *cobra.Command) error {
	if !p.on {
		return nil
	}
	for _, folder := range p.saved() {
		if err := cmd.Context().Err(); err != nil {
			return err // the run was interrupted
		}
		text, code := commandLine(cmd.Context(), "", "profile", folder, "--functional=false")
		if code != exitOK {
			text = fmt.Appendf(nil, "launch %s fails, so it is not profiled\n", filepath.Base(folder))
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "\n%s", text); err != nil {
			return &codedError{exitIO, err}
		}
	}
	return nil
}
