package asm

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// commentPiece is the type of a comment: // or @@ up to the end of the line, or /* */.
const commentPiece lexer.TokenType = -100

// piece is a token or comment of a source.
type piece struct {
	lexer.Token
	breaks int  // line breaks between the piece before it and this one
	gap    bool // there is space, or a comment, between the token before it and this one
}

// pieces splits a source into its tokens and comments. Debug sections, from brace to brace, are one token each. The
// last piece is the end of the file. It returns the first fault, if any, and leaves out text that is not PTX.
func pieces(name, src string) (all []piece, first *isa.Error) {
	s := newScanner(name, src)
	section := false
	for {
		from := s.pos()
		start := s.at
		fault := s.skipBlank()
		p := piece{gap: s.at > start}
		for _, c := range comments(from, s.src[start:s.at]) {
			p.breaks = c.breaks
			if c.Value != "" {
				all = append(all, c)
			}
		}
		if fault == nil {
			s.blocks = section
			p.Token, _ = s.Next() // it never fails
		} else {
			p.Token = *fault
		}
		if p.Type == invalidToken {
			if first == nil {
				first = isa.Errorf(position(p.Pos), "%s", describe(&p.Token))
			}
			continue
		}
		section = p.Value == ".section" || section && p.Type != blockToken
		all = append(all, p)
		if p.Type == lexer.EOF {
			return all, first
		}
	}
}

// comments returns the comments in the text between two tokens, and then a piece without text for the gap after them.
func comments(at lexer.Position, gap string) []piece {
	var all []piece
	for breaks := 0; ; {
		end := 1
		switch {
		case gap == "":
			return append(all, piece{breaks: breaks})
		case gap[0] == '\n':
			breaks++
			at.Line++
			at.Column = 0
		case strings.HasPrefix(gap, "/*"):
			end = strings.Index(gap, "*/") + 2
		case strings.HasPrefix(gap, "//"), strings.HasPrefix(gap, "@@"):
			if end = strings.IndexByte(gap, '\n'); end < 0 {
				end = len(gap)
			}
		}
		if end > 1 {
			text := strings.TrimRight(strings.ReplaceAll(gap[:end], "\r", ""), " \t\f\v")
			all = append(all, piece{Token: lexer.Token{Type: commentPiece, Value: text, Pos: at}, breaks: breaks})
			breaks = 0
		}
		if n := strings.LastIndexByte(gap[:end], '\n'); end > 1 && n >= 0 {
			at.Line += strings.Count(gap[:end], "\n")
			at.Column = end - n
		} else {
			at.Column += end
		}
		gap = gap[end:]
	}
}
