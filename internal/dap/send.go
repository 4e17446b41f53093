package dap

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-dap"
)

// sender writes messages. It can be used by several goroutines.
type sender struct {
	mu  sync.Mutex
	to  io.Writer
	seq int
	err error
}

// response is a response with any body.
type response struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// event is an event with any body.
type event struct {
	dap.Event
	Body any `json:"body,omitempty"`
}

// answer sends the response to a request.
func (s *sender) answer(r *dap.Request, body any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &response{dap.Response{ProtocolMessage: s.next("response"), Command: r.Command, RequestSeq: r.Seq, Success: true}, body}
	s.put(m)
}

// fail sends the response to a request that cannot be carried out. shown says that the editor tells its user.
func (s *sender) fail(seq int, command, text string, shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &dap.ErrorResponse{
		Response: dap.Response{ProtocolMessage: s.next("response"), Command: command, RequestSeq: seq, Message: text},
		Body:     dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: "{text}", Variables: map[string]string{"text": text}, ShowUser: shown}},
	}
	s.put(m)
}

// event sends an event.
func (s *sender) event(name string, body any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &event{dap.Event{ProtocolMessage: s.next("event"), Event: name}, body}
	s.put(m)
}

// forward sends a message of another session: a sender's, which begins with its number.
func (s *sender) forward(content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, rest, _ := bytes.Cut(content, []byte(","))
	content = append(strconv.AppendInt([]byte(`{"seq":`), int64(s.next("").Seq), 10), ',')
	if s.err == nil {
		s.err = dap.WriteBaseMessage(s.to, append(content, rest...))
	}
}

// next returns the head of the next message; the caller holds mu.
func (s *sender) next(kind string) dap.ProtocolMessage {
	s.seq++
	return dap.ProtocolMessage{Seq: s.seq, Type: kind}
}

// put writes a message; the caller holds mu.
func (s *sender) put(m dap.Message) {
	if s.err == nil {
		s.err = dap.WriteProtocolMessage(s.to, m)
	}
}

// failed returns the first error in writing.
func (s *sender) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// console makes output events of a text, or keeps the text for a response.
type console struct {
	s        *sender
	category string

	mu      sync.Mutex
	text    bytes.Buffer
	kept    bool // until taken
	flushed time.Time
}

// How much text an event has at most, and how long text waits for more to come.
const (
	mostOutput = 1 << 12
	outputWait = 50 * time.Millisecond
)

// Write implements io.Writer.
func (c *console) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(text)
	if !c.kept && (c.text.Len() >= mostOutput || time.Since(c.flushed) > outputWait) {
		c.send()
	}
	return len(text), nil
}

// send sends the text as an event; the caller holds mu.
func (c *console) send() {
	if c.flushed = time.Now(); c.text.Len() == 0 {
		return
	}
	c.s.event("output", &dap.OutputEventBody{Category: c.category, Output: strings.ToValidUTF8(c.text.String(), "\ufffd")})
	c.text.Reset()
}

// flush sends the buffered output.
func (c *console) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.kept {
		c.send()
	}
}

// keep sends the buffered output, and buffers all further output until taken.
func (c *console) keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send()
	c.kept = true
}

// take returns the buffered output, and ends buffering.
func (c *console) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.text.String()
	c.text.Reset()
	c.kept = false
	return strings.ToValidUTF8(text, "\ufffd")
}

// number returns the number of the latest message.
func (s *sender) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq
}
