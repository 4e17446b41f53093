package launch

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// value is the value of an argument or a symbol. Exactly one field is set.
type value struct {
	number  string   // a number; the kernel determines its type
	address *address // of a buffer
	content *content // an INIT
	bytes   []byte   // hex:…, with addresses inserted
	patches []patch
	file    *file // bytes:@FILE
}

// address is NAME or NAME+BYTES.
type address struct {
	name   string
	offset uint64 // bytes
}

// patch is an offset in a parameter block or a variable where a buffer's address is inserted.
type patch struct {
	at     int64 // bytes from the start
	width  int   // bytes of an address
	target address
	handle bool // the handle of the texture, surface or sampler of that name, not an address
}

// parseValue parses an argument A.
func (l *Layer) parseValue(text string) (value, error) {
	switch {
	case text == "":
		return value{}, errors.New("no value")
	case isNumber(text):
		return value{number: text}, nil
	case strings.HasPrefix(text, "hex:"):
		return parseHex(text[len("hex:"):])
	case strings.HasPrefix(text, "bytes:@"):
		f, err := l.parseFile(text[len("bytes:@"):])
		return value{file: f}, err
	case isContent(text):
		c, err := l.parseContent(text)
		return value{content: c}, err
	}
	a, err := parseAddress(text)
	return value{address: a}, err
}

func parseAddress(text string) (*address, error) {
	name, offset, plus := strings.Cut(text, "+")
	name, offset = strings.TrimSpace(name), strings.TrimSpace(offset)
	if !isName(name) {
		generator, _, _ := strings.Cut(text, ":")
		if near := isa.DidYouMean(generator, slices.Sorted(maps.Keys(generators))); near != "" {
			return nil, fmt.Errorf("%q: no contents %q%s", text, generator, near)
		}
		return nil, fmt.Errorf("%q is not a value; it is a number, a buffer's name, NAME+BYTES, an INIT such as zeros:16:f32, hex: or bytes:@FILE", text)
	}
	a := &address{name: name}
	if plus {
		n, err := strconv.ParseUint(offset, 0, 63)
		if err != nil {
			return nil, fmt.Errorf("%q: %q is not a number of bytes", text, offset)
		}
		a.offset = n
	}
	return a, nil
}

// parseHex parses hexadecimal digits, two per byte, followed by the offsets of addresses: 0011…[8=x;16=y+4].
func parseHex(text string) (value, error) {
	digits, places, bracket := strings.Cut(text, "[")
	data, err := hex.DecodeString(digits)
	if err != nil || len(data) == 0 {
		return value{}, fmt.Errorf("hex:%s: bytes are pairs of hexadecimal digits", digits)
	}
	v := value{bytes: data}
	if !bracket {
		return v, nil
	}
	places, closed := strings.CutSuffix(places, "]")
	if !closed {
		return value{}, fmt.Errorf("hex:%s: no ] at the end", text)
	}
	for one := range strings.SplitSeq(places, ";") {
		at, name, _ := strings.Cut(one, "=")
		offset, err := strconv.ParseUint(strings.TrimSpace(at), 10, 31)
		if err != nil {
			return value{}, fmt.Errorf("[%s]: places are written OFFSET=NAME, separated by ;", places)
		}
		target, err := parseAddress(strings.TrimSpace(name))
		if err != nil {
			return value{}, err
		}
		v.patches = append(v.patches, patch{at: int64(offset), target: *target})
	}
	return v, nil
}

// isName reports whether text can name a buffer: a PTX identifier that is not a number.
func isName(text string) bool {
	if text == "" || isNumber(text) {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$':
		case c >= '0' && c <= '9', c == '.': // a.2 is a second anonymous buffer
			if i == 0 {
				return false
			}
		case c == '%' && i == 0:
		default:
			return false
		}
	}
	return true
}
