package debugger

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Answers that several commands of gdb share.
const (
	oneProgram  = "the kernel and its launch are those of the command line; restart starts over, quit ends"
	noShell     = "there is no shell, Python or macro here; define, if and while take several commands, source FILE carries out a file of them"
	noScreen    = "list shows the source, disas the instructions, display a value after every stop"
	noSteering  = "a kernel cannot be made to go on elsewhere; set changes registers and memory, until LOC runs to a place"
	noRecording = "everything is recorded: reverse-step, reverse-continue and rewind go back"
	noRemote    = "the kernel runs in this process, without a remote target; simtrun dap --listen ADDR serves editors, simtrun host --debug debugs a host program"
	noTracing   = "trace LOC EXPR, ... and dprintf print at a place, without stopping"
	itsOwnFile  = "the files are those that the debug information names; list FILE:LINE shows them"
	itsEnd      = "commands N begins a list of commands that end ends"
	noWriting   = "x and print show memory; simtrun run --save NAME=FILE writes a buffer to a file"
)

// instead names the replacement for commands of gdb and cuda-gdb.
var instead = map[string]string{
	"attach": oneProgram, "detach": oneProgram, "file": oneProgram, "load": oneProgram,
	"exec-file": oneProgram, "symbol-file": oneProgram, "core-file": oneProgram, "target": noRemote, "monitor": noRemote, "disconnect": noRemote, "inferior": oneProgram, "cd": oneProgram, "pwd": oneProgram,
	"shell": noShell, "!": noShell, "make": noShell, "python": noShell, "py": noShell,
	"alias": noShell, "macro": noShell, "pipe": noShell, "|": noShell, "guile": noShell, "gu": noShell,
	"refresh": noScreen, "add-inferior": oneProgram, "unset": oneProgram, "sharedlibrary": oneProgram, "nosharedlibrary": oneProgram,
	"add-symbol-file": oneProgram, "directory": itsOwnFile, "dir": itsOwnFile, "tstop": noTracing, "actions": noTracing, "collect": noTracing, "ftrace": noTracing, "strace": noTracing,
	"else": "if EXPR begins a list that may have an else", "end": itsEnd, "silent": itsEnd, "interrupt": "Ctrl-C stops what runs", "flushregs": "registers are read afresh whenever they are shown",
	"demangle": "names are shown as in the source; info functions lists them", "restore": noWriting,
	"layout": noScreen, "tui": noScreen, "winheight": noScreen, "edit": noScreen,
	"jump": noSteering, "j": noSteering, "signal": noSteering, "return": noSteering,
	"record": noRecording, "reverse-until": "reverse-next goes back by a line, until LOC and goto STEP run to a place or step",
	"skip": "finish leaves a function that step went into", "tstart": noTracing,
	"core": oneProgram, "compare-sections": oneProgram,
	"dump": noWriting, "append": noWriting, "generate-core-file": noWriting, "gcore": noWriting, "find": noWriting,
	"catch":       "break on EVENT stops on diverge, reconverge, barrier, exit or mem; errors always stop",
	"tcatch":      "break on EVENT stops on diverge, reconverge, barrier, exit or mem; errors always stop",
	"handle":      "Ctrl-C stops what runs; errors of the kernel always stop",
	"maintenance": "info and disas show what the debugger knows of a program",
	"maint":       "info and disas show what the debugger knows of a program",
	"explore":     "print shows a value with its members",
	"compile":     "functions of the program are not called from here; print computes expressions",
	"tty":         "the kernel has no terminal of its own; its printf is shown here",
	"taas":        "warps -exec COMMAND carries out a command in every warp",
	"tfaas":       "warps -exec COMMAND carries out a command in every warp",
	"faas":        "bt shows the frames; up, down and frame N select one",
}

// gdbSettings are words after set that are settings of gdb; a place is followed by an =.
var gdbSettings = map[string]bool{
	"args": true, "breakpoint": true, "can-use-hw-watchpoints": true, "confirm": true, "cuda": true, "disassemble-next-line": true,
	"environment": true, "exec-direction": true, "disassembly-flavor": true, "substitute-path": true, "language": true, "remotetimeout": true, "height": true, "history": true, "listsize": true, "logging": true, "non-stop": true, "pagination": true,
	"print": true, "prompt": true, "scheduler-locking": true, "step-mode": true, "style": true, "verbose": true, "width": true,
}

// asItIs lists settings of gdb that never differ from these, so that files of commands may ask for them.
var asItIs = []string{
	"pagination off", "confirm off", "height 0", "height unlimited", "verbose off", "non-stop off", "logging off", "print pretty on", "print thread-events off",
	"breakpoint pending on", "cuda memcheck on", "cuda launch_blocking on", "cuda coalescing on", "cuda step_divergent_lanes on",
}

// setting changes a setting. done is false if args are not one that can be changed, and that is none of asItIs.
func (d *Debugger) setting(args string) (done bool, err error) {
	words := strings.Join(strings.Fields(args), " ")
	number, ok := strings.CutPrefix(words, "listsize ")
	switch {
	case ok:
		n, err := strconv.Atoi(number)
		if number == "unlimited" {
			n, err = mostListed, nil
		}
		if err != nil || n < 1 {
			return true, errors.New("expected set listsize N, with N the lines that list shows, from 1")
		}
		d.listed = min(n, mostListed)
	case slices.Contains(asItIs, words):
		why := ""
		if name, ok := strings.CutPrefix(words, "cuda "); ok {
			name, _, _ = cutFirst(name, " ")
			why = "; " + cudaSettings[name]
		}
		d.printf("%s: it always is%s\n", words, why)
	default:
		return false, nil
	}
	return true, nil
}

// noSetting returns the error for a setting of gdb: what holds here, for those of cuda-gdb that a program's user knows.
func noSetting(word, rest string) error {
	name, _, _ := cutFirst(strings.TrimSpace(rest), " ")
	if why := cudaSettings[name]; word == "cuda" && why != "" {
		return errorf("set cuda %s: no setting; %s", name, why)
	}
	if word == "exec-direction" {
		return errorf("set %s: no setting; reverse-step, reverse-continue and rev COMMAND go backwards", word)
	}
	return errorf("set %s: the only setting is listsize; set PLACE = EXPR changes a register or memory", word)
}

// cudaSettings says what holds here for settings of cuda-gdb.
var cudaSettings = map[string]string{
	"memcheck":                      "every access is always checked; --check all looks for races and unwritten values, too",
	"api_failures":                  "with simtrun host --debug, catch error stops at calls that fail",
	"break_on_launch":               "with simtrun host --debug, break kernel stops at each launch",
	"launch_blocking":               "launches run one at a time, so that each ends before the program goes on",
	"kernel_events":                 "with simtrun host --debug, catch launch and catch end stop at launches",
	"context_events":                "catch launch of simtrun host --debug stops at launches; contexts are not shown",
	"software_preemption":           "the debugger needs no GPU that draws",
	"coalescing":                    "info threads and info warps always show those together that are at the same place",
	"single_stepping_optimizations": "step executes each instruction, and continue without breakpoints is compiled",
	"thread_selection":              "cuda block B thread T moves the focus; a stop moves it to the lanes that stopped",
	"step_divergent_lanes":          "step goes by the lane in focus, and the other lanes of its warp run in their turn",
	"value_extrapolation":           "a variable that has no value here is shown as optimised out",
	"collect_coredump":              "restart and the commands that go back return to any place of a launch",
}

// variablesInstead names the replacement for variables of cuda-gdb.
var variablesInstead = map[string]string{
	"$pc": "the warps have gone with the launch; restart starts over", "$errorpc": errorShown, "$errorcode": errorShown, "$_siginfo": errorShown, "$_exitcode": errorShown,
	"$_": lastShown, "$__": lastShown, "$sp": noStack, "$fp": noStack,
}

const (
	errorShown = "info findings shows the error that ended the launch, and !> the instruction"
	lastShown  = "x gives it a value; $ is the value that was printed last, $1 the first"
	noStack    = "info mem shows the stack frame of a function, info frame the call"
)

// topicsInstead names the replacement for topics of gdb's info.
var topicsInstead = map[string]string{
	"tracepoints": "info break shows traces, too", "tp": "info break shows traces, too", "set": "the only setting is listsize",
	"target": "info launch shows what runs", "record": noRecording, "skip": "finish leaves a function that step went into",
	"auxv": "info launch shows what runs", "os": "info launch shows what runs", "terminal": "the kernel has no terminal of its own; its printf is shown here",
	"proc": "info launch shows what runs", "inferiors": "info launch shows what runs", "signals": "errors of the kernel always stop",
	"files": "info source shows where the focus is", "sharedlibrary": "info functions shows all that the kernel can reach",
	"vector": "info regs shows all registers", "float": "info regs shows all registers",
	"managed": "info mem shows all buffers", "contexts": "info launch shows what runs", "macro": noShell, "macros": noShell, "sharedmemory": "info mem shows the sizes; x shared:0 shows the content",
}
