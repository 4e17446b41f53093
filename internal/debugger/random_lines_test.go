package debugger

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/short"
)

// lines is how many random lines TestNoLinePanicsInAnyState executes, and firstLines the seed of the first session.
var (
	lines      = flag.Int("lines", 0, "random lines that TestNoLinePanicsInAnyState executes; 0 for some thousand")
	firstLines = flag.Uint64("first-lines", 0, "seed of the first session of TestNoLinePanicsInAnyState")
)

// linesOfSession is how many random lines a session has: enough for lines that depend on others, and few enough that a
// session does not stay at the end of its launch.
const linesOfSession = 24

// TestNoLinePanicsInAnyState executes random lines in sessions of all kinds: none panics, and what execute says holds.
// The fuzz targets change bytes, and keep what reaches new code; these lines are made of words that mean something, so
// that most of them execute something.
func TestNoLinePanicsInAnyState(t *testing.T) {
	sessions := max(400, *lines/linesOfSession)
	kinds := kindsOfSessions()
	begun := make([]*reusable, len(kinds))
	ty := newTypist()
	var typed []string
	executed := 0
	defer func() {
		t.Logf("%d lines", executed)
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "after\n%s\n", strings.Join(typed, "\n"))
			panic(r)
		}
	}()
	for i := range uint64(sessions) {
		if seed := *firstLines + i; *lines > 0 || !short.Skips(int(i)) && !short.Waits(int(i), 6) {
			ty.Rand = rand.New(rand.NewPCG(seed, 3))
			kind := ty.IntN(len(begun))
			if begun[kind] == nil {
				begun[kind] = newReusable(kinds[kind](t))
			}
			b := begun[kind].again(t)
			typed = typed[:0]
			for range linesOfSession {
				typed = append(typed, ty.line())
			}
			executed += executeAll(b, strings.Join(typed, "\n"))
			if t.Failed() {
				t.Fatalf("session %d of kind %d:\n%s", seed, kind, strings.Join(typed, "\n"))
			}
		}
	}
}

// kindsOfSessions begin sessions in all states, of launches with a clock, and of CUDA C++.
func kindsOfSessions() []func(*testing.T) *bench {
	var all []func(*testing.T) *bench
	for state := range states {
		for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC} {
			all = append(all, func(t *testing.T) *bench { return inState(t, state, model) })
		}
	}
	for _, kernel := range timedKernels {
		all = append(all, func(t *testing.T) *bench { return newTimedBench(t, kernel, simple(), 64, 2) })
	}
	for _, file := range []string{"cells-O2.ptx", "cells-clang19.ptx"} {
		all = append(all, func(t *testing.T) *bench { return newCells(t, file) })
	}
	return all
}

// typist makes lines.
type typist struct {
	*rand.Rand
	commands []string // all names
	written  []string // lines that somebody has written
	parts    []string // of the written lines, and others, valid and invalid: names, numbers, operators
}

// newTypist knows the commands and the lines of all tests that are tables.
func newTypist() *typist {
	ty := &typist{}
	for _, g := range commandGroups() {
		for _, c := range g.commands {
			ty.commands = append(ty.commands, c.names()...)
		}
	}
	for _, seed := range seedsOfCommands {
		ty.written = append(ty.written, strings.Split(seed, "\n")...)
	}
	for _, of := range [][][2]string{habits, manual, habitsInPTX} {
		for _, c := range of {
			ty.written = append(ty.written, c[0])
		}
	}
	for _, line := range ty.written {
		ty.parts = append(ty.parts, wordsOf(line)...)
	}
	slices.Sort(ty.parts)
	ty.parts = append(append(slices.Compact(ty.parts), words...), "18446744073709551615", "9223372036854775808", "-1", "1e400", "nan", "0x", "$_", "$__", "@", "'\\", "\"", "(", ")", "[", "]", "{", "}", "%", "...")
	return ty
}

// wordsOf cuts a line into runs of letters, digits and signs of names, blanks, and other characters.
func wordsOf(line string) []string {
	class := func(r rune) int {
		switch {
		case r == '_' || r == '$' || r == '%' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			return 0
		case r == ' ':
			return 1
		}
		return 2
	}
	var words []string
	was := -1
	for _, r := range line {
		if c := class(r); c != was || c == 2 {
			words, was = append(words, ""), c
		}
		words[len(words)-1] += string(r)
	}
	return words
}

func (ty *typist) pick(of []string) string { return of[ty.IntN(len(of))] }

// line is a written line as it is or with words of others, a command with words, or the value of an expression.
func (ty *typist) line() string {
	switch ty.IntN(8) {
	case 0, 1:
		return ty.pick(ty.written)
	case 2, 3:
		words := wordsOf(ty.pick(ty.written))
		for range 1 + ty.IntN(3) {
			words = ty.changed(words)
		}
		return strings.Join(words, "")
	case 4, 5:
		return ty.command()
	}
	return ty.pick([]string{"p ", "p/x ", "x/3 ", "display ", "watch ", "set var ", "break if ", "printf \"%d %s\\n\", ", "ptype ", "whatis ", "if ", "last-write "}) + ty.expression(3)
}

// command is a command with a format and arguments, for which another warp or lane may have the focus.
func (ty *typist) command() string {
	var b strings.Builder
	for ty.IntN(8) == 0 {
		fmt.Fprintf(&b, "%s %d ", ty.pick([]string{"lane", "warp", "block"}), ty.IntN(40))
	}
	b.WriteString(ty.pick(ty.commands))
	if ty.IntN(5) == 0 {
		b.WriteString("/" + ty.pick([]string{"x", "d", "u", "t", "f", "a", "c", "4xw", "8", "2g", "h", "z", "9999", "0", "b"}))
	}
	b.WriteByte(' ')
	for range ty.IntN(4) {
		b.WriteString(ty.pick(ty.parts) + ty.pick([]string{" ", " ", " ", " ", "", " + ", " - ", " / ", " % ", " == ", " = ", " && ", " if ", ",", ":", "[", "]", "(", ")", "/"}))
	}
	return b.String()
}

// changed replaces, removes, doubles or exchanges words.
func (ty *typist) changed(words []string) []string {
	if len(words) == 0 {
		return []string{ty.pick(ty.parts)}
	}
	i, j := ty.IntN(len(words)), ty.IntN(len(words))
	switch ty.IntN(5) {
	case 0:
		return slices.Delete(slices.Clone(words), i, i+1)
	case 1:
		return slices.Insert(slices.Clone(words), i, words[j])
	case 2:
		words = slices.Clone(words)
		words[i], words[j] = words[j], words[i]
		return words
	}
	words = slices.Clone(words)
	words[i] = ty.pick(ty.parts)
	return words
}

// expression is an expression of at most depth operators on a path.
func (ty *typist) expression(depth int) string {
	if depth == 0 || ty.IntN(5) == 0 {
		return ty.pick([]string{"r1", "%r2", "%rd1", "%p1", "f1", "y", "out", "box", "s", "item", "$i", "$pc", "threadIdx.x", "laneid", "0", "7", "-3", "2.5", "1e30", "0xffffffffffffffff", "'a'", "$_", "n", ty.pick(ty.parts)})
	}
	a, b := ty.expression(depth-1), ty.expression(depth-1)
	switch ty.IntN(10) {
	case 0:
		return "(" + a + ")"
	case 1:
		return ty.pick([]string{"-", "!", "~", "*", "&", "++", "sizeof ", "any", "(int)", "(float)", "(unsigned char)", "(double *)", "(cell *)", "{int}", "(float4)"}) + a
	case 2:
		return a + "[" + b + "]"
	case 3:
		return a + ty.pick([]string{".", "->", "::", "@"}) + b
	case 4:
		return a + " ? " + b + " : " + ty.expression(depth-1)
	case 5:
		return ty.pick([]string{"any(", "all(", "sum(", "min(", "max(", "count(", "sqrtf(", "tex2D<float>(", "__popc("}) + a + ty.pick([]string{"", ", "}) + b + ")"
	}
	return a + " " + ty.pick([]string{"+", "-", "*", "/", "%", "<<", ">>", "<", ">=", "==", "!=", "&", "|", "^", "&&", "||", "=", "+=", "<<=", ","}) + " " + b
}
