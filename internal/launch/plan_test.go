package launch

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

func scalar(name string, t isa.Type) *isa.Var {
	return &isa.Var{Name: name, Space: isa.Param, Type: t, Vec: 1, Count: 1, Align: t.Bytes()}
}

// testModule has kernels k (a pointer, an aggregate, a byte and a float), two
// (pointers) and fixed (.reqntid 64), and some variables.
func testModule() *isa.Module {
	a, agg := scalar("a", isa.U64), scalar("agg", isa.B8)
	a.Ptr = &isa.Ptr{Space: isa.Global, Align: 4}
	agg.Count, agg.Array, agg.Align = 16, true, 8
	variable := func(name string, s isa.Space, t isa.Type, count int64) *isa.Var {
		v := scalar(name, t)
		v.Space, v.Count, v.Array = s, count, count > 1
		return v
	}
	entry := func(name string, params ...*isa.Var) *isa.Func {
		return &isa.Func{Name: name, Entry: true, Defined: true, Params: params}
	}
	fixed := entry("fixed")
	fixed.ReqNTID = isa.Dim{X: 64, Y: 1, Z: 1}
	return &isa.Module{Name: "k.s", AddressSize: 64,
		Vars: []*isa.Var{
			variable("table", isa.Global, isa.S16, 4), variable("limit", isa.Const, isa.F32, 1),
			variable("p", isa.Global, isa.U64, 1), variable("sh", isa.Shared, isa.U32, 4),
		},
		Funcs: []*isa.Func{
			entry("k", a, agg, scalar("n", isa.U8), scalar("f", isa.F32)),
			entry("two", scalar("x", isa.B64), scalar("y", isa.U64)),
			fixed,
		},
	}
}

// planOf makes a plan of the test module from a header, a script and flags.
func planOf(t *testing.T, headerText, scriptText string, flags ...string) (*Plan, error) {
	t.Helper()
	h, err := ParseHeader("k.s", t.TempDir(), []byte(headerText))
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseScript("run.sim", []byte(scriptText), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := NewFlags()
	for _, f := range flags {
		name, text, _ := strings.Cut(f, " ")
		if err := c.Set(name, text, Origin{Flag: "--" + f}); err != nil {
			t.Fatal(err)
		}
	}
	return NewPlan(testModule(), h, s, c)
}

const kArgs = "//sim:arg a = zeros:4:f32\n//sim:arg agg = hex:00112233445566778899aabbccddeeff\n//sim:arg n = 7\n//sim:arg f = 1.5\n"

func TestParametersFollowTheirLayout(t *testing.T) {
	// a at 0 (8 bytes), agg at 8 (16), n at 24 (1), f at 28 (4).
	p, err := planOf(t, kArgs, "", "arg 2=-1", "arg agg=hex:00112233445566778899aabbccddeeff[8=a+4]")
	if err != nil {
		t.Fatal(err)
	}
	got := p.Launches[0].params
	want := "0000000000000000" + "00112233445566778899aabbccddeeff" + "ff" + "000000" + "0000c03f"
	if h := hex.EncodeToString(got.data); h != want {
		t.Errorf("data\n%s, want\n%s", h, want)
	}
	patches := []patch{{0, 8, address{"a", 0}, false}, {16, 8, address{"a", 4}, false}}
	if diff := cmp.Diff(patches, got.patches, cmp.AllowUnexported(patch{}, address{})); diff != "" {
		t.Error(diff)
	}
	if o := p.object("a"); o == nil || o.elem != F32 || o.size != 16 {
		t.Errorf("buffer a: %+v", o)
	}
}

// TestAggregateComesFromFile passes the middle of a file as a by-value struct.
func TestAggregateComesFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pair.bin")
	if err := os.WriteFile(path, []byte("....0123456789abcdef...."), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := planOf(t, kArgs, "", "arg agg=bytes:@"+path+":4:16")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(p.Launches[0].params.data[8:24]); got != "0123456789abcdef" {
		t.Errorf("agg is %q", got)
	}
}

// TestCommasSeparateLaunchArguments checks that commas separate arguments, and semicolons the values in an argument.
func TestCommasSeparateLaunchArguments(t *testing.T) {
	p, err := planOf(t, "", "launch k grid=2 args=list:u32:1;2;3,hex:"+strings.Repeat("00", 16)+"[0=table;8=table+4],7,-1.5")
	if err != nil {
		t.Fatal(err)
	}
	got := p.Launches[0].params
	want := strings.Repeat("00", 24) + "07000000" + "0000c0bf"
	if h := hex.EncodeToString(got.data); h != want {
		t.Errorf("data %s, want %s", h, want)
	}
	patches := []patch{{0, 8, address{"a", 0}, false}, {8, 8, address{"table", 0}, false}, {16, 8, address{"table", 4}, false}}
	if diff := cmp.Diff(patches, got.patches, cmp.AllowUnexported(patch{}, address{})); diff != "" {
		t.Error(diff)
	}
	if o := p.object("a"); o == nil || o.elem != U32 || o.size != 12 {
		t.Errorf("buffer a: %+v", o)
	}
}

func TestFlagsOverrideHeaderAndScript(t *testing.T) {
	tests := []struct {
		name, header, script string
		flags                []string
		want                 []Launch
	}{
		{"defaults", kArgs, "", nil,
			[]Launch{{Kernel: "k", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, BlockFrom: BlockDefault}}},
		{"flags over header", kArgs + "//sim:grid 2\n//sim:block 8x8\n//sim:shared 64", "", []string{"grid 3"},
			[]Launch{{Kernel: "k", Grid: isa.Dim{X: 3, Y: 1, Z: 1}, Block: isa.Dim{X: 8, Y: 8, Z: 1}, Shared: 64}}},
		{"reqntid", "", "", []string{"kernel fixed"},
			[]Launch{{Kernel: "fixed", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 64, Y: 1, Z: 1}, BlockFrom: BlockReqNTID}}},
		{"arguments and dumps of another kernel", kArgs + "//sim:dump a\n//sim:expect a[0] == 1", "", []string{"kernel two", "arg x=0", "arg y=0"},
			[]Launch{{Kernel: "two", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, BlockFrom: BlockDefault}}},
		{"script's launches over header", kArgs, "buffer b = zeros:4:u8\nlaunch two grid=2 block=64 args=b,b+1\nlaunch fixed grid=3", nil,
			[]Launch{
				{Kernel: "two", Grid: isa.Dim{X: 2, Y: 1, Z: 1}, Block: isa.Dim{X: 64, Y: 1, Z: 1}},
				{Kernel: "fixed", Grid: isa.Dim{X: 3, Y: 1, Z: 1}, Block: isa.Dim{X: 64, Y: 1, Z: 1}, BlockFrom: BlockReqNTID},
			}},
		{"flags over one launch line", "//sim:launch two grid=2 args=1,2", "", []string{"grid 5", "arg y=3"},
			[]Launch{{Kernel: "two", Grid: isa.Dim{X: 5, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, BlockFrom: BlockDefault}}},
		{"kernel in place of launch lines", "//sim:launch two args=1,2\n//sim:launch two args=1,2", "", []string{"kernel fixed"},
			[]Launch{{Kernel: "fixed", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 64, Y: 1, Z: 1}, BlockFrom: BlockReqNTID}}},
	}
	for _, tt := range tests {
		p, err := planOf(t, tt.header, tt.script, tt.flags...)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for i := range p.Launches {
			p.Launches[i].params, p.Launches[i].at = image{}, Origin{}
		}
		if diff := cmp.Diff(tt.want, p.Launches, cmp.AllowUnexported(Launch{}, image{})); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

func TestLaterDumpsReplace(t *testing.T) {
	p, err := planOf(t, kArgs+"//sim:dump a:f32:4\n//sim:dump a:u8\n//sim:dump table", "", "dump a:u32:2")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range p.dumps {
		got = append(got, d.object.name+" "+d.elem.String())
	}
	if diff := cmp.Diff([]string{"table s16", "a u32"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestExpectNoneDropsEarlierLayers checks that expect none drops the expectations of earlier layers, and none of its
// own layer.
func TestExpectNoneDropsEarlierLayers(t *testing.T) {
	header := kArgs + "//sim:expect a[0] == 1\n//sim:expect metric warp_instructions == 3\n"
	for flags, want := range map[string]int{"": 1, "expect none": 0, "expect a[0] == 2\nexpect none": 1} {
		p, err := planOf(t, header, flags)
		if err != nil {
			t.Fatal(err)
		}
		if metrics := len(p.metrics) + p.leftOut; len(p.expects) != want || (metrics == 0) != (flags != "") {
			t.Errorf("%q: %d expectations, %d on counters", flags, len(p.expects), metrics)
		}
	}
}

func TestAnonymousBuffersKeepApart(t *testing.T) {
	p, err := planOf(t, "//sim:launch two args=zeros:1:u8,0\n//sim:launch two args=zeros:2:u8,zeros:3:u8\n//sim:dump x.2", "")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Launches[0].params.patches[0].target.name, p.Launches[1].params.patches[0].target.name; a != "x" || b != "x.2" {
		t.Errorf("buffers %s and %s", a, b)
	}
}

func TestSymbolsSetVariables(t *testing.T) {
	p, err := planOf(t, kArgs, "buffer b = zeros:4:u8\nsymbol table = list:s16:-1,2\nsymbol limit = 0.5\nsymbol p = b+2")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, im := range p.symbols {
		data := im.data
		if im.content != nil {
			data = make([]byte, im.content.size())
			if err := im.content.fill(t.Context(), data); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, im.object.name+" "+hex.EncodeToString(data))
	}
	if diff := cmp.Diff([]string{"table ffff0200", "limit 0000003f", "p 0000000000000000"}, got); diff != "" {
		t.Error(diff)
	}
	if at := p.symbols[2].patches; len(at) != 1 || at[0].target != (address{"b", 2}) {
		t.Errorf("patches of p: %+v", at)
	}
}

func TestPlanErrorsAreExplained(t *testing.T) {
	tests := []struct {
		header string
		flags  []string
		want   string
	}{
		{kArgs, []string{"kernel tow"}, `--kernel tow: no kernel "tow" in k.s; did you mean two?`},
		{kArgs, []string{"kernel nothing"}, `there are k, two, fixed`},
		{"", []string{"kernel two", "arg x=0"}, "no argument for parameter y of kernel two; its parameters are 0: .b64 x, 1: .u64 y"},
		{kArgs, []string{"arg 4=1"}, "--arg 4=1: kernel k has no parameter 4; its parameters are 0: .u64 a, 1: .b8[16] agg, 2: .u8 n, 3: .f32 f"},
		{kArgs, []string{"arg agh=1"}, "kernel k has no parameter agh; its parameters are 0: .u64 a, 1: .b8[16] agg, 2: .u8 n, 3: .f32 f; did you mean agg?"},
		{"", []string{"kernel fixed", "arg 0=1"}, "kernel fixed has no parameter 0; it has none"},
		{kArgs, []string{"arg n=300"}, "--arg n=300: n: 300 is out of range for u8, which takes -128 to 255"},
		{kArgs, []string{"arg n=1", "arg 2=1"}, "--arg 2=1: parameter n is given before, at --arg n=1"},
		{kArgs, []string{"arg n=a"}, "n is .u8, which takes a number; the address of a buffer needs a pointer, or .u64"},
		{kArgs, []string{"arg f=zeros:1:f32"}, "f is .f32, which takes a number; the address of a buffer needs a pointer, or .u64"},
		{kArgs, []string{"arg a=4096"}, "a is a pointer (.ptr); it takes a buffer, or 0"},
		{kArgs, []string{"arg a=b"}, "no buffer b; there are table, limit, p"},
		{kArgs, []string{"arg a=tabel"}, "no buffer tabel; did you mean table?"},
		{kArgs, []string{"arg a=limit"}, "limit is in .const space"},
		{kArgs, []string{"arg a=table+9"}, "table+9 is past the 8 bytes of table"},
		{kArgs, []string{"arg agg=1"}, "parameter agg is .b8[16]; it takes its 16 bytes as hex:… or bytes:@FILE"},
		{kArgs, []string{"arg agg=hex:00"}, "1 bytes; parameter agg, .b8[16], has 16"},
		{kArgs, []string{"arg agg=hex:00112233445566778899aabbccddeeff[9=a]"}, "an address at byte 9 is past the 16 bytes"},
		{kArgs + "//sim:buffer table = zeros:1:u8", nil, "k.s:5:14: table is a variable of the module"},
		{kArgs, []string{"dump out"}, "no buffer out; there are table, limit, p, a"},
		{kArgs, []string{"dump a:f32:9999"}, "--dump a:f32:9999: a has 16 bytes, 4 elements of f32, not 9999"},
		{kArgs, []string{"expect a[0:40] == 1"}, "a has 16 bytes, 4 elements of f32, not 40"},
		{kArgs, []string{"expect a[4] == 1"}, "4 elements of f32, not 5"},
		{kArgs, []string{"expect a[9:] == 1"}, "4 elements of f32, not 10"},
		{kArgs, []string{"expect a[0:3] == 1 2"}, "2 values for 3 elements; give one for each element, or one for all"},
		{kArgs, []string{"expect a[0:3] == 1 ulp=1 type=u32"}, "ulp= is for floating-point elements, not u32"},
		{kArgs, []string{"expect a == iota:3:f32"}, "16 bytes of a are compared with 12"},
		{kArgs, []string{"expect a == @nofile"}, "no file nofile"},
		{kArgs, []string{"expect table[0] == 40000"}, "40000 is out of range for s16"},
		{kArgs, []string{"save b=x"}, "no buffer b; there are"},
		{kArgs, []string{"symbol tabel=1"}, "no .global or .const variable tabel in the module; did you mean table?"},
		{kArgs, []string{"symbol a=1"}, "no .global or .const variable a in the module; there are table, limit, p"},
		{kArgs, []string{"symbol table=1"}, "table is .s16[4]; it takes an INIT"},
		{kArgs, []string{"symbol table=zeros:5:s16"}, "10 bytes; table has 8"},
		{kArgs, []string{"symbol limit=a"}, "limit is .f32, which takes a number; the address of a buffer needs a pointer, or .u64"},
		{"//sim:launch two args=1,2\n//sim:grid 4", nil, "launch cannot be combined with"},
		{"//sim:launch two args=1,2\n//sim:launch two args=1,2", []string{"grid 4"}, "--grid 4: there are 2 launches; name a kernel"},
		{"//sim:launch two args=1,2,3", nil, "k.s:1:27: too many arguments, 3, for kernel two; its parameters are 0: .b64 x, 1: .u64 y"},
		{"//sim:launch two args=1", nil, "no argument for parameter y of kernel two"},
		{kArgs + "//sim:buffer b=zeros:536870912:u64\n//sim:buffer c=zeros:536870912:u64\n//sim:buffer d=zeros:536870912:u64\n//sim:buffer e=zeros:536870912:u64\n", nil, "buffer a needs 16 bytes of host memory, but only 0 of --memory 16G are left"},
	}
	for _, tt := range tests {
		_, err := planOf(t, tt.header, "", tt.flags...)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: error %v, want %q", tt.flags, err, tt.want)
		}
	}
	if _, err := NewPlan(&isa.Module{Name: "k.s"}, NewFlags()); err == nil || err.Error() != "k.s has no kernel: no .entry" {
		t.Errorf("empty module: error %v", err)
	}
}

// TestExpectationsCompareElements checks expectations against bytes worked out by hand.
func TestExpectationsCompareElements(t *testing.T) {
	mem, _ := hex.DecodeString("0000803f" + "00000040" + "00004040" + "0000c07f") // 1 2 3 nan
	tests := []struct {
		expect string
		want   []Mismatch
	}{
		{"a[0:4] == 1 2 3 nan", nil},
		{"a[3] == nan", nil},
		{"a[:2] == 1 2", nil},
		{"a[2:] == 3 nan", nil},
		{"a == list:f32:1,2,3,nan", nil},
		{"a[0:2] == iota:2:f32:1", nil},
		{"a[0:3] == 2 abs=1", nil},
		{"a[0:3] == 2", []Mismatch{{"a", 0, "1", "2"}, {"a", 2, "3", "2"}}},
		{"a[3] == 0f7fffffff", []Mismatch{{"a", 3, "nan (0x7fc00000)", "nan (0x7fffffff)"}}},
		{"a[0] == 1065353216 type=u32", nil},
		{"a[3] == 63 type=u8", nil},
		{"a[2:4] == 128 63 type=u8", nil},
	}
	for _, tt := range tests {
		p, err := planOf(t, kArgs, "", "expect "+tt.expect)
		if err != nil {
			t.Errorf("%s: %v", tt.expect, err)
			continue
		}
		var got []Mismatch
		if f := failureOf(t, &p.expects[0], mem); f != nil {
			got = f.Mismatches
		}
		if diff := cmp.Diff(append([]Mismatch{}, tt.want...), append([]Mismatch{}, got...)); diff != "" {
			t.Errorf("%s:\n%s", tt.expect, diff)
		}
	}
}

func TestMismatchesAreLimited(t *testing.T) {
	p, err := planOf(t, kArgs+"//sim:buffer b = zeros:64:u8", "", "expect b == 0", "expect b == 1")
	if err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, 64)
	if f := failureOf(t, &p.expects[0], mem); f != nil {
		t.Errorf("%+v", f)
	}
	if f := failureOf(t, &p.expects[1], mem); f == nil || f.Differ != 64 || f.Compared != 64 || len(f.Mismatches) != 10 {
		t.Errorf("%+v", f)
	}
}
