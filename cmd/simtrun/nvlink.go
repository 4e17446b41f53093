package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	root "github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
)

// nvlinkFlag, as the first argument, makes cc act as the nvlink in a toolkit folder: it links cubins of ptxas -c to
// one that the driver library loads.
const nvlinkFlag = "--nvlink"

// nvlinkOptions is a parsed command line of nvlink.
type nvlinkOptions struct {
	arch, output string
	inputs       []string
	version      bool
}

// nvlinkValues are the options of nvlink that take a value, without their dashes.
const nvlinkValues = " o output-file arch L library-path l library m machine maxrregcount kernels-used variables-used X Xptxas Xnvvm nvvmpath cpu-arch " +
	"register-link-binaries host-ccbin options-file optf use-host-info shared-size-threshold split-compile "

func parseNVLink(args []string) (*nvlinkOptions, error) {
	o := &nvlinkOptions{arch: "sm_52", output: "a.out"}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !strings.HasPrefix(arg, "-") {
			o.inputs = append(o.inputs, arg)
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !given && strings.Contains(nvlinkValues, " "+name+" ") {
			if i++; i == len(args) {
				return nil, &usageError{msg: "nvlink: " + arg + ": it has a value"}
			}
			value = args[i]
		}
		switch name {
		case "o", "output-file":
			o.output = value
		case "arch":
			o.arch = value
		case "V", "version":
			o.version = true
		}
	}
	if len(o.inputs) == 0 && !o.version {
		return nil, &usageError{msg: "nvlink: no file to link"}
	}
	return o, nil
}

// nvlink executes a command line of nvlink.
func nvlink(cmd *cobra.Command, args []string) error {
	o, err := parseNVLink(args)
	if err != nil {
		return err
	}
	if o.version {
		_, err := fmt.Fprint(cmd.OutOrStdout(), cuda.NVLinkVersion)
		return err
	}
	arch, err := archOfTool("nvlink", o.arch)
	if err != nil {
		return err
	}
	text, err := o.link(cmd)
	if err != nil {
		return err
	}
	mod, err := assemble([]source{{name: o.output + ".ptx", text: text}}, reading{lax: true})
	if err != nil {
		return err
	}
	return os.WriteFile(o.output, cuda.Cubin(text, arch, symbolsOf(mod)...), 0o666)
}

// link returns the linked PTX of all inputs.
func (o *nvlinkOptions) link(cmd *cobra.Command) ([]byte, error) {
	var texts [][]byte
	var programs []*root.Program
	for _, path := range o.inputs {
		text, err := linkInput(path)
		if err != nil {
			return nil, err
		}
		p, err := root.Load(filepath.Base(path)+".ptx", text)
		if err != nil {
			return nil, &codedError{exitProgram, err}
		}
		texts, programs = append(texts, text), append(programs, p)
	}
	p, warnings, err := root.Link(programs...)
	if err == nil {
		err = p.Undefined()
	}
	if err != nil {
		return nil, &codedError{exitProgram, err}
	}
	for _, w := range warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "nvlink warning : "+w)
	}
	if len(texts) == 1 {
		return texts[0], nil
	}
	return []byte(p.PTX()), nil
}

// linkInput returns the PTX of a file: that in a cubin, or the file itself.
func linkInput(path string) ([]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, &usageError{msg: "nvlink: " + explain(err)}
	}
	if !bytes.HasPrefix(file, []byte("\x7fELF")) {
		if !isPTX(file) {
			return nil, &usageError{msg: "nvlink: " + path + " is not a cubin or PTX; static libraries are not linked"}
		}
		return file, nil
	}
	text, err := cuda.PTXOfCubin(file)
	if err != nil {
		return nil, &codedError{exitProgram, fmt.Errorf("nvlink: %s: %w; simtrun links what its ptxas makes", path, err)}
	}
	return text, nil
}
