package asm

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// TestDataNeedsNoTokens: what isData accepts has no mistake for skim to find, and it accepts what simtrun cc writes.
func TestDataNeedsNoTokens(t *testing.T) {
	const written = "{\n.b8 1,17,1,0\n.b32 .debug_abbrev\n.b64 $L__func_begin0,$L__tmp4-1\n.b8 255\n}"
	if !isData(written) {
		t.Errorf("%q is not taken for data", written)
	}
	pieces := strings.Fields(".b8 .b32 $L1 __local_depot0 12 0 0x1f 1a 1. . .. , + - { } [ ; \" ' // /* @@ a.b a. % 1e5 \x00 é _ 0b1 9")
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 20000 {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(pieces[r.IntN(len(pieces))] + []string{"", " ", ",", "\n"}[r.IntN(4)])
		}
		block := "{" + b.String() + "}"
		if !isData(block) {
			continue
		}
		accepted++
		if err := skim(&lexer.Token{Type: blockToken, Value: block}); err != nil {
			t.Fatalf("%q: %v", block, err)
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d blocks were taken for data", accepted)
	}
}
