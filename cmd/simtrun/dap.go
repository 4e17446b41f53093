package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/dap"
	"github.com/simtrun/simtrun/internal/debugger"
)

func newDAPCommand() *cobra.Command {
	listen := ""
	cmd := &cobra.Command{
		Use:   "dap",
		Short: "Serve the debugger to an editor (Debug Adapter Protocol)",
		Long: "Serve the debugger to an editor with the Debug Adapter Protocol, on standard input and\n" +
			"output. The editor names the kernel launch, or the CUDA program, to debug.\n" +
			"docs/dap.md has settings for VS Code, Neovim and Emacs.",
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen != "" {
				return listenForEditors(cmd, listen)
			}
			return served(cmd, cmd.InOrStdin(), kernelOutput(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "accept connections at the TCP address `ADDR`, such as :4711; without an IP address, only from this machine. Clients can read files and run compilers")
	return cmd
}

// served serves an editor.
func served(cmd *cobra.Command, in io.Reader, out io.Writer) error {
	return dap.Serve(cmd.Context(), in, out, dap.Config{Start: startForEditor, StartHost: startHostForEditor})
}

// listenForEditors serves connections, each with a session of its own, until the context ends.
func listenForEditors(cmd *cobra.Command, addr string) error {
	at, err := parseListen(addr)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", at.String())
	if err != nil {
		return &usageError{msg: fmt.Sprintf("--listen %s: %v", addr, err)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "waiting for editors at %s\n", l.Addr())
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		}
		sessions.Go(func() {
			defer conn.Close()
			if err := served(cmd, conn, conn); err != nil && !errors.Is(err, context.Canceled) {
				fmt.Fprintf(cmd.ErrOrStderr(), "an editor's session: %v\n", err)
			}
		})
	}
}

// parseListen parses an IP address, which may be left out, and a port.
func parseListen(addr string) (netip.AddrPort, error) {
	full := addr
	if host, port, ok := strings.Cut(addr, ":"); ok && (host == "" || host == "localhost") {
		full = "127.0.0.1:" + port
	}
	at, err := netip.ParseAddrPort(full)
	if err != nil {
		return at, &usageError{msg: fmt.Sprintf("--listen %s: expected IP:PORT, or :PORT for this machine alone", addr)}
	}
	return at, nil
}

// startForEditor begins the launches that words of a command line of simtrun debug describe.
func startForEditor(ctx context.Context, words []string, to dap.Streams) (*dap.Target, error) {
	root := newRoot()
	cmd, o := newDebugCommandOf()
	root.AddCommand(cmd)
	cmd.SetContext(ctx)
	cmd.SetIn(new(bytes.Buffer))
	cmd.SetOut(to.Console)
	cmd.SetErr(to.Notes)
	if err := cmd.ParseFlags(words); err != nil {
		return nil, err
	}
	files := cmd.Flags().Args()
	if err := cmd.ValidateArgs(files); err != nil {
		return nil, err
	}
	if o.commandFile != "" || o.commands != nil || o.batch {
		return nil, errors.New("type debugger commands in the editor's console: -x, -e and --batch do not apply")
	}
	s := &debugSession{out: bufio.NewWriter(to.Console), cmd: cmd}
	cfg := debugger.Config{Out: to.Console, Editor: true, Ended: func() { s.finish(); s.out.Flush() }}
	if err := o.begin(s, files, to.Kernel, cfg); err != nil {
		return nil, err
	}
	return &dap.Target{Debugger: s.d, ExitCode: func() int { return o.editorsExit(s) }}, nil
}

// editorsExit returns the exit status of launches that an editor has debugged.
func (o *debugOptions) editorsExit(s *debugSession) int {
	switch {
	case s.saving != nil:
		return exitIO
	case s.d.Failure() != nil:
		return errorCode(s.d.Failure())
	case s.verdict != nil:
		return exitFindings
	}
	return exitOK
}
