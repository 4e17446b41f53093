// Package loopback serves one page, and answers its messages, to the browsers of this machine. It speaks the part of
// HTTP/1.1 that browsers need for that: GET of files, and POST of a message, for which the body of the response is the
// answer.
//
// Every path begins with a token, a secret of the server's. Host has to be the server's own address, so that no other
// name can be made to lead here; Origin, which browsers send with each POST, has to be the page itself. Lines, headers,
// bodies, connections and times are bounded.
package loopback

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// File is a file of the page.
type File struct {
	Type string // Content-Type
	Data []byte
}

// Config configures a Server.
type Config struct {
	Files map[string]File // by path below the token; "" is the page
	// Policy is the Content-Security-Policy of every response.
	Policy string
	// Message answers a message, of at most mostBody bytes. Calls may be concurrent.
	Message func(ctx context.Context, body []byte) []byte
}

// Server is a server that listens.
type Server struct {
	cfg      Config
	listener net.Listener
	host     string // address and port
	local    string // the same, by name
	token    string
}

const (
	mostConnections = 64
	tokenBytes      = 16
	messageTime     = 2 * time.Minute // for an answer
)

// Listen opens a port of the loopback interface that the system chooses.
func Listen(cfg Config) (*Server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	secret := make([]byte, tokenBytes)
	rand.Read(secret) // it never fails
	port := l.Addr().(*net.TCPAddr).Port
	return &Server{cfg: cfg, listener: l, host: l.Addr().String(), local: fmt.Sprintf("localhost:%d", port), token: hex.EncodeToString(secret)}, nil
}

// URL returns the address of the page, with the token.
func (s *Server) URL() string { return "http://" + s.host + "/" + s.token + "/" }

// Serve serves until the context ends, whose error it returns, or the listener fails. Then it closes all connections.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { s.listener.Close() })()
	slots := make(chan struct{}, mostConnections)
	for {
		conn, err := s.listener.Accept()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // of one connection, or too many files are open
			select {
			case <-time.After(10 * time.Millisecond):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		select {
		case slots <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		all.Go(func() {
			defer func() { <-slots }()
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			s.converse(ctx, conn)
		})
	}
}
