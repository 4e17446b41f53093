package loopback

import (
	"bufio"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

const (
	mostLine    = 8 << 10 // bytes of a line of a head
	mostHeaders = 64
	mostBody    = 4 << 20
	idleTime    = 2 * time.Minute  // between requests
	headTime    = 10 * time.Second // for a head, from its first byte on
	bodyTime    = 30 * time.Second
	writeTime   = 30 * time.Second
)

// request is the head of a request.
type request struct {
	method, path string
	headers      map[string]string // by name in lower case
	length       int64             // of the body
	keep         bool              // the connection stays open afterwards
}

// failure is a request that is refused, and the connection with it.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func refuse(status int, text string) error { return &failure{status, text} }

// single are headers that change what a request means: none may be there twice.
var single = map[string]bool{"host": true, "origin": true, "content-length": true, "content-type": true}

// readHead reads the head of a request. Errors are those of the stream, or a *failure.
func readHead(r *bufio.Reader) (*request, error) {
	line, err := readLine(r)
	if err != nil {
		return nil, err
	}
	method, rest, _ := strings.Cut(line, " ")
	path, version, _ := strings.Cut(rest, " ")
	if method == "" || path == "" || path[0] != '/' || version != "HTTP/1.1" {
		return nil, refuse(400, "no request of HTTP/1.1 for a path")
	}
	q := &request{method: method, path: path, headers: make(map[string]string), keep: true}
	for n := 0; ; n++ {
		line, err := readLine(r)
		switch {
		case err != nil:
			return nil, noEnd(err)
		case line == "":
			return q, q.settle()
		case n == mostHeaders:
			return nil, refuse(431, "too many headers")
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(name)
		if !ok || !isToken(name) {
			return nil, refuse(400, "a header has no name")
		}
		if _, twice := q.headers[name]; twice && single[name] {
			return nil, refuse(400, "header "+name+" is there twice")
		}
		q.headers[name] = strings.Trim(value, " \t")
	}
}

// settle reads the headers about the body and the connection.
func (q *request) settle() error {
	if _, ok := q.headers["transfer-encoding"]; ok {
		return refuse(501, "bodies have a Content-Length here, and no encoding")
	}
	if text, ok := q.headers["content-length"]; ok {
		n, err := strconv.ParseUint(text, 10, 63)
		switch {
		case err != nil || text[0] == '+':
			return refuse(400, "Content-Length is not a number")
		case n > mostBody:
			return refuse(413, "the body is too long")
		}
		q.length = int64(n)
	}
	if strings.EqualFold(q.headers["connection"], "close") {
		q.keep = false
	}
	return nil
}

// readLine reads a line without its end.
func readLine(r *bufio.Reader) (string, error) {
	text, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", refuse(431, "a line of the head is too long")
	case err != nil:
		return "", err
	}
	line, ok := strings.CutSuffix(string(text), "\r\n")
	if !ok || strings.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return "", refuse(400, "a line of the head has control characters")
	}
	return line, nil
}

// isToken reports whether a text can be the name of a header.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}

// noEnd makes an end of the stream within a request an error.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// response is a response to send.
type response struct {
	status int
	typ    string
	body   []byte
}

// reasons are the reason phrases of status codes.
var reasons = map[int]string{200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large",
	415: "Unsupported Media Type", 421: "Misdirected Request", 431: "Request Header Fields Too Large", 501: "Not Implemented"}

// textResponse is a response that says what is wrong.
func textResponse(status int, text string) *response {
	return &response{status, "text/plain; charset=utf-8", []byte(text + "\n")}
}

// converse answers the requests of a connection until it is closed.
func (s *Server) converse(ctx context.Context, conn net.Conn) {
	r := bufio.NewReaderSize(conn, mostLine)
	for {
		conn.SetReadDeadline(time.Now().Add(idleTime))
		if _, err := r.Peek(1); err != nil {
			return
		}
		conn.SetReadDeadline(time.Now().Add(headTime))
		q, err := readHead(r)
		var out *response
		if err == nil {
			out, err = s.respond(ctx, q, r, conn)
		}
		refused := (*failure)(nil)
		switch {
		case errors.As(err, &refused):
			out = textResponse(refused.status, refused.text)
			q = &request{method: "GET"} // what follows cannot be read
		case err != nil:
			return
		}
		conn.SetWriteDeadline(time.Now().Add(writeTime))
		if _, err := conn.Write(s.encode(q, out)); err != nil || !q.keep {
			return
		}
	}
}

// respond checks a request and carries it out. An error ends the connection.
func (s *Server) respond(ctx context.Context, q *request, r *bufio.Reader, conn net.Conn) (*response, error) {
	host := q.headers["host"]
	if host != s.host && host != s.local {
		return nil, refuse(421, "this server has another name")
	}
	if origin, ok := q.headers["origin"]; ok && origin != "http://"+host {
		return nil, refuse(403, "another page has sent this request")
	}
	token, name, ok := strings.Cut(q.path[1:], "/")
	if !ok || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 0 {
		return nil, refuse(404, "nothing is here; simtrun view prints an address with a secret word")
	}
	if name == messagePath {
		return s.message(ctx, q, r, conn)
	}
	if q.method != "GET" && q.method != "HEAD" || q.length > 0 {
		return nil, refuse(405, "files are for GET")
	}
	f, ok := s.cfg.Files[name]
	if !ok {
		return textResponse(404, "no such file"), nil
	}
	return &response{200, f.Type, f.Data}, nil
}

// messagePath is the path, below the token, for messages.
const messagePath = "message"

// message answers a message.
func (s *Server) message(ctx context.Context, q *request, r *bufio.Reader, conn net.Conn) (*response, error) {
	switch _, from := q.headers["origin"]; {
	case q.method != "POST":
		return nil, refuse(405, "messages are for POST")
	case !from:
		return nil, refuse(403, "no page has sent this request: it has no Origin")
	case q.headers["content-type"] != "application/json":
		return nil, refuse(415, "a message is application/json")
	}
	if strings.EqualFold(q.headers["expect"], "100-continue") {
		conn.SetWriteDeadline(time.Now().Add(writeTime))
		if _, err := io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return nil, err
		}
	}
	conn.SetReadDeadline(time.Now().Add(bodyTime))
	body := make([]byte, q.length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, noEnd(err)
	}
	ctx, cancel := context.WithTimeout(ctx, messageTime)
	defer cancel()
	return &response{200, "application/json", s.cfg.Message(ctx, body)}, nil
}

// encode returns a response as it is sent.
func (s *Server) encode(q *request, out *response) []byte {
	connection := "keep-alive"
	if !q.keep {
		connection = "close"
	}
	text := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: %s\r\nContent-Security-Policy: %s\r\n"+
		"X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"+
		"Cross-Origin-Opener-Policy: same-origin\r\nX-Frame-Options: DENY\r\nCache-Control: no-store\r\n\r\n",
		out.status, reasons[out.status], out.typ, len(out.body), connection, s.cfg.Policy)
	if q.method == "HEAD" {
		return text
	}
	return append(text, out.body...)
}
