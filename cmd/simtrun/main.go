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

// By how many per cent the heap grows before it is collected, unless GOGC says so: a launch keeps most of what it makes, and a run is
// over soon. Go collects an empty heap at 4 MB for 100 %, so that the first collection comes at 64 MB, before which a short run
// has ended. keepCollecting bounds what is left.
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
			signal.Stop(signals) // a second one ends the process
			cancel(interrupted{s})
			return
		}
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// prepare makes what runs of a kernel need, in the order in which they do: the parser, the GPU, what instructions cost. Each takes as
// long as to read a short program. Where no file of source text is named, it makes nothing.
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

// keyboardKey is the context's key of an *atomic.Bool: a session at a terminal
// has taken over SIGINT, with which a user ends a command of it.
type keyboardKey struct{}

// takeKeyboard takes over SIGINT, or gives it back.
func takeKeyboard(ctx context.Context, take bool) {
	if keyboard, ok := ctx.Value(keyboardKey{}).(*atomic.Bool); ok {
		keyboard.Store(take)
	}
}
