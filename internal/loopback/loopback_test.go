package loopback

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
)

// serve begins to serve a page, and returns the server.
func serve(t testing.TB) *Server {
	t.Helper()
	s, err := Listen(Config{
		Files:   map[string]File{"": {"text/html; charset=utf-8", []byte("<p>page</p>\n")}, "a.js": {"text/javascript", []byte("1;\n")}},
		Policy:  "default-src 'none'",
		Message: func(_ context.Context, body []byte) []byte { return append([]byte("got "), body...) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != context.Canceled {
			t.Error(err)
		}
	})
	return s
}

// answered is a response as a client reads it.
type answered struct {
	status int
	header textproto.MIMEHeader
	body   string
	closed bool
}

// read reads a response.
func read(t *testing.T, r *bufio.Reader, head bool) answered {
	t.Helper()
	text := textproto.NewReader(r)
	line, err := text.ReadLine()
	if err != nil {
		return answered{closed: true}
	}
	fields := strings.SplitN(line, " ", 3)
	if len(fields) != 3 || fields[0] != "HTTP/1.1" {
		t.Fatalf("status line %q", line)
	}
	var a answered
	if a.status, err = strconv.Atoi(fields[1]); err != nil || fields[2] == "" {
		t.Fatalf("status line %q", line)
	}
	if a.header, err = text.ReadMIMEHeader(); err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(a.header.Get("Content-Length"))
	if a.status == 100 {
		return a
	}
	if err != nil {
		t.Fatal(err)
	}
	if !head {
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			t.Fatal(err)
		}
		a.body = string(body)
	}
	return a
}

// send sends text on a new connection, and returns the first response.
func send(t *testing.T, s *Server, text string) answered {
	t.Helper()
	conn, err := net.Dial("tcp", s.host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return read(t, bufio.NewReader(conn), strings.HasPrefix(text, "HEAD"))
}

// TestServerRefusesWhatIsNotThePage sends requests with a wrong token, name, origin, method or form.
func TestServerRefusesWhatIsNotThePage(t *testing.T) {
	s := serve(t)
	at, host, origin := "/"+s.token+"/", "Host: "+s.host+"\r\n", "Origin: http://"+s.host+"\r\n"
	post := "POST " + at + "message HTTP/1.1\r\n"
	const typ, length = "Content-Type: application/json\r\n", "Content-Length: 2\r\n"
	for name, c := range map[string]struct {
		text   string
		status int
		body   string
	}{
		"page":              {"GET " + at + " HTTP/1.1\r\n" + host + "\r\n", 200, "<p>page</p>\n"},
		"by name":           {"GET " + at + "a.js HTTP/1.1\r\nHost: " + s.local + "\r\n\r\n", 200, "1;\n"},
		"head":              {"HEAD " + at + "a.js HTTP/1.1\r\n" + host + "\r\n", 200, ""},
		"message":           {post + host + origin + typ + length + "\r\n{}", 200, "got {}"},
		"no such file":      {"GET " + at + "b.js HTTP/1.1\r\n" + host + "\r\n", 404, ""},
		"query":             {"GET " + at + "a.js?x HTTP/1.1\r\n" + host + "\r\n", 404, ""},
		"above":             {"GET " + at + "../a.js HTTP/1.1\r\n" + host + "\r\n", 404, ""},
		"no token":          {"GET / HTTP/1.1\r\n" + host + "\r\n", 404, ""},
		"wrong token":       {"GET /" + strings.Repeat("0", 32) + "/ HTTP/1.1\r\n" + host + "\r\n", 404, ""},
		"part of the token": {"GET /" + s.token[:31] + "/ HTTP/1.1\r\n" + host + "\r\n", 404, ""},
		"token alone":       {"GET /" + s.token + " HTTP/1.1\r\n" + host + "\r\n", 404, ""},
		"other host":        {"GET " + at + " HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, ""},
		"other port":        {"GET " + at + " HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 421, ""},
		"no host":           {"GET " + at + " HTTP/1.1\r\n\r\n", 421, ""},
		"two hosts":         {"GET " + at + " HTTP/1.1\r\n" + host + host + "\r\n", 400, ""},
		"other origin":      {post + host + "Origin: http://evil.example\r\n" + typ + length + "\r\n{}", 403, ""},
		"null origin":       {post + host + "Origin: null\r\n" + typ + length + "\r\n{}", 403, ""},
		"origin by name":    {post + host + "Origin: http://" + s.local + "\r\n" + typ + length + "\r\n{}", 403, ""},
		"no origin":         {post + host + typ + length + "\r\n{}", 403, ""},
		"a form":            {post + host + origin + "Content-Type: text/plain\r\n" + length + "\r\n{}", 415, ""},
		"get a message":     {"GET " + at + "message HTTP/1.1\r\n" + host + origin + "\r\n", 405, ""},
		"post a file":       {"POST " + at + "a.js HTTP/1.1\r\n" + host + origin + typ + length + "\r\n{}", 405, ""},
		"put":               {"PUT " + at + "a.js HTTP/1.1\r\n" + host + "\r\n", 405, ""},
		"get with a body":   {"GET " + at + " HTTP/1.1\r\n" + host + length + "\r\n{}", 405, ""},
		"encoded":           {post + host + origin + typ + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501, ""},
		"two lengths":       {post + host + origin + typ + length + "Content-Length: 3\r\n\r\n{}", 400, ""},
		"negative length":   {post + host + origin + typ + "Content-Length: -1\r\n\r\n", 400, ""},
		"signed length":     {post + host + origin + typ + "Content-Length: +1\r\n\r\n", 400, ""},
		"huge length":       {post + host + origin + typ + "Content-Length: 99999999\r\n\r\n", 413, ""},
		"old":               {"GET " + at + " HTTP/1.0\r\n" + host + "\r\n", 400, ""},
		"not HTTP":          {"hello\r\n\r\n", 400, ""},
		"a whole address":   {"GET http://" + s.host + at + " HTTP/1.1\r\n" + host + "\r\n", 400, ""},
		"no name":           {"GET " + at + " HTTP/1.1\r\n" + host + ": x\r\n\r\n", 400, ""},
		"blank in a name":   {"GET " + at + " HTTP/1.1\r\nHost : " + s.host + "\r\n\r\n", 400, ""},
		"folded":            {"GET " + at + " HTTP/1.1\r\n" + host + " more\r\n\r\n", 400, ""},
		"bare newline":      {"GET " + at + " HTTP/1.1\n" + host + "\r\n", 400, ""},
		"control":           {"GET " + at + " HTTP/1.1\r\n" + host + "X: \x01\r\n\r\n", 400, ""},
		"long line":         {"GET " + at + " HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", mostLine) + "\r\n\r\n", 431, ""},
		"many headers":      {"GET " + at + " HTTP/1.1\r\n" + host + strings.Repeat("X: x\r\n", mostHeaders+1) + "\r\n", 431, ""},
	} {
		a := send(t, s, c.text)
		if a.status != c.status || c.status == 200 && a.body != c.body {
			t.Errorf("%s: %+v, want %d %q", name, a, c.status, c.body)
		}
		if strings.Contains(a.body, s.token) {
			t.Errorf("%s: the response has the token", name)
		}
		for header, want := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
	}
}

// TestConnectionHasSeveralRequests sends two requests at once, and one that waits for a request to send its body.
func TestConnectionHasSeveralRequests(t *testing.T) {
	s := serve(t)
	conn, err := net.Dial("tcp", s.host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := bufio.NewReader(conn)
	get := fmt.Sprintf("GET /%s/a.js HTTP/1.1\r\nHost: %s\r\n\r\n", s.token, s.host)
	fmt.Fprint(conn, get, get)
	for range 2 {
		if a := read(t, r, false); a.body != "1;\n" || a.header.Get("Connection") != "keep-alive" {
			t.Errorf("%+v", a)
		}
	}
	fmt.Fprintf(conn, "POST /%s/message HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Type: application/json\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n", s.token, s.host, s.host)
	if a := read(t, r, false); a.status != 100 {
		t.Errorf("%+v", a)
	}
	fmt.Fprint(conn, "abc")
	if a := read(t, r, false); a.body != "got abc" || a.header.Get("Connection") != "close" {
		t.Errorf("%+v", a)
	}
	if a := read(t, r, false); !a.closed {
		t.Errorf("after Connection: close, %+v", a)
	}
}

// FuzzHead reads heads of requests. One that is accepted has bounded parts, and none of what would let it mean two
// things.
func FuzzHead(f *testing.F) {
	f.Add([]byte("GET /x/ HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add([]byte("POST /x/message HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{}"))
	f.Add([]byte("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		q, err := readHead(bufio.NewReaderSize(bytes.NewReader(text), mostLine))
		if err != nil {
			return
		}
		if q.length < 0 || q.length > mostBody || len(q.headers) > mostHeaders || q.path[0] != '/' || strings.ContainsAny(q.path+q.method, " \r\n") {
			t.Errorf("%q: %+v", text, q)
		}
		for name, value := range q.headers {
			if name != strings.ToLower(name) || strings.ContainsAny(name+value, "\r\n") || name == "transfer-encoding" {
				t.Errorf("%q: header %q: %q", text, name, value)
			}
		}
	})
}
