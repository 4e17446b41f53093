// Package hostlink has the code that simtrun host and the driver library share: the settings in a program's
// environment, and the connection of the debugger, which runs in the program, with simtrun host, which has the
// terminal: lines of JSON over a socket. The debugger asks for command lines and sends output.
package hostlink

import (
	"encoding/json"
	"io"
	"net"
)

// Env names the socket in the environment of the program, and EnvEditor one on which an editor's messages come, by the
// Debug Adapter Protocol.
const (
	Env       = "SIMTRUN_DEBUG"
	EnvEditor = "SIMTRUN_DEBUG_EDITOR"
)

// Asks is a message of the debugger. It has one of the fields.
type Asks struct {
	Prompt   string   `json:"prompt,omitempty"`   // wants a command line
	Out      string   `json:"out,omitempty"`      // is to be shown
	Words    []string `json:"words,omitempty"`    // answers Says.Complete
	Pane     *Pane    `json:"pane,omitempty"`     // answers Says.Pane
	Answered bool     `json:"answered,omitempty"` // the command is over
	Failed   string   `json:"failed,omitempty"`   // the error of the command, with Answered
	Quit     bool     `json:"quit,omitempty"`     // the user has ended the session
	Again    *string  `json:"again,omitempty"`    // the program is to start over: commands to begin with, one per line
}

// Says is a message of the terminal, in answer to a prompt.
type Says struct {
	Line     string `json:"line,omitempty"`
	End      bool   `json:"end,omitempty"`      // there are no more lines
	Complete string `json:"complete,omitempty"` // asks for the words that complete a line
	Pane     *Asked `json:"pane,omitempty"`     // asks for a pane of a terminal that has panes
	Columns  int    `json:"columns,omitempty"`  // of the terminal; 0 for none
	Colour   bool   `json:"colour,omitempty"`   // whether it shows inactive lanes dimmed
}

// Asked is a pane, by its number in debugger.Pane, and its size.
type Asked struct {
	Pane    int `json:"pane"`
	Columns int `json:"columns"`
	Rows    int `json:"rows"`
}

// Pane is what debugger.Debugger.Pane returns.
type Pane struct {
	Lines []string `json:"lines"`
	Keep  int      `json:"keep"`
}

// Link is one end of a connection. It receives from In, and sends to Out.
type Link[In, Out any] struct {
	conn io.ReadWriteCloser
	in   *json.Decoder
	out  *json.Encoder
}

// Debugger is the debugger's end, and Terminal that of simtrun host.
type (
	Debugger = Link[Says, Asks]
	Terminal = Link[Asks, Says]
)

// New makes an end of a connection.
func New[In, Out any](conn io.ReadWriteCloser) *Link[In, Out] {
	return &Link[In, Out]{conn, json.NewDecoder(conn), json.NewEncoder(conn)}
}

// Dial connects a debugger.
func Dial(socket string) (*Debugger, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return New[Says, Asks](conn), nil
}

// Send sends a message.
func (l *Link[In, Out]) Send(m Out) error { return l.out.Encode(m) }

// Receive waits for a message. The error is io.EOF if the other end has gone.
func (l *Link[In, Out]) Receive() (m In, err error) {
	err = l.in.Decode(&m)
	return m, err
}

// Close ends the connection.
func (l *Link[In, Out]) Close() error { return l.conn.Close() }
