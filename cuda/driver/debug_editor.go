package main

// #include <stdio.h>
import "C"

import (
	"context"
	"io"
	"net"

	"github.com/simtrun/simtrun/internal/dap"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/hostlink"
)

// editorOutput is where the debugger's text goes: to the session, once that has begun.
type editorOutput struct{ io.Writer }

// openEditor serves an editor whose messages come over a socket. When it has gone, the program goes on.
func openEditor(socket string, o *hostlink.Settings) (*debugging, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	C.setvbuf(C.stdout, nil, C._IOLBF, 0) // the editor shows what the program has printed so far
	g := &debugging{sources: make(map[string][]string)}
	out := &editorOutput{io.Discard}
	a := debugger.NewAttended(debugger.Config{Out: out, Sources: g.sources, Races: o.Race})
	g.stops = a
	go func() {
		defer conn.Close()
		served := dap.Config{Attend: func(to dap.Streams) dap.Attended {
			out.Writer = to.Console
			return a
		}}
		if err := dap.Serve(context.Background(), conn, conn, served); err != nil {
			dev.outlet.say("the editor's session: %v", err)
		}
	}()
	return g, nil
}
