package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cxx"
)

// hostName is the command whose arguments are another program's behind its own options.
const hostName = "host"

// libraryVariable names the folder of the driver library.
const libraryVariable = "SIMTRUN_CUDA_LIB"

// hostOptions are the flags of the host command: those that become variables of the program's environment.
type hostOptions struct {
	gpu, check, divergence, report, metrics, save, log string
	split                                              uint64
	clock                                              bool
}

func newHostCommand() *cobra.Command {
	o := &hostOptions{}
	cmd := &cobra.Command{
		Use:   hostName + " [flags] PROGRAM [ARGUMENT...]",
		Short: "Run a program that uses a GPU's driver",
		Long: `Run a program that talks to the CUDA driver, with simtrun in the place of the driver and the GPU, and say
at the end what it has launched, how long that took, and what was found.

  simtrun host ./prog 1000
  simtrun host --check race python3 train.py

The driver library, libcuda.so.1, is looked for in the folder that ` + libraryVariable + ` names, beside the command, in lib beside
or above it, in cuda/lib beside it, and in cuda/lib; make -C cuda builds it. docs/host.md says what programs can do.`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.SetInterspersed(false)
	f.StringVar(&o.gpu, "gpu", "", "run on `GPU`, a preset or a file")
	f.StringVar(&o.check, "check", "", "look for what is wrong with launches that end all the same: race")
	f.StringVar(&o.divergence, "divergence", "", "how lanes diverge: its, stack, minpc")
	f.Uint64Var(&o.split, "split", 0, "lanes run apart now and then, as the seed has it")
	f.BoolVar(&o.clock, "clock", false, "time launches, which events then tell")
	f.StringVar(&o.report, "report", "", "write a line of JSON for each launch to `FILE`")
	f.StringVar(&o.metrics, "metrics", "", "have lines of --report contain metrics: `NAMES` with commas between, or all; simtrun metrics lists them")
	f.StringVar(&o.save, "save", "", "save the first launch of each kernel and shape, and those that fail, to the folder `DIR`; simtrun run runs them again")
	f.StringVar(&o.log, "log", "", "write what is found to `FILE`, not to standard error")
	return cmd
}

// environment is what the flags add to the program's environment.
func (o *hostOptions) environment() (all []string) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, name+"="+value)
		}
	}
	add(cuda.EnvGPU, o.gpu)
	add(cuda.EnvCheck, o.check)
	add(cuda.EnvDivergence, o.divergence)
	add(cuda.EnvReport, o.report)
	add(cuda.EnvMetrics, o.metrics)
	add(cuda.EnvSave, o.save)
	add(cuda.EnvLog, o.log)
	if o.split != 0 {
		add(cuda.EnvSplit, strconv.FormatUint(o.split, 10))
	}
	if o.clock {
		add(cuda.EnvFunctional, "0")
	}
	return all
}

// run carries out the host command.
func (o *hostOptions) run(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return &usageError{msg: "no program; it is written simtrun host PROGRAM ARGUMENTS"}
	}
	if o.metrics != "" && o.report == "" && os.Getenv(cuda.EnvReport) == "" {
		return &usageError{msg: "--metrics is for lines of --report FILE"}
	}
	folder, err := libraryFolder()
	if err != nil {
		return err
	}
	summary, err := os.CreateTemp("", "simtrun-host-*")
	if err != nil {
		return err
	}
	defer os.Remove(summary.Name())
	defer summary.Close()
	program := exec.CommandContext(cmd.Context(), args[0], args[1:]...)
	program.Stdin, program.Stdout, program.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	path := folder
	if before := os.Getenv("LD_LIBRARY_PATH"); before != "" {
		path += string(filepath.ListSeparator) + before
	}
	program.Env = append(append(os.Environ(), "LD_LIBRARY_PATH="+path, cuda.EnvSummary+"="+summary.Name()), o.environment()...)
	if self, err := os.Executable(); err == nil && os.Getenv(cuda.EnvCommand) == "" {
		program.Env = append(program.Env, cuda.EnvCommand+"="+self)
	}
	program.Cancel = func() error { return program.Process.Signal(os.Interrupt) }
	signals := make(chan os.Signal, 1) // the program gets what the terminal sends, and ends as it likes
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	err = program.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return &usageError{msg: err.Error()}
	}
	launches, readErr := readLaunches(summary)
	if readErr != nil {
		return readErr
	}
	t := totalOf(launches)
	t.write(cmd.ErrOrStderr())
	if code := program.ProcessState.ExitCode(); code != 0 {
		return &codedError{max(code, 1), fmt.Errorf("%s ended with exit status %d", filepath.Base(args[0]), code)}
	}
	if t.code != exitOK {
		return &codedError{t.code, errFound}
	}
	return nil
}

var errFound = errors.New("launches have findings")

// libraryFolder is the folder of the driver library.
func libraryFolder() (string, error) {
	var tried []string
	has := func(folder string) bool {
		tried = append(tried, folder)
		_, err := os.Stat(filepath.Join(folder, cuda.Library))
		return err == nil
	}
	if folder := os.Getenv(libraryVariable); folder != "" {
		if has(folder) {
			return filepath.Abs(folder)
		}
		return "", &usageError{msg: fmt.Sprintf("%s=%s: no %s is there; make -C cuda builds it", libraryVariable, folder, cuda.Library)}
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Dir(self)
		for _, folder := range []string{beside, filepath.Join(beside, "lib"), filepath.Join(filepath.Dir(beside), "lib"), filepath.Join(beside, "cuda", "lib")} {
			if has(folder) {
				return folder, nil
			}
		}
	}
	if here := filepath.Join("cuda", "lib"); has(here) {
		return filepath.Abs(here)
	}
	return "", &usageError{msg: fmt.Sprintf("no %s in %s; make -C cuda builds it in cuda/lib of the repository, and %s names another folder", cuda.Library, strings.Join(tried, ", "), libraryVariable)}
}

// readLaunches reads what the driver library has written: lines of JSON, of which the last may be cut off.
func readLaunches(from io.Reader) ([]cuda.Launched, error) {
	var all []cuda.Launched
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var l cuda.Launched
		if err := json.Unmarshal(bytes.TrimSpace(line), &l); err != nil {
			return nil, fmt.Errorf("the driver library's summary: %w", err)
		}
		all = append(all, l)
	}
}

// hostTotal is what the launches of a program came to.
type hostTotal struct {
	kernels []kernelTotal // by time, the longest first
	all     kernelTotal
	found   map[string]int64 // how often each rule was broken
	slow    []string         // why functions were not compiled, each once
	code    int
}

// kernelTotal is what the launches of one kernel came to.
type kernelTotal struct {
	name     string
	launches int
	instrs   uint64
	seconds  float64
	cycles   int64
}

func (k *kernelTotal) add(l *cuda.Launched) {
	k.launches++
	k.instrs += l.WarpInstrs
	k.seconds += l.Seconds
	k.cycles += l.Cycles
}

func totalOf(launches []cuda.Launched) *hostTotal {
	t := &hostTotal{found: make(map[string]int64), code: exitOK}
	index := make(map[string]int)
	for i := range launches {
		l := &launches[i]
		at, known := index[l.Kernel]
		if !known {
			at = len(t.kernels)
			index[l.Kernel] = at
			t.kernels = append(t.kernels, kernelTotal{name: l.Kernel})
		}
		t.kernels[at].add(l)
		t.all.add(l)
		for _, f := range slices.Concat(l.Warnings, l.Races) {
			t.found[f.Rule] += f.Count
			if f.Severity == "error" {
				t.code = worse(t.code, exitFindings)
			}
		}
		for _, why := range l.Uncompiled {
			if !slices.Contains(t.slow, why) {
				t.slow = append(t.slow, why)
			}
		}
		if l.Error != "" {
			t.found[cmp.Or(l.Rule, "error")]++
			t.code = worse(t.code, exitFault)
		}
	}
	slices.SortStableFunc(t.kernels, func(a, b kernelTotal) int { return cmp.Compare(b.seconds, a.seconds) })
	return t
}

// mostKernels is how many kernels are listed.
const mostKernels = 10

func (t *hostTotal) write(to io.Writer) {
	w := bufio.NewWriter(to)
	defer w.Flush()
	if t.all.launches == 0 {
		fmt.Fprintln(w, "simtrun: the program has launched no kernel")
		return
	}
	fmt.Fprintf(w, "simtrun: %s of %s, %d warp instructions, %s\n", quantity(t.all.launches, "launch", "launches"), quantity(len(t.kernels), "kernel", "kernels"), t.all.instrs, t.all.time())
	for i := range t.kernels[:min(len(t.kernels), mostKernels)] {
		k := &t.kernels[i]
		fmt.Fprintf(w, "  %-24s %8d launches %14d instructions  %s\n", cxx.Short(k.name), k.launches, k.instrs, k.time())
	}
	if more := len(t.kernels) - mostKernels; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, why := range t.slow {
		fmt.Fprintf(w, "  note: %s\n", demangled(why))
	}
	if len(t.found) == 0 {
		fmt.Fprintln(w, "  nothing was found")
	}
	var rules []string
	for rule := range t.found {
		rules = append(rules, rule)
	}
	slices.Sort(rules)
	for _, rule := range rules {
		fmt.Fprintf(w, "  found %s %s; simtrun explain %[1]s\n", rule, quantity(int(t.found[rule]), "time", "times"))
	}
}

// demangled is a sentence with its names of functions as C++ has them.
func demangled(sentence string) string {
	words := strings.Split(sentence, " ")
	for i, word := range words {
		words[i] = cxx.Short(word)
	}
	return strings.Join(words, " ")
}

// time is the host's, and with a clock the GPU's.
func (k *kernelTotal) time() string {
	text := fmt.Sprintf("%.1f ms", 1e3*k.seconds)
	if k.cycles > 0 {
		text += fmt.Sprintf(", %d cycles", k.cycles)
	}
	return text
}

func quantity(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
