package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/asm"
)

// formatOptions are the flags of fmt.
type formatOptions struct {
	diff, list, write bool
}

func newFmtCommand() *cobra.Command {
	var o formatOptions
	cmd := &cobra.Command{
		Use:   "fmt [FILE|FOLDER...]",
		Short: "Format assembly in one style",
		Long: `Format sources in one style: one statement per line, operands and comments in columns. All
comments, blank lines and tokens stay as they are. A folder stands for all .s and .ptx files
in it; without arguments, or for -, simtrun fmt reads standard input.

By default the result is printed. With -l and -d the exit status is 1 if the layout of a file
differs, so that CI can enforce the style:

  simtrun fmt -l .`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.write && len(args) == 0 {
				return &usageError{msg: "-w writes to files: name one"}
			}
			if len(args) == 0 {
				args = []string{stdinPath}
			}
			return o.format(cmd, args)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.diff, "diff", "d", false, "print the changes")
	f.BoolVarP(&o.list, "list", "l", false, "list the files whose layout differs")
	f.BoolVarP(&o.write, "write", "w", false, "write the result to the file")
	completeSources(cmd)
	return cmd
}

// format lays out files and the files of folders. It goes on after one that it cannot lay out.
func (o *formatOptions) format(cmd *cobra.Command, paths []string) error {
	files, err := sourcesOf(paths)
	if err != nil {
		return err
	}
	var failed error
	code, different := exitOK, false
	for _, path := range files {
		changed, err := o.one(cmd, path)
		different = different || changed
		if err == nil {
			continue
		}
		c := exitCode(cmd.Context(), err)
		printError(cmd.ErrOrStderr(), err, c, helpPage(cmd), colourOf(cmd).on(cmd.ErrOrStderr()))
		code = worse(code, c)
		failed = &codedError{code, printedError{err}}
	}
	if failed == nil && different && (o.list || o.diff) && !o.write {
		return errLayout
	}
	return failed
}

// one lays out a file, and reports whether that changes it.
func (o *formatOptions) one(cmd *cobra.Command, path string) (changed bool, err error) {
	src, err := readAssembly(path, cmd.InOrStdin())
	if err != nil {
		return false, err
	}
	text, err := asm.FormatSource(src.name, src.text)
	if err != nil {
		return false, placed(err, []source{src})
	}
	changed = !bytes.Equal(text, src.text)
	out := cmd.OutOrStdout()
	if o.list && changed {
		err = written(fmt.Fprintln(out, src.name))
	}
	if o.diff && changed && err == nil {
		err = written(io.WriteString(out, udiff.Unified(src.name+".orig", src.name, string(src.text), string(text))))
	}
	switch {
	case err != nil:
	case o.write && changed && path != stdinPath:
		err = writeFile(cmd, path, text)
	case !o.list && !o.diff && !o.write:
		err = written(out.Write(text))
	}
	return changed, err
}

// readAssembly reads a file of assembly; - is in.
func readAssembly(path string, in io.Reader) (source, error) {
	if filepath.Ext(path) == cudaExtension {
		return source{}, &usageError{msg: path + " is CUDA C++, which clang-format formats; simtrun fmt is for assembly"}
	}
	return readSource(path, in)
}

// sourcesOf returns the files of a command line, with the .s and .ptx files below a folder in the folder's place.
func sourcesOf(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == stdinPath || err != nil || !info.IsDir() {
			files = append(files, path) // reading it gives the error
			continue
		}
		found := len(files)
		err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if ext := filepath.Ext(name); !entry.IsDir() && (ext == ".s" || ext == ".ptx") {
				files = append(files, name)
			}
			if entry.IsDir() && name != path && strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == found {
			return nil, &usageError{msg: path + " has no .s or .ptx file"}
		}
	}
	return files, nil
}
