package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"
#include "signals.h"
#include <stdio.h>
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/hostlink"
	"github.com/simtrun/simtrun/internal/isa"
	launching "github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/interp"
)

// debugging is the debugger of the program's launches, whose terminal is that of simtrun host. The calls of the driver
// that it stops hold the device's lock, so that other threads of the program wait at their next call.
type debugging struct {
	stops
	h       *debugger.Hosted   // with a terminal
	link    *hostlink.Debugger // to it
	columns int
	colour  bool
	sources map[string][]string
	machine *simtrun.Machine // whose memory is shown between launches
	taken   bool             // the present launch is under the debugger
	busy    bool             // the user is asked
}

// stops is the part of a debugger of a program that its threads call.
type stops interface {
	Arrive(p *debugger.Program) bool
	Run() (interp.Stats, error)
	Stop(p *debugger.Program, why string) error
	Catches(kind string) bool
	LaunchText(kernel string) string
}

// atTerminal implements stops with the terminal of simtrun host.
type atTerminal struct {
	*debugger.Hosted
	g *debugging
}

func (t atTerminal) Run() (interp.Stats, error) { return t.Hosted.Run(t.g.talk) }

func (t atTerminal) Stop(p *debugger.Program, why string) error {
	return t.Hosted.Stop(p, why, t.g.talk)
}

// openDebugging connects with simtrun host, or with an editor, if a socket is in the environment; nil without one.
func openDebugging(getenv func(string) string, o *hostlink.Settings) (*debugging, error) {
	name, open := hostlink.EnvEditor, openEditor
	if getenv(name) == "" {
		name, open = hostlink.Env, openTerminal
	}
	if getenv(name) == "" {
		return nil, nil
	}
	if o.Machine.Clock != nil {
		return nil, fmt.Errorf("%s is for launches without a clock; leave out SIMTRUN_FUNCTIONAL=0", name)
	}
	g, err := open(getenv(name), o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

func openTerminal(socket string, o *hostlink.Settings) (*debugging, error) {
	link, err := hostlink.Dial(socket)
	if err != nil {
		return nil, err
	}
	g := &debugging{link: link, sources: make(map[string][]string)}
	g.h = debugger.NewHosted(debugger.Config{Out: g, Sources: g.sources, ReadFile: os.ReadFile, Races: o.Race,
		WriteFile: func(name string, text []byte) error { return os.WriteFile(name, text, 0o666) },
		Columns:   func() int { return g.columns }, Dim: g.dim})
	g.stops = atTerminal{g.h, g}
	return g, nil
}

// dim marks text about inactive lanes.
func (g *debugging) dim(text string) string {
	if !g.colour {
		return text
	}
	return "\x1b[2m" + text + "\x1b[22m"
}

// Write shows output of the debugger, after what the program has printed so far, which may be in the buffer of a pipe.
func (g *debugging) Write(p []byte) (int, error) {
	C.fflush(C.stdout)
	return len(p), g.link.Send(hostlink.Asks{Out: string(p)})
}

// begin asks the user for the first commands, before the program's first call of the driver returns.
func (g *debugging) begin() error {
	p, err := simtrun.Load("none.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n"))
	if err != nil {
		return err
	}
	if g.machine, err = dev.mem.Load(p); err != nil {
		return err
	}
	g.stop("the program has initialised the driver")
	return nil
}

// addSource notes the text of PTX that the program loads.
func (g *debugging) addSource(name string, text []byte) {
	if g != nil {
		g.sources[name] = strings.Split(strings.TrimRight(string(text), "\x00"), "\n")
	}
}

// memory returns the program that commands are about between launches: all memory that has a name.
func (g *debugging) memory() *debugger.Program {
	p := &debugger.Program{Machine: g.machine.Interp(), Launches: make([]interp.Launch, 1)}
	for _, o := range dev.objects {
		if m, ok := o.(*module); ok {
			p.Buffers = append(p.Buffers, variablesOf(m.m.Interp())...)
		}
	}
	return p
}

// variablesOf returns the module's variables in global and constant memory.
func variablesOf(m *interp.Machine) (all []debugger.Buffer) {
	for _, v := range m.Code().Module().Vars {
		if r := m.Var(v.Name); r != nil && (v.Space == isa.Global || v.Space == isa.Const) {
			all = append(all, debugger.Buffer{Region: r, Elem: v.Type, Scalar: !v.Array && v.Vec == 1})
		}
	}
	return all
}

// stop stops between launches.
func (g *debugging) stop(why string, args ...any) {
	if g == nil || g.busy {
		return
	}
	g.quitting(g.Stop(g.memory(), fmt.Sprintf(why, args...)))
}

// quitting ends the program if the user has ended the session, or wants the program to start over.
func (g *debugging) quitting(err error) {
	again := (*debugger.Again)(nil)
	if errors.As(err, &again) || errors.Is(err, debugger.ErrQuit) {
		switch {
		case g.link == nil:
		case again != nil:
			g.link.Send(hostlink.Asks{Again: &again.Commands})
		default:
			g.link.Send(hostlink.Asks{Quit: true})
		}
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal has arrived
	}
}

// talk implements debugger.Talk over the link.
func (g *debugging) talk(prompt string) (line string, interrupt context.Context, answered func(error), err error) {
	g.busy = true
	defer func() { g.busy = false }()
	if err := g.link.Send(hostlink.Asks{Prompt: prompt}); err != nil {
		return "", nil, nil, err
	}
	for {
		m, err := g.link.Receive()
		switch {
		case err != nil:
			return "", nil, nil, err
		case m.End:
			return "", nil, nil, errors.New("no more lines")
		case m.Complete != "":
			if err := g.link.Send(hostlink.Asks{Words: append([]string{""}, g.h.Complete(m.Complete[1:])...)}); err != nil {
				return "", nil, nil, err
			}
			continue
		case m.Pane != nil:
			p := &hostlink.Pane{}
			p.Lines, p.Keep = g.h.Pane(debugger.Pane(m.Pane.Pane), m.Pane.Columns, m.Pane.Rows)
			if err := g.link.Send(hostlink.Asks{Pane: p}); err != nil {
				return "", nil, nil, err
			}
			continue
		}
		g.columns, g.colour = m.Columns, m.Colour
		ctx, cancel := context.WithCancel(context.Background())
		over := make(chan bool)
		ended := make(chan bool)
		go func() { attendInterrupt(cancel, over); close(ended) }()
		return m.Line, ctx, func(failed error) {
			close(over)
			<-ended
			cancel()
			answer := hostlink.Asks{Answered: true}
			if failed != nil {
				answer.Failed = failed.Error()
			}
			g.link.Send(answer)
		}, nil
	}
}

// attendInterrupt makes SIGINT interrupt a command of the debugger, instead of going to the program, if the command
// takes long.
func attendInterrupt(cancel context.CancelFunc, over <-chan bool) {
	select {
	case <-over:
		return
	case <-time.After(patience):
	}
	C.signals_catch_interrupt()
	defer C.signals_drop_interrupt()
	ticks := time.NewTicker(attendEvery)
	defer ticks.Stop()
	for {
		select {
		case <-over:
			return
		case <-ticks.C:
			if C.signals_interrupted() != 0 {
				cancel()
			}
		}
	}
}

// session lets the debugger take over a launch in which something may stop.
func (g *debugging) session(m *interp.Machine, l *interp.Launch) (launching.Session, error) {
	g.taken = false
	to := *l
	to.HostWrites = false
	p := &debugger.Program{Machine: m, Launches: []interp.Launch{to}, Buffers: variablesOf(m)}
	if !g.Arrive(p) {
		return nil, nil
	}
	g.taken = true
	return &debuggedLaunch{g: g}, nil
}

// debuggedLaunch is a launch under the debugger.
type debuggedLaunch struct {
	g     *debugging
	stats interp.Stats
	done  bool
}

// Continue runs the launch to its end, with the user.
func (d *debuggedLaunch) Continue(context.Context) (err error) {
	d.stats, err = d.g.Run()
	d.done = true
	d.g.quitting(err)
	return err
}

func (d *debuggedLaunch) Done() bool { return d.done }

func (d *debuggedLaunch) Stats() interp.Stats { return d.stats }

// foundText counts findings that did not end their launch.
func foundText(warnings, races int) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{warnings, "warning"}, {races, "race"}} {
		if c.n > 1 {
			c.what += "s"
		}
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

// ended stops after a launch with findings, if the user wants that.
func (g *debugging) ended(kernel string, r *simtrun.Result) {
	if g == nil || len(r.Warnings)+len(r.Races) == 0 || !g.Catches(debugger.CatchFinding) {
		return
	}
	g.stop("%s has ended with findings: %s", g.LaunchText(kernel), foundText(len(r.Warnings), len(r.Races)))
}

// hasShown reports whether the debugger has shown how the present launch ended.
func (g *debugging) hasShown() bool { return g != nil && g.taken }

// callFailed stops at a call of the driver that has failed, if the user wants that.
func (g *debugging) callFailed(name, text string, at *site) {
	if g != nil && g.Catches(debugger.CatchError) {
		g.stop("%s%s returned %s", at.prefix(), name, text)
	}
}
