package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/chzyer/readline"
)

// terminalLines reads lines typed at a terminal.
type terminalLines struct {
	rl      *readline.Instance
	release func() // stops handling SIGINT
}

func isTerminalInput(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && readline.IsTerminal(int(f.Fd()))
}

// newTerminalLines reads from the terminal, with completion and the history of earlier sessions. When ctx ends, it
// restores the terminal at once, because the command may end while a line is being typed.
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

// historyFile returns the path of the history, or "" if there is no place for it.
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

// mostEarlier is how many lines of earlier sessions can be recalled, as with readline.
const mostEarlier = 500

// earlierLines returns the lines of the history, the latest last.
func earlierLines() []string {
	text, err := os.ReadFile(historyFile())
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return lines[max(0, len(lines)-mostEarlier):]
}

// remember adds a line to the history. A session whose history cannot be kept goes on.
func remember(line string) {
	if line == "" {
		return
	}
	if f, err := os.OpenFile(historyFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
		fmt.Fprintln(f, line)
		f.Close()
	}
}

// Close restores the terminal.
func (t *terminalLines) Close() error {
	t.release()
	return t.rl.Close()
}

// readLine reads a line. Ctrl-C discards the line being typed.
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

// context returns a context that Ctrl-C cancels; the program continues.
func (t *terminalLines) context(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt)
}

// completer completes the last word of a line.
type completer func(line string) []string

// Do implements readline.AutoCompleter: it returns the possible endings of the word.
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
