package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/chzyer/readline"
	"golang.org/x/term"
)

// terminalLines is lines typed at a terminal.
type terminalLines struct {
	rl      *readline.Instance
	release func() // gives SIGINT back
}

func isTerminalInput(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// newTerminalLines reads from the terminal, with completion, and with the lines
// of sessions before. When ctx ends, the terminal is given back at once: the
// command may end while a line is being typed.
func newTerminalLines(ctx context.Context, complete func(line string) []string) (*terminalLines, error) {
	rl, err := readline.NewEx(&readline.Config{
		HistoryFile:       historyFile(),
		HistorySearchFold: true,
		AutoComplete:      completer(complete),
	})
	if err != nil {
		return nil, err
	}
	takeKeyboard(ctx, true)
	stop := context.AfterFunc(ctx, func() { rl.Terminal.ExitRawMode() })
	return &terminalLines{rl, func() { stop(); takeKeyboard(ctx, false) }}, nil
}

// historyFile is where lines are kept, or "" if there is no place for it.
func historyFile() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir = filepath.Join(dir, "simtrun")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return ""
	}
	return filepath.Join(dir, "debug_history")
}

// Close gives the terminal back.
func (t *terminalLines) Close() error {
	t.release()
	return t.rl.Close()
}

// readLine reads a line. Ctrl-C gives up the one that is being typed.
func (t *terminalLines) readLine(prompt string) (string, error) {
	t.rl.SetPrompt(prompt)
	for {
		line, err := t.rl.Readline()
		if errors.Is(err, readline.ErrInterrupt) {
			continue
		}
		return line, err
	}
}

// answered does nothing: at a terminal the user sees the answer.
func (t *terminalLines) answered(error) {}

// context is one that Ctrl-C ends, though the program goes on.
func (t *terminalLines) context(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt)
}

// completer completes the last word of a line.
type completer func(line string) []string

// Do implements readline.AutoCompleter: it gives what is to follow the word.
func (c completer) Do(line []rune, pos int) (rest [][]rune, typed int) {
	text := string(line[:pos])
	start := pos
	for start > 0 && line[start-1] != ' ' {
		start--
	}
	words := c(text)
	for _, word := range words {
		if len(words) == 1 {
			word += " "
		}
		rest = append(rest, []rune(word)[pos-start:])
	}
	return rest, pos - start
}
