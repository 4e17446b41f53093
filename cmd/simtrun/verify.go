package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/ongpu"
	"github.com/simtrun/simtrun/internal/report"
	sourcemap "github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/internal/wholefile"
)

// verifyOptions are the flags of the verify command, in addition to those of a run.
type verifyOptions struct {
	runOptions
	device  int
	repeats int
	record  string // directory
}

func newVerifyCommand() *cobra.Command {
	o := &verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Run a kernel in simtrun and on this machine's GPU, and compare memory and time",
		Long: `Run a kernel in simtrun and on this machine's GPU, with the same arguments and the same PTX.
Compare memory, byte by byte, and time.

The GPU's time of a launch is measured between events before and after the launch: it is the
least of several repeats, minus the time of an empty launch. Times are compared in cycles of
the SMs' clock, with its rate measured. The launches start with the contents that the preceding
memory copies left in the caches.

The command simtrun-gpu runs the launches on the GPU: it must be in the folder of simtrun or in
PATH. --record saves the results, with the GPU's name and driver, to a file that can be sent to
the project. The exit status is 1 if memory differs, and 2 without a GPU.`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return o.verify(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	addDirectiveFlags(f)
	addClockFlags(f)
	addReadingFlags(f)
	f.StringVar(&o.script, "script", "", "read directives from the run script `FILE`, one per line (simtrun help directives)")
	f.IntVar(&o.device, "device", 0, "use the GPU with ordinal `N`")
	f.IntVar(&o.repeats, "repeats", 5, "execute the launches `N` times on the GPU, each time from the same memory")
	f.StringVar(&o.record, "record", "", "write the GPU's results to a file in `DIR`")
	f.IntVarP(&o.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "use `N` CPU cores; the output does not depend on N")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeSources(cmd)
	completeDirectives(cmd)
	completeClock(cmd)
	completeNothing(cmd, "jobs", "device", "repeats")
	return cmd
}

// verify executes the verify command.
func (o *verifyOptions) verify(cmd *cobra.Command, files []string) error {
	if o.repeats < 1 {
		return &usageError{msg: fmt.Sprintf("--repeats %d: expected a number of 1 or more", o.repeats)}
	}
	plan, err := o.plan(cmd, files)
	if err != nil {
		return err
	}
	ready, err := plan.Prepare(cmd.Context())
	if err != nil {
		return err
	}
	job, err := ready.Job()
	if err != nil {
		return err
	}
	job.PTX, job.Device, job.Repeats = asm.Format(plan.Module()), o.device, o.repeats
	answer, err := askGPU(cmd.Context(), job)
	if err != nil {
		return err
	}
	res, err := plan.Run(cmd.Context())
	if err != nil {
		return err
	}
	v := compareRuns(plan, res, job, answer)
	if elements := v.Elements(); len(elements) > 0 {
		last, err := plan.LastWriting(cmd.Context(), res, elements)
		if err != nil {
			return err
		}
		for i := range last {
			v.AddWriting(elements[i], &last[i])
		}
	}
	v.Files, v.Version, v.Date = files, versionText(), time.Now().UTC().Format(time.DateOnly)
	if err := o.keep(cmd.Context(), v); err != nil {
		return err
	}
	return o.show(cmd, v)
}

// show prints a comparison. The error is errDifferent if memory differs.
func (o *verifyOptions) show(cmd *cobra.Command, v *report.Verification) error {
	out := cmd.OutOrStdout()
	var err error
	if o.json {
		err = written(out.Write(encoded(v)))
	} else {
		err = written(0, v.Write(out))
	}
	if err == nil && v.Different() {
		err = errDifferent
	}
	return err
}

// keep writes a comparison to a file of its own in the directory of --record.
func (o *verifyOptions) keep(ctx context.Context, v *report.Verification) error {
	if o.record == "" {
		return nil
	}
	if err := os.MkdirAll(o.record, 0o777); err != nil {
		return err
	}
	dir, err := os.OpenRoot(o.record)
	if err != nil {
		return err
	}
	defer dir.Close()
	name := fmt.Sprintf("%s-%s.json", cxx.FileName(cmp.Or(v.Launches[0].Mangled, v.Launches[0].Kernel)), v.Digest[:8])
	noteWritten(ctx, filepath.Join(o.record, name))
	return wholefile.Write(ctx, dir, name, encoded(v))
}

// encoded is a comparison as JSON.
func encoded(v *report.Verification) []byte {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return append(text, '\n')
}

// compareRuns compares the result of a plan with the answer of a GPU.
func compareRuns(plan *launch.Plan, res *launch.Result, job *ongpu.Job, answer *ongpu.Answer) *report.Verification {
	v := report.NewVerification(plan.Config.GPU, job, answer)
	for i := range res.Launches {
		l := &res.Launches[i]
		cycles := int64(0)
		if l.Timing != nil {
			cycles = l.Timing.Cycles
		}
		v.AddLaunch(i, cycles)
	}
	for i := range res.Buffers {
		v.AddBuffer(i, elementOf(plan.Module(), &job.Buffers[i], res.Buffers[i].Elem), res.Buffers[i].Data)
	}
	return v
}

// elementOf returns the type of a buffer's elements, if it has one in PTX. Compilers declare arrays of all types as
// bytes with an alignment: then it is that of the source, or the zero Elem if debug information does not describe it.
func elementOf(mod *isa.Module, b *ongpu.Buffer, inPTX launch.Elem) launch.Elem {
	v := slices.IndexFunc(mod.Vars, func(v *isa.Var) bool { return v.Name == b.Name })
	if !b.Symbol || v < 0 || inPTX.Bytes() != 1 || mod.Vars[v].Align <= 1 {
		return inPTX
	}
	return launch.ElemOf(sourcemap.ElementType(mod, b.Name))
}

// gpuCommand is the command that executes launches on a GPU.
const gpuCommand = "simtrun-gpu"

// askGPU executes a job on the GPU. The error is a *usageError if there is none.
func askGPU(ctx context.Context, job *ongpu.Job) (*ongpu.Answer, error) {
	path, err := findGPUCommand()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(job)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	var out, wrong bytes.Buffer
	c := exec.CommandContext(ctx, path)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(text), &out, &wrong
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", gpuCommand, err, bytes.TrimSpace(wrong.Bytes()))
	}
	var a ongpu.Answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return nil, fmt.Errorf("%s: %w", gpuCommand, err)
	}
	switch {
	case a.Missing != "":
		return nil, &usageError{a.Missing + "; simtrun verify compares with a GPU", "simtrun verify --help"}
	case a.Failed != "":
		return nil, fmt.Errorf("on the GPU (%s): %s", a.GPU, a.Failed)
	}
	return &a, nil
}

// findGPUCommand returns the path of the command that executes launches on a GPU.
func findGPUCommand() (string, error) {
	name := gpuCommand
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), name); isFile(path) {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", &usageError{name + " is neither in the folder of simtrun nor in PATH: install it with go install github.com/simtrun/simtrun/cmd/simtrun-gpu@latest", "simtrun verify --help"}
	}
	return path, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
