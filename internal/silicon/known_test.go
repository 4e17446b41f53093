package silicon

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
)

// known is the reason why answers of an H100 differ from simtrun's, for the cases that the pattern matches as a
// whole. Each case is listed in testdata/h100.txt.
type known struct {
	pattern, reason string
	guarded         bool // only guarded results differ
	// explains reports whether the reason explains the difference of a word of a form's outputs, given the form's
	// sources; nil if it explains all differences.
	explains func(sources []uint64) bool
}

var differences = []known{
	{pattern: `.*\.(approx|full)\b.*|traps/trap33|programs/(attention|softmax)\.s`, reason: "approximation"},
	{pattern: `(set|testp)\..*`, guarded: true,
		reason: "the assembler changes the register where the guard is false"},
	{pattern: `(neg|abs)\.f32`, guarded: true, reason: "NaN of neg and abs: another instruction is chosen under a guard"},
	{pattern: `bfe\.[us]64`, reason: "positions and lengths above 255 are taken as they are",
		explains: func(s []uint64) bool { return s[1] > 255 || s[2] > 255 }},
	{pattern: `bfi\.b64`, reason: "positions and lengths above 255 are taken as they are",
		explains: func(s []uint64) bool { return s[2] > 255 || s[3] > 255 }},
	{pattern: `fns\.b32`, reason: "0 for an offset of -2147483648, whose magnitude has no encoding",
		explains: func(s []uint64) bool { return s[2] == 1<<31 }},
	{pattern: `programs/ballot_compaction\.s`, reason: "order of the warps"},
	{pattern: `programs/warp_sum_racy\.s`, reason: "data race"},
	{pattern: `traps/trap06`, reason: "address: shared memory begins with 1024 bytes of the system's"},
	{pattern: `traps/trap64`, reason: "clock"},
	{pattern: `traps/trap28`, reason: "the assembler takes max(x, x) for x, and keeps what NaN carries"},
	{pattern: `straight/(45|128|138|165|168|216|230|293)`, reason: "NaN: the assembler exchanges sources, or drops neg and abs"},
	{pattern: `straight/58`, reason: "the assembler takes set.f16 for set.s16"},
	{pattern: `straight/299`, reason: "the assembler cuts the constant shift of shr.s16 to 16 bits"},
	{pattern: `flow/groups/(17|18|24)`, reason: "shfl of a lane that is not a member, but executes the instruction at the same time"},
	{pattern: `flow/(barriers/(5|19)|all/30)`, reason: "barrier.sync and barrier.red at one barrier, which PTX rules out"},
	{pattern: `probes/.*`, reason: "open"},
}

// knownFor returns the reason why a case differs, or nil.
func knownFor(name string) *known {
	for i := range differences {
		if regexp.MustCompile("^(" + differences[i].pattern + ")$").MatchString(name) {
			return &differences[i]
		}
	}
	return nil
}

// size describes how an output differs: words, and of floats their distance.
type size struct {
	words, of int
	furthest  uint64 // in units of the last place
	special   bool   // one is NaN, infinite or zero and the other is not, or their signs differ
	unknown   bool   // a difference that the reason does not explain
}

func (s *size) String() string {
	text := fmt.Sprintf("%d of %d words", s.words, s.of)
	if s.furthest > 0 {
		text += fmt.Sprintf(", by %d units of the last place at most", s.furthest)
	}
	if s.special {
		text += ", others in sign, NaN, infinite or zero"
	}
	if s.unknown {
		text += ", UNEXPLAINED"
	}
	return text
}

// compare adds to s how theirs differs from ours. The words of forms have 8 bytes, those of other cases 4.
func (s *size) compare(c *Case, l *Launch, k *known, ours, theirs []byte) {
	word, bits := 4, 32
	isForm := !strings.Contains(c.Name, "/")
	if isForm || l.Columns > 0 {
		word = 8
	}
	if isForm && strings.Contains(c.Name, ".f16") {
		bits = 16
	}
	if isForm && strings.HasSuffix(c.Name, ".f64") {
		bits = 64
	}
	for at := 0; at+word <= len(theirs); at += word {
		s.of++
		o, h := loadWord(ours, at, word), loadWord(theirs, at, word)
		if o == h {
			continue
		}
		s.words++
		if k.reason == "approximation" {
			s.distance(bits, o, h)
		}
		if k.explains != nil && !k.explains(sourcesOf(l, at, len(theirs))) {
			s.unknown = true
		}
	}
}

func loadWord(data []byte, at, word int) uint64 {
	switch {
	case at+word > len(data):
		return 0
	case word == 8:
		return binary.LittleEndian.Uint64(data[at:])
	}
	return uint64(binary.LittleEndian.Uint32(data[at:]))
}

// sourcesOf returns the sources of the thread with its results at a place in a form's output: in the first buffer,
// before its guard.
func sourcesOf(l *Launch, at, size int) []uint64 {
	threads := int(l.Grid[0] * l.Block[0])
	share := len(l.Buffers[0]) / threads
	thread := at / (size / threads)
	var s []uint64
	for k := 0; k < share-8; k += 8 {
		s = append(s, binary.LittleEndian.Uint64(l.Buffers[0][thread*share+k:]))
	}
	return s
}

var fractions = map[int]int{16: 10, 32: 23, 64: 52}

// distance adds that of two floats, or of each half of a pair.
func (s *size) distance(bits int, a, b uint64) {
	if bits == 16 && (a|b)>>16 != 0 {
		s.distance(16, a>>16, b>>16)
	}
	mask := uint64(1)<<(bits-1)<<1 - 1
	a, b = a&mask, b&mask
	if a == b {
		return
	}
	if kind(bits, a) != kind(bits, b) {
		s.special = true
		return
	}
	s.furthest = max(s.furthest, max(a, b)-min(a, b))
}

// kind distinguishes NaN, infinity, zero and other numbers, and their signs.
func kind(bits int, v uint64) int {
	magnitude, infinity := v&(1<<(bits-1)-1), uint64(1)<<(bits-1)-1<<fractions[bits]
	of := 0
	switch {
	case magnitude > infinity:
		of = 3
	case magnitude == infinity:
		of = 2
	case magnitude == 0:
		of = 1
	}
	if magnitude != v {
		return -1 - of
	}
	return of
}
