// Command simtrun runs PTX kernels on a simulated SIMT machine.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
)

// moreGarbage is by how many per cent the heap grows before it is collected, unless GOGC says so: a launch keeps most
// of what it makes, and a run is over soon. keepCollecting bounds what is left.
const moreGarbage = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(moreGarbage)
	}
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

// keyboardKey is the context's key of an *atomic.Bool: a session at a terminal
// has taken over SIGINT, with which a user ends a command of it.
type keyboardKey struct{}

// takeKeyboard takes over SIGINT, or gives it back.
func takeKeyboard(ctx context.Context, take bool) {
	if keyboard, ok := ctx.Value(keyboardKey{}).(*atomic.Bool); ok {
		keyboard.Store(take)
	}
}
