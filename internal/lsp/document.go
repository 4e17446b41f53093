package lsp

import (
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// document is an open source. Its positions count lines and bytes from 1; those of the protocol count lines and
// UTF-16 units from 0.
type document struct {
	uri, name, text string
	lines           []string // without their ends
	outline         *asm.Outline
	gpu             *gpu.Config // that runs it; nil if it is not known
	hints           []string    // by line; nil before they are asked for
}

func newDocument(uri, text string) *document {
	d := &document{uri: uri, name: pathOf(uri), text: text, lines: strings.Split(text, "\n")}
	for i, line := range d.lines {
		d.lines[i] = strings.TrimSuffix(line, "\r")
	}
	d.outline = asm.OutlineOf(d.name, []byte(text))
	return d
}

// pathOf returns the path of a URI; other URIs than those of files, such as untitled:1, are names themselves.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // /c:/k.s
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// line returns a line by its number from 1; "" if there is none.
func (d *document) line(n int) string {
	if n < 1 || n > len(d.lines) {
		return ""
	}
	return d.lines[n-1]
}

// position converts a position to one of the protocol.
func (d *document) position(p isa.Pos) protocol.Position {
	line := d.line(int(p.Line))
	before := line[:min(max(int(p.Col)-1, 0), len(line))]
	units := 0
	for _, r := range before {
		units += utf16.RuneLen(r) // 1 for invalid bytes, as utf8.RuneError
	}
	return protocol.Position{Line: uint32(max(p.Line-1, 0)), Character: uint32(units)}
}

// place converts a position of the protocol. Behind the end of a line it is the end.
func (d *document) place(p protocol.Position) (line, column int) {
	line = int(p.Line) + 1
	text := d.line(line)
	at := 0
	for units := int(p.Character); units > 0 && at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		at += n
		units -= utf16.RuneLen(r)
	}
	return line, at + 1
}

// span returns the range of a text of n bytes on one line.
func (d *document) span(p isa.Pos, n int) protocol.Range {
	end := p
	end.Col += int32(n)
	return protocol.Range{Start: d.position(p), End: d.position(end)}
}

// wordRange returns the range of the word at a position, or of the rest of the line if no word begins there.
func (d *document) wordRange(p isa.Pos) protocol.Range {
	p.Line = min(max(p.Line, 1), int32(len(d.lines)))
	words := d.outline.Words
	i := sort.Search(len(words), func(i int) bool {
		at := &words[i].Pos
		return at.Line > p.Line || at.Line == p.Line && at.Col >= p.Col
	})
	if i < len(words) && words[i].Pos.Line == p.Line && words[i].Pos.Col == p.Col && words[i].Kind != asm.CommentWord {
		return d.span(p, len(words[i].Text))
	}
	return d.span(p, max(len(d.line(int(p.Line)))-max(int(p.Col)-1, 0), 0))
}

// wordAt returns the word that contains a position of the protocol, or ends there; nil for none.
func (d *document) wordAt(p protocol.Position) *asm.Word {
	line, column := d.place(p)
	for i := len(d.outline.Words) - 1; i >= 0; i-- {
		w := &d.outline.Words[i]
		if at := int(w.Pos.Col); int(w.Pos.Line) == line && at <= column && column <= at+len(w.Text) && w.Kind != asm.CommentWord {
			return w
		}
	}
	return nil
}

// nameAt returns the name that the word at a position stands for, or nil.
func (d *document) nameAt(p protocol.Position) *asm.Name {
	if w := d.wordAt(p); w != nil {
		return w.Name
	}
	return nil
}

// uses returns the ranges of a name's uses, without a suffix such as .x.
func (d *document) uses(n *asm.Name) []protocol.Range {
	all := []protocol.Range{}
	for _, p := range n.Uses {
		all = append(all, d.span(p, len(n.Text)))
	}
	return all
}
