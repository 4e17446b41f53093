package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/sweep"
	"github.com/simtrun/simtrun/internal/trace"
)

// isCompletion reports whether word asks for completions of the words after
// it, as the scripts of "simtrun completion" do.
func isCompletion(word string) bool {
	return word == cobra.ShellCompRequestCmd || word == cobra.ShellCompNoDescRequestCmd
}

// completedRun puts the run command before the words to be completed, as impliedRun does for complete command lines.
// An incomplete first word may become a command or a file.
func completedRun(root *cobra.Command, args []string) []string {
	words := args[1:]
	if len(words) == 0 || namesCommand(root, words[0]) || len(words) == 1 && !strings.HasPrefix(words[0], "-") {
		return args
	}
	return sorted.Insert(slices.Clone(args), 1, "run")
}

// sourceExtensions are the suffixes of files that completion offers as sources.
var sourceExtensions = []string{"s", "ptx", "cu"}

// completeRoot offers files in addition to the commands.
func completeRoot(root *cobra.Command) {
	root.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	completeWords(root, "color", colourModes)
}

// completeSources offers source files as arguments.
func completeSources(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return sourceExtensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// completeRun offers the values of run's flags.
func completeRun(cmd *cobra.Command) {
	completeDirectives(cmd)
	completeClock(cmd)
	completeFlag(cmd, "trace", completeTrace)
	completeWords(cmd, "check", check.LaunchKinds())
	completeNothing(cmd, "timeout", "jobs", "block-filter", "warp-filter", "line-filter", "sm-filter", "cycle-filter", "timeline-size")
}

// completeClock offers the values of the flags that addClockFlags adds.
func completeClock(cmd *cobra.Command) {
	completeWords(cmd, "sched", sm.PolicyNames())
	completeWords(cmd, "cta-order", sm.OrderNames())
	completeWords(cmd, "cost", []string{cost.Lowered.String(), cost.PTX.String()})
	completeWords(cmd, "icache", []string{"cold", "warm"})
}

// completeSweep offers the values of sweep's flags, and the first value of lists.
func completeSweep(cmd *cobra.Command) {
	completeLaunch(cmd)
	completeClock(cmd)
	completeWords(cmd, "emit", sweep.EmitterNames())
	completeNothing(cmd, "jobs", "point", "tasks")
}

// completeExplore offers the values of explore's flags.
func completeExplore(cmd *cobra.Command) {
	completeKernel(cmd)
	completeNothing(cmd, "max-steps", "max-launch-steps", "memory", "jobs", "runs", "budget", "preemptions", "seed")
}

// completeDebug offers the values of debug's flags. It does not offer files for commands of the debugger.
func completeDebug(cmd *cobra.Command) {
	completeDirectives(cmd)
	completeClock(cmd)
	completeWords(cmd, "check", []string{"race"})
	completeNothing(cmd, "execute", "history")
}

// completeView offers the values of view's flags.
func completeView(cmd *cobra.Command) {
	completeDirectives(cmd)
	completeClock(cmd)
	completeNothing(cmd, "steps", "history")
}

// completeDirectives offers sources as arguments, and the values of the flags
// that addDirectiveFlags adds.
func completeDirectives(cmd *cobra.Command) {
	completeLaunch(cmd)
	completeFlag(cmd, "dump", completeWith(memoryNames, ""))
	completeFlag(cmd, "save", completeWith(memoryNames, "="))
	completeNothing(cmd, "split")
}

// completeLaunch offers sources as arguments, and the values of the flags that describe the launch and the GPU.
func completeLaunch(cmd *cobra.Command) {
	completeKernel(cmd)
	completeWords(cmd, "path-order", []string{divergence.Taken.String(), divergence.FallThrough.String(), divergence.Majority.String()})
	completeWords(cmd, "divergence", divergence.ModelNames())
	if cmd.Flags().Lookup("shared-init") != nil {
		completeWords(cmd, "shared-init", []string{"pattern", "zero"})
	}
	completeFlag(cmd, "expect", completeWith(memoryNames, ""))
	completeNothing(cmd, "regs", "carveout", "max-steps", "max-launch-steps", "memory")
}

// completeKernel offers sources as arguments, and the values of the flags that describe a launch's kernel, arguments
// and shape.
func completeKernel(cmd *cobra.Command) {
	completeSources(cmd)
	completeFlag(cmd, "gpu", completeGPU)
	completeFlag(cmd, "kernel", completeWith(kernelNames, ""))
	completeFlag(cmd, "arg", completeWith(paramNames, "="))
	completeFlag(cmd, "symbol", completeWith(variableNames, "="))
	completeNothing(cmd, "grid", "block", "cluster", "shared")
}

// completeGPU offers the presets, or files if the word begins like a path.
func completeGPU(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if gpu.IsFile(typed) {
		return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return gpu.Names(), cobra.ShellCompDirectiveNoFileComp
}

// completeTrace offers the kinds of traces; a file follows the colon.
func completeTrace(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(typed, ":") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return trace.KindNames(), cobra.ShellCompDirectiveNoFileComp
}

// completeWords offers the possible values of a flag.
func completeWords(cmd *cobra.Command, flag string, words []string) {
	completeFlag(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeNothing prevents files from being offered as values of flags that do not take files.
func completeNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		completeFlag(cmd, flag, cobra.NoFileCompletions)
	}
}

// completeFlag sets the completion of a flag's value.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic("simtrun bug: " + err.Error())
	}
}

// program is the files of an incomplete command line.
type program struct {
	mod     *isa.Module
	headers []*launch.Layer
	kernel  string // from --kernel; "" if it is not given
}

// completeWith offers names from the files before the flag, each followed by next. After an = it offers files.
func completeWith(names func(*program) []string, next string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, files []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(typed, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		r := readingOf(cmd)
		r.lax = true
		text, err := loadProgram(files, strings.NewReader(""), r)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		p := &program{mod: text.mod, headers: text.headers, kernel: cmd.Flag("kernel").Value.String()}
		var offers []string
		for _, name := range names(p) {
			if offer := name + next; strings.HasPrefix(offer, typed) && !slices.Contains(offers, offer) {
				offers = append(offers, offer)
			}
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if next != "" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return offers, directive
	}
}

// kernelNames returns the names of the kernels in the source, and the name in PTX for kernels whose name is not unique.
func kernelNames(p *program) []string {
	var symbols, names []string
	for _, fn := range p.mod.Entries() {
		symbols = append(symbols, fn.Name)
	}
	for _, symbol := range symbols {
		name := cxx.Short(symbol)
		if len(cxx.Find(symbols, name)) != 1 {
			name = symbol
		}
		names = append(names, name)
	}
	return names
}

// paramNames returns the parameters of the kernel, or of all kernels.
func paramNames(p *program) []string {
	var names []string
	for _, fn := range p.mod.Entries() {
		for _, v := range fn.Params {
			if p.kernel == "" || p.kernel == fn.Name || p.kernel == cxx.Short(fn.Name) {
				names = append(names, v.Shown())
			}
		}
	}
	return names
}

func variableNames(p *program) []string { return launch.VariableNames(p.mod) }

func memoryNames(p *program) []string { return launch.Names(p.mod, p.headers...) }
