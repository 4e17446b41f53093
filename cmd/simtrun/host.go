package main

import (
	"bufio"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/hostlink"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/verdict"
)

// hostName is the command after whose own options the arguments belong to another program.
const hostName = "host"

// hostOptions are the flags of the host command that become environment variables of the program.
type hostOptions struct {
	gpu, check, divergence, sharedInit, report, metrics, save, log string
	split                                                          uint64
	clock, standIns, requireLaunch                                 bool
	timeout, launchTimeout                                         duration // 0: none
	ci                                                             ciOptions
	debug                                                          hostDebugOptions
	profile                                                        hostProfile

	settings *hostlink.Settings // of the flags and the environment
}

func newHostCommand() *cobra.Command { return newHostCommandOf(&hostOptions{}) }

func newHostCommandOf(o *hostOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   hostName + " [flags] PROGRAM [ARGUMENT...]",
		Short: "Run a program that uses the CUDA driver",
		Long: `Run a program that uses the CUDA driver, with simtrun instead of the driver and the GPU. When the program has
ended, print its launches, their times, and the findings.

  simtrun host ./prog 1000
  simtrun host --check all ./prog 1000
  simtrun host --gpu a100 python3 devices.py
  simtrun host prog.cu 1000                compiles the program, with -g and the options of its header, and runs it

simtrun looks for the driver library, libcuda.so.1, in these folders; BIN is that of simtrun: $` + cuda.EnvLibrary + `,
BIN, BIN/lib, BIN/../lib/simtrun, BIN/../lib, BIN/cuda/lib, cuda/lib. Packages of simtrun have it, and make -C cuda
builds it. docs/host.md is about running programs, docs/host-support.md about the parts of CUDA that they can use.`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.runProfiled(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.SetInterspersed(false)
	f.StringVar(&o.gpu, "gpu", "", "model `GPU`, a preset or a TOML file")
	f.StringVar(&o.check, "check", "", "run the checks in `LIST`: race, init (uses of values that were never written), sync (undefined results of shuffles, missing waits and fences), api (driver calls that fail), leak (memory that is never freed), stream (races between streams and with the host), all; mem is always on")
	f.StringVar(&o.divergence, "divergence", "", "`MODEL` of how diverged lanes reconverge: its, stack, minpc")
	f.Uint64Var(&o.split, "split", 0, "make lanes diverge at random places, which `SEED` determines")
	f.StringVar(&o.sharedInit, "shared-init", "", "initial `CONTENTS` of a block's shared memory: pattern (bytes 0xab, the default) or zero")
	f.BoolVar(&o.clock, "clock", false, "simulate the time that launches take, which CUDA events then report")
	f.StringVar(&o.report, "report", "", "write a line of JSON per launch to `FILE`")
	f.StringVar(&o.metrics, "metrics", "", "add metrics to the lines of --report: `NAMES` separated by commas, or all (simtrun metrics lists them)")
	f.StringVar(&o.save, "save", "", "save launches to the folder `DIR`, for simtrun run to repeat: the first of each kernel and shape, and each one that fails")
	f.BoolVar(&o.profile.on, "profile", false, "after the program has ended, profile the first launch of each kernel and shape, as simtrun profile does; with --save these launches are kept")
	f.BoolVar(&o.standIns, "stand-ins", false, "let the program load stand-ins for the libraries cuSPARSE, cuFFT, cuSOLVER, cuDNN, NCCL and CUPTI: all their functions fail")
	f.StringVar(&o.log, "log", "", "write findings to `FILE` instead of standard error")
	f.StringArray(ccFlag, nil, "compile a PROGRAM in CUDA C++ (.cu) with `OPTIONS` of nvcc or clang, as in --cc '-DN=4 -O0'")
	f.Var(&o.timeout, "timeout", "end the program with exit status 5 after `TIME`, such as 30s, 5m or a number of seconds; 0 is no limit")
	f.Var(&o.launchTimeout, "launch-timeout", "end a launch after `TIME`; the program then gets CUDA_ERROR_LAUNCH_TIMEOUT; 0 is no limit")
	f.BoolVar(&o.requireLaunch, "require-launch", false, "exit with status 1 if the program launches no kernel, for example because its tests are skipped without a GPU")
	o.debug.addFlags(f)
	o.ci.addFlags(f)
	completeCI(cmd)
	completeFlag(cmd, "gpu", completeGPU)
	completeWords(cmd, "check", check.ProgramKinds())
	completeWords(cmd, "divergence", divergence.ModelNames())
	completeWords(cmd, "shared-init", []string{"pattern", "zero"})
	completeNothing(cmd, "timeout", "launch-timeout", "metrics", "split")
	return cmd
}

// run executes the host command.
func (o *hostOptions) run(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return &usageError{msg: "no program; expected simtrun host PROGRAM [ARGUMENT...]"}
	}
	if o.metrics != "" && o.report == "" && os.Getenv(cuda.EnvReport) == "" {
		return &usageError{msg: "--metrics needs --report FILE"}
	}
	if err := o.prepare(); err != nil {
		return err
	}
	if err := o.ci.prepare(nil, o.looksFor); err != nil {
		return err
	}
	path, remove, err := o.executable(cmd, args[0])
	if err != nil {
		return err
	}
	defer remove()
	folders, err := o.libraryFolders()
	if err != nil {
		return err
	}
	summary, err := os.CreateTemp("", "simtrun-host-*")
	if err != nil {
		return err
	}
	defer os.Remove(summary.Name())
	defer summary.Close()
	talk, err := o.debug.begin(cmd, o.settings.Machine.Clock != nil)
	if err != nil {
		return err
	}
	defer talk.close()
	environment := append(o.programEnvironment(cmd, folders, summary.Name()), talk.environment()...)
	defer noteResults(cmd.Context(), noteResults(cmd.Context(), programRuns))
	program, late, err := o.runProgram(cmd, append([]string{path}, args...), environment, talk, summary)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return &usageError{msg: explain(err)}
	}
	end := hostEnd{name: filepath.Base(args[0]), late: late}
	end.code, end.how = endOf(program.ProcessState)
	talk.leave(cmp.Or(end.how, "ended with exit status 0"))
	launches, readErr := readLaunches(summary)
	if readErr != nil {
		return readErr
	}
	for _, path := range []string{o.report, o.save, o.log} {
		if _, err := os.Stat(path); err == nil {
			noteWritten(cmd.Context(), path)
		}
	}
	t := totalOf(launches)
	v, judging := o.ci.judge(append(t.findings, o.noted(t)...))
	t.judged(v)
	noteResults(cmd.Context(), resultsWanted) // reading the launches of a long run has taken long
	end.judged = judging
	end.missing = o.missing(end.code, path, folders[0])
	t.launchRequired = o.requireLaunch && !listsTests(args[1:]) && end.code == 0 && end.judged == nil && !end.late && t.code == exitOK
	how := "ended"
	switch {
	case talk.hasQuit():
		how = "ended by quit"
	case end.code > exitSignal:
		how = "killed"
	}
	t.write(cmd.ErrOrStderr(), how, lookedFor(o.settings))
	report.WriteAllowed(cmd.ErrOrStderr(), v, colourOf(cmd).on(cmd.ErrOrStderr()))
	if end.broken = talk.close(); end.broken == nil && talk.quit {
		return nil
	}
	err = o.errorOf(&end, t, v)
	status := exitCode(cmd.Context(), err)
	_, err = firstError(cmd.Context(), status, err, o.ci.write(cmd, v, status, end.suite(t, v, err)))
	return err
}

// runProgram runs a program, and runs it again if the user of its debugger restarts it. Words are the path of its file,
// its name (argv[0]) and its arguments.
func (o *hostOptions) runProgram(cmd *cobra.Command, words, environment []string, talk *hostTerminal, summary *os.File) (program *exec.Cmd, late bool, err error) {
	for {
		program = exec.Command(words[0], words[2:]...)
		program.Args[0] = words[1]
		talk.connect(program)
		program.Env = environment
		program.Dir, program.WaitDelay = talk.folderOfProgram()
		late, err = o.await(cmd.Context(), program, summary.Name())
		if !talk.startsOver() {
			return program, late, err
		}
		if _, err := summary.Seek(0, io.SeekEnd); err != nil { // what is there is about the program that has ended
			return program, late, err
		}
	}
}

// libraryFolders returns the folders in which the program looks for libraries: that of the driver, those of
// LD_LIBRARY_PATH, and that of the stand-ins, if they are asked for.
func (o *hostOptions) libraryFolders() ([]string, error) {
	driver, err := libraryFolder()
	if err != nil {
		return nil, err
	}
	folders := []string{driver}
	if before := os.Getenv("LD_LIBRARY_PATH"); before != "" {
		folders = append(folders, before)
	}
	if o.standIns {
		folder := standInFolder(driver)
		if _, err := os.Stat(folder); err != nil {
			return nil, &usageError{msg: fmt.Sprintf("no stand-ins in %s; make -C cuda standins builds them", folder)}
		}
		folders = append(folders, folder)
	}
	return folders, nil
}

// missing returns a hint for a program that did not start because the loader did not find a library that has a
// stand-in; "" for others. driver is the folder of the driver library.
func (o *hostOptions) missing(code int, program, driver string) string {
	const notLoaded = 127 // the exit status of the dynamic loader
	if code != notLoaded || o.standIns {
		return ""
	}
	file, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer file.Close()
	needed, _ := file.ImportedLibraries()
	for _, library := range needed {
		if _, err := os.Stat(filepath.Join(standInFolder(driver), library)); err == nil {
			return fmt.Sprintf("; it needs %s: with --stand-ins it loads a stand-in for that library, in which all functions fail", library)
		}
	}
	return ""
}

// standInFolder returns the folder of the stand-ins, by that of the driver library.
func standInFolder(driver string) string { return filepath.Join(driver, "standins") }

// programEnvironment returns the environment of the program.
func (o *hostOptions) programEnvironment(cmd *cobra.Command, folders []string, summary string) []string {
	path := strings.Join(folders, string(filepath.ListSeparator))
	all := append(os.Environ(), "LD_LIBRARY_PATH="+path, cuda.EnvSummary+"="+summary)
	for _, s := range o.given() {
		all = append(all, s.variable+"="+s.value)
	}
	if columns, ok := terminalWidth(cmd.ErrOrStderr()); ok && !o.debug.panes {
		all = append(all, cuda.EnvProgress+"="+strconv.Itoa(columns))
	}
	if self, err := os.Executable(); err == nil && os.Getenv(cuda.EnvCommand) == "" {
		all = append(all, cuda.EnvCommand+"="+self)
	}
	return all
}

var errNoLaunch = errors.New("the program has launched no kernel")

// libraryFolder returns the folder of the driver library.
func libraryFolder() (string, error) {
	var tried []string
	has := func(folder string) bool {
		tried = append(tried, folder)
		_, err := os.Stat(filepath.Join(folder, cuda.Library))
		return err == nil
	}
	if folder := os.Getenv(cuda.EnvLibrary); folder != "" {
		if has(folder) {
			return filepath.Abs(folder)
		}
		return "", &usageError{msg: fmt.Sprintf("%s=%s: that folder has no %s; simtrun's packages (.deb, .rpm) and archives have it, and make -C cuda builds it", cuda.EnvLibrary, folder, cuda.Library)}
	}
	for _, folder := range cuda.LibraryFolders() {
		if has(folder) {
			return folder, nil
		}
	}
	if here := filepath.Join("cuda", "lib"); has(here) {
		return filepath.Abs(here)
	}
	return "", &usageError{msg: fmt.Sprintf("no %s in %s; simtrun's packages (.deb, .rpm) and archives have it, see docs/install.md; in the repository make -C cuda builds it; %s names another folder", cuda.Library, strings.Join(tried, ", "), cuda.EnvLibrary)}
}

// hostTotal sums up the launches of a program.
type hostTotal struct {
	kernels []kernelTotal // by time, the longest first
	all     kernelTotal
	cut     []cuda.Launched       // launches that have not ended, with their latest state
	found   map[string]foundTotal // by rule
	notes   []string              // distinct: functions that were not compiled, undefined values
	// undefined says that a launch got undefined values.
	undefined bool
	calls     []cuda.Launched // calls that failed, with their latest counts
	leaks     []cuda.Leak
	code      int
	// findings are the findings of all launches, before they are judged.
	findings []verdict.Finding
	verdict  *verdict.Verdict // of all findings; nil before that
	// launchRequired says that the error of the command reports a program without launches.
	launchRequired bool
}

// foundTotal counts the findings of a rule: the error of the command counts places, as CI systems do.
type foundTotal struct {
	times  int64
	places int
}

func (f foundTotal) String() string {
	text := quantity(int(f.times), "time", "times")
	if f.times > int64(f.places) {
		text += " at " + quantity(f.places, "place", "places")
	}
	return text
}

// kernelTotal sums up the launches of one kernel.
type kernelTotal struct {
	name     string
	launches int
	instrs   uint64
	seconds  float64
	cycles   int64
}

func (k *kernelTotal) add(l *cuda.Launched) {
	k.launches += int(max(1, l.Launches))
	k.instrs += l.WarpInstrs
	k.seconds += l.Seconds
	k.cycles += l.Cycles
}

func totalOf(launches []cuda.Launched) *hostTotal {
	t := &hostTotal{found: make(map[string]foundTotal), code: exitOK}
	index := make(map[string]int)
	for i := range launches {
		l := &launches[i]
		if l.Call != nil || l.Leak != nil || l.Found != nil {
			t.note(l)
			continue
		}
		if i := slices.IndexFunc(t.cut, func(c cuda.Launched) bool { return c.Process == l.Process }); i >= 0 {
			if l.State == cuda.Interrupted {
				l.Done, l.Total = t.cut[i].Done, t.cut[i].Total
			}
			t.cut = slices.Delete(t.cut, i, i+1)
		}
		if l.State != cuda.Ended {
			t.cut = append(t.cut, *l)
			continue
		}
		at, known := index[l.Symbol()]
		if !known {
			at = len(t.kernels)
			index[l.Symbol()] = at
			t.kernels = append(t.kernels, kernelTotal{name: l.Symbol()})
		}
		t.kernels[at].add(l)
		t.all.add(l)
		t.findings = append(t.findings, hostFindings(slices.Concat(l.Warnings, l.Races), l.Symbol())...)
		for _, why := range l.Uncompiled {
			t.noteOnce(demangled(why))
		}
		for _, why := range l.Undefined {
			t.noteOnce(cxx.Short(l.Kernel) + ": " + why)
			t.undefined = true
		}
		if l.Error != "" {
			t.findings = append(t.findings, fatalFinding(l))
		}
	}
	sorted.Stable(t.kernels, func(a, b kernelTotal) int { return cmp.Compare(b.seconds, a.seconds) })
	return t
}

// noteOnce adds a note about launches, unless it is there.
func (t *hostTotal) noteOnce(note string) {
	if !slices.Contains(t.notes, note) {
		t.notes = append(t.notes, note)
	}
}

// launchless reports whether the program has launched no kernel.
func (t *hostTotal) launchless() bool { return t.all.launches == 0 && len(t.cut) == 0 }

// write writes the totals. how says how the program ended, for launches that had not ended, and looked for what faults
// the program was checked.
func (t *hostTotal) write(to io.Writer, how, looked string) {
	w := bufio.NewWriter(to)
	defer w.Flush()
	if line := newProgressLine(to); line != nil && len(t.cut) > 0 {
		line.shown = true // by the driver library, which could not remove it
		line.clear()
	}
	for i := range t.cut {
		t.writeCut(w, &t.cut[i], how)
	}
	switch {
	case t.all.launches > 0:
		t.writeLaunches(w)
	case t.launchless() && !t.launchRequired:
		fmt.Fprintf(w, "simtrun: %v\n", errNoLaunch)
	}
	if !t.writeNotes(w) && !t.undefined && len(t.found) == 0 && t.all.launches > 0 {
		which := "no fault"
		if t.verdict != nil {
			if suppressed, known := t.verdict.Allowed(); suppressed+known > 0 {
				which = "no other fault" // than those that the last line of the command counts
			}
		}
		fmt.Fprintf(w, "  %s was found (%s)\n", which, looked)
	}
	for _, rule := range slices.Sorted(maps.Keys(t.found)) {
		fmt.Fprintf(w, "  found %s %v; simtrun explain %[1]s\n", rule, t.found[rule])
	}
}

// demangled returns a sentence with its function names demangled.
func demangled(sentence string) string {
	words := strings.Split(sentence, " ")
	for i, word := range words {
		words[i] = cxx.Short(word)
	}
	return strings.Join(words, " ")
}

// note records a line of the driver library that is not about a launch.
func (t *hostTotal) note(l *cuda.Launched) {
	if l.Found != nil {
		t.findings = append(t.findings, hostFindings(l.Found, "")...)
		return
	}
	if l.Leak != nil {
		t.leaks = append(t.leaks, *l.Leak)
		return
	}
	same := func(c cuda.Launched) bool {
		a, b := *c.Call, *l.Call
		a.Count = b.Count
		return c.Process == l.Process && a == b
	}
	if i := slices.IndexFunc(t.calls, same); i >= 0 {
		t.calls[i] = *l
	} else {
		t.calls = append(t.calls, *l)
	}
}

// writeCut writes the progress of a launch that had not ended when its process did; how says how it ended.
func (t *hostTotal) writeCut(w io.Writer, l *cuda.Launched, how string) {
	which := "the first launch"
	if l.State == cuda.Interrupted {
		how = "interrupted"
	}
	if t.all.launches > 0 {
		which = fmt.Sprintf("a launch after %s", quantity(t.all.launches, "other", "others"))
	}
	fmt.Fprintf(w, "simtrun: %s during %s: kernel %s, grid %s, block %s", how, which, cxx.Short(l.Kernel), shapeText(l.Grid), shapeText(l.Block))
	if l.State != cuda.Begun && l.Total > 0 {
		fmt.Fprintf(w, "; %d of %s done after %.1f s", l.Done, quantity(int(l.Total), "block", "blocks"), l.Seconds)
	}
	fmt.Fprintln(w)
}

// shapeText returns a grid or a block in the form of --grid.
func shapeText(d [3]uint32) string {
	switch {
	case d[2] > 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] > 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return strconv.Itoa(int(d[0]))
}

// time returns the host's time, and with a clock the GPU's.
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
