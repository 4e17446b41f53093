package cuda_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/simtrun/simtrun/cuda"
)

// TestAppendJSONMatchesMarshal compares lines with json.Marshal's: each field alone, and random lines with values that
// are written in other ways.
func TestAppendJSONMatchesMarshal(t *testing.T) {
	compare := func(l *cuda.Launched) {
		t.Helper()
		want, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.AppendJSON([]byte("x"))
		if err != nil || string(got) != "x"+string(want) {
			t.Errorf("got  %s, %v\nwant x%s", got, err, want)
		}
	}
	for i := range reflect.TypeFor[cuda.Launched]().NumField() {
		var l cuda.Launched
		set(reflect.ValueOf(&l).Elem().Field(i))
		compare(&l)
	}
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"", "k", "scale<float>", "a\\b", "a\"b", "a&b", "é", "x\x00", "__nv", "\x7f", "\u2028"}
	seconds := []float64{0, 1e-9, 9.9e-7, 1e-6, 1.5e-6, 0.25, 1, 3600, 1e20, 1e21, 1e22, 0.1 + 0.2}
	for range 2000 {
		seconds[0] = time.Duration(r.Int64N(1 << r.IntN(31))).Seconds()
		compare(&cuda.Launched{
			State: []cuda.State{cuda.Ended, cuda.Begun, cuda.Running}[r.IntN(3)], Process: r.IntN(3), Done: r.Int64N(3), Total: r.Int64N(3),
			Kernel: names[r.IntN(len(names))], Mangled: names[r.IntN(len(names))], Grid: [3]uint32{r.Uint32(), 0, 1}, Block: [3]uint32{1, r.Uint32(), 7}, Shared: r.Int64N(1 << 20),
			Seconds: seconds[r.IntN(len(seconds))], WarpInstrs: r.Uint64(), LaneInstrs: r.Uint64(), Divergent: r.Uint64N(2),
		})
	}
}

// set gives a field a value that is not its zero.
func set(f reflect.Value) {
	switch f.Kind() {
	case reflect.String:
		f.SetString("a b")
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Int, reflect.Int64:
		f.SetInt(3)
	case reflect.Uint32, reflect.Uint64:
		f.SetUint(4)
	case reflect.Float64:
		f.SetFloat(0.5)
	case reflect.Array:
		for i := range f.Len() {
			set(f.Index(i))
		}
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	case reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
		f.SetMapIndex(reflect.ValueOf("m"), reflect.ValueOf(1.5))
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	l := cuda.Launched{Process: 77, Kernel: "tiny", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Seconds: 2.345e-6, WarpInstrs: 10, LaneInstrs: 320}
	var text []byte
	for b.Loop() {
		text, _ = l.AppendJSON(text[:0])
	}
}
