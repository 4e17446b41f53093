//go:build js && wasm

// Command playground is the machine of the explorer in a browser: it adds a function simtrunMessage to the global
// object, which takes a message of docs/view.md as a line of JSON and returns the answer.
package main

import (
	"context"
	"syscall/js"

	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/load"
)

// Limits of a session.
const (
	steps   = 500_000   // instructions that are executed
	history = 128 << 20 // bytes of copies, for going back
)

func main() {
	session := view.New(view.Config{Load: load.Text, Text: load.Text, Steps: steps, History: history})
	js.Global().Set("simtrunMessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(session.Message(context.Background(), []byte(args[0].String())))
	}))
	select {}
}
