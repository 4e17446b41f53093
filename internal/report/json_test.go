package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/jsondoc"
)

// TestJSONIsDocumented checks that docs/json.md has exactly the keys of the object of a run, with their types.
func TestJSONIsDocumented(t *testing.T) {
	own := make(map[reflect.Type]string)
	for _, typ := range []reflect.Type{reflect.TypeFor[metricsJSON](), reflect.TypeFor[States](), reflect.TypeFor[Stalls](), reflect.TypeFor[Limits]()} {
		own[typ] = "object of numbers or null"
	}
	all := jsondoc.Read(t, "../../docs/json.md")
	if diff := cmp.Diff(jsondoc.Of(reflect.TypeFor[Diff](), nil), all[DiffSchema]); diff != "" {
		t.Errorf("%s (-written +documented):\n%s", DiffSchema, diff)
	}
	if diff := cmp.Diff(jsondoc.Of(reflect.TypeFor[Verification](), nil), all[verificationSchema]); diff != "" {
		t.Errorf("%s (-written +documented):\n%s", verificationSchema, diff)
	}
	documented := all["simtrun.run/v1"]
	if diff := cmp.Diff(jsondoc.Of(reflect.TypeFor[runJSON](), own), documented); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}

// TestSplitTextIsWrittenAsOne checks that text in pieces is written like text in one piece, wherever it is split.
func TestSplitTextIsWrittenAsOne(t *testing.T) {
	for _, text := range []string{"", "plain\n\"quoted\" <&>", "naïve – 𝄞 end", "\xff\xfe broken \xe2\x82", "\xf0\x9d\x84"} {
		want := encoded(text)
		if !json.Valid(want) {
			t.Fatalf("%s", want)
		}
		for size := 1; size <= 5; size++ {
			var got bytes.Buffer
			out := bufio.NewWriter(&got)
			s := &jsonString{out: out}
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				s.Write(rest[:min(size, len(rest))])
			}
			s.write(s.rest)
			out.Flush()
			if `"`+got.String()+`"` != string(want) {
				t.Errorf("%q in pieces of %d: %s, want %s", text, size, &got, want)
			}
		}
	}
}
