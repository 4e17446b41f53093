// Command simtrun runs PTX kernels on a simulated SIMT machine.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
)

// How far the heap may grow before it is collected, in per cent, unless GOGC is set. A launch keeps most of what it
// allocates, and a run is short. Go collects an empty heap at 4 MB for 100 %, so these values put the first
// collection at 64 MB, which a short run does not reach. keepCollecting bounds the rest.
const (
	firstGarbage = 1600
	moreGarbage  = 400 // after the first collection
)

func main() {
	failIfClosed()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(firstGarbage)
		runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, moreGarbage)
	}
	go prepare(os.Args[1:])
	// Without this the process ends without a message when a reader closes its pipe.
	signal.Ignore(syscall.SIGPIPE)
	keyboard := &atomic.Bool{}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), keyboardKey{}, keyboard))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for s := range signals {
			if s == os.Interrupt && keyboard.Load() {
				continue
			}
			signal.Stop(signals) // a second signal ends the process
			cancel(interrupted{s})
			return
		}
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// prepare builds in parallel the parts that a run needs, in the order in which it needs them: the parser, the GPU,
// the cost table. Building each takes as long as reading a short program. It builds nothing if no source file is
// named.
func prepare(args []string) {
	has := func(test func(arg, what string) bool, what string) bool {
		return slices.ContainsFunc(args, func(arg string) bool { return test(arg, what) })
	}
	if !has(strings.HasSuffix, ".s") && !has(strings.HasSuffix, ".ptx") {
		return
	}
	asm.Prepare()
	if !has(strings.HasPrefix, "--gpu") {
		gpu.H100()
	}
	if !has(strings.HasPrefix, "--functional") {
		cost.Prepare()
	}
}

// keyboardKey is the context's key of an *atomic.Bool: a terminal session handles SIGINT itself, so that it ends only
// the current debugger command.
type keyboardKey struct{}

// takeKeyboard takes over SIGINT, or gives it back.
func takeKeyboard(ctx context.Context, take bool) {
	if keyboard, ok := ctx.Value(keyboardKey{}).(*atomic.Bool); ok {
		keyboard.Store(take)
	}
}
