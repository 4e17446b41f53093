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
	rl *readline.Instance
}

func isTerminalInput(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// newTerminalLines reads from the terminal, with completion, and with the lines
// of sessions before.
func newTerminalLines(complete func(line string) []string) (*terminalLines, error) {
	rl, err := readline.NewEx(&readline.Config{
		HistoryFile:       historyFile(),
		HistorySearchFold: true,
		AutoComplete:      completer(complete),
	})
	return &terminalLines{rl}, err
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
func (t *terminalLines) Close() error { return t.rl.Close() }

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

// answered does nothing: who types sees the answer.
func (t *terminalLines) answered(error) {}

// context is one that Ctrl-C ends, though the program goes on. The context of the
// program counts for SIGTERM alone: an earlier Ctrl-C has ended it, too.
func (t *terminalLines) context(ctx context.Context) (context.Context, context.CancelFunc) {
	during, cancel := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt)
	stop := context.AfterFunc(ctx, func() {
		if terminated(ctx) {
			cancel()
		}
	})
	return during, func() {
		stop()
		cancel()
	}
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
