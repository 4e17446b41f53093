// Package libdevice is NVIDIA's libdevice for simtrun: the functions __nv_sinf, __nv_pow and so on, which compilers
// call for the functions of math.h and for CUDA's intrinsics (libdevice User's Guide). A module that declares such a
// function without defining it gets it from here.
//
// A function consists of PTX instructions, a body, if PTX has instructions for it or it accesses memory. Other
// functions are computed in Go, in package fn. docs/libdevice.md lists all functions with their errors.
package libdevice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
)

// Type is the type of a parameter or a result.
type Type uint8

const (
	I16 Type = iota // passed in 16 or 32 bits
	I32
	I64
	F32
	F64
	Pointer // a generic address, with the width of the module's addresses
)

// types are a Type's name in C, its register type in PTX, and its bytes.
var types = [...]struct {
	c, reg string
	bytes  int64
}{
	I16: {"short", "b32", 2}, I32: {"int", "b32", 4}, I64: {"long long", "b64", 8},
	F32: {"float", "f32", 4}, F64: {"double", "f64", 8}, Pointer: {"pointer", "b64", 8},
}

// String returns the type in C.
func (t Type) String() string { return types[t].c }

// Func is a function of the library.
type Func struct {
	Name    string
	Params  []Type
	Results []Type // usually one; functions that only bodies call may have more
	// Cost is the cost of a function with Eval, without the call and the return. A function without Eval costs what its
	// instructions cost.
	Cost Cost
	// Eval computes the function in one lane. Arguments and results are the bits of the values, in the low bits. It is
	// nil if the function is a body of PTX.
	Eval func(v *Values)

	of          any // see compute
	body        string
	computation func() *isa.Spec // see Compiled
}

// Values are the arguments and the results of a function in one lane.
type Values struct {
	Args    [4]uint64
	Results [3]uint64
}

// Cost is a class of functions with similar machine instructions.
type Cost uint8

const (
	Bits      Cost = iota // a few operations on the bits of a float
	ShortF32              // f32: a reduction and a short polynomial, like expf and logf
	MediumF32             // f32: two of these, like sinf, tanhf and erff
	LongF32               // f32: several, like powf, lgammaf and j0f
	ShortF64              // f64: a quotient or a root
	MediumF64             // f64: a reduction and a polynomial, like exp, log and sin
	LongF64               // f64: several, like pow, erf and tgamma
	Remainder             // fmod and similar functions: a division and a loop
	NumCosts
)

var costNames = [NumCosts]string{"bits", "f32 short", "f32 medium", "f32 long", "f64 short", "f64 medium", "f64 long", "remainder"}

// String returns the class in words.
func (c Cost) String() string { return costNames[c] }

// Prefix is the prefix of the names of the library's functions.
const Prefix = "__nv_"

// reflect is the function that LLVM's code calls to choose between variants of itself.
const reflect = "__nvvm_reflect"

// Owns reports whether a name is one of the library's, or has the form of one.
func Owns(name string) bool { return strings.HasPrefix(name, Prefix) || name == reflect }

// Lookup returns the function with a name, or nil.
func Lookup(name string) *Func {
	all := functions()
	i, ok := slices.BinarySearchFunc(all, name, func(f Func, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return nil
	}
	return &all[i]
}

// Functions returns the functions that modules may declare, in order of their names.
func Functions() []*Func {
	var all []*Func
	for i := range functions() {
		if f := &functions()[i]; !f.inner() {
			all = append(all, f)
		}
	}
	return all
}

// inner reports whether only bodies of other functions call f.
func (f *Func) inner() bool { return strings.Contains(f.Name, "$") }

// signature returns the function's type in C, with its name.
func (f *Func) signature() string {
	result := "void"
	if len(f.Results) > 0 {
		result = f.Results[0].String()
	}
	var params []string
	for _, p := range f.Params {
		params = append(params, p.String())
	}
	return result + " " + f.Name + "(" + strings.Join(params, ", ") + ")"
}

// Provided is the replacement of a declaration: a PTX function and the Go functions that it calls, or one Go
// function.
type Provided struct {
	PTX    *isa.Func   // nil if the function itself is in Served
	Inner  []*isa.Func // declarations of those in Served that only PTX calls
	Served []*Func
}

// Provide returns the replacement of a declaration with the name of a library function. The error, at the position of
// the declaration, is that the function does not exist or has other parameters.
func Provide(decl *isa.Func, addressSize int, target string) (*Provided, error) {
	f := Lookup(decl.Name)
	if f == nil || f.inner() {
		return nil, isa.Errorf(decl.Pos, "%s is not defined, and libdevice has no such function%s", decl.Name, suggestion(decl.Name))
	}
	if msg := f.mismatch(decl, addressSize); msg != "" {
		return nil, isa.Errorf(decl.Pos, "%s: %s; libdevice has %s", decl.Name, msg, f.signature())
	}
	if f.Eval != nil {
		return &Provided{Served: []*Func{f}}, nil
	}
	return f.assemble(decl, addressSize, target)
}

func suggestion(name string) string {
	var names []string
	for _, f := range Functions() {
		names = append(names, f.Name)
	}
	if near := isa.Nearest(name, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// mismatch returns why a declaration does not match f, or "".
func (f *Func) mismatch(decl *isa.Func, addressSize int) string {
	for _, c := range []struct {
		what string
		have []*isa.Var
		want []Type
	}{{"parameter", decl.Params, f.Params}, {"result", decl.Returns, f.Results}} {
		if len(c.have) != len(c.want) {
			return fmt.Sprintf("declared with %d %ss", len(c.have), c.what)
		}
		for i, v := range c.have {
			if msg := c.want[i].mismatch(v, addressSize); msg != "" {
				return fmt.Sprintf("%s %d is declared %s", c.what, i+1, msg)
			}
		}
	}
	return ""
}

// mismatch returns how a variable is declared that cannot hold a value of the type, or "".
func (t Type) mismatch(v *isa.Var, addressSize int) string {
	have, want := v.Size(), t.size(addressSize)
	float := v.Type.Class() == isa.Float && !v.Array
	switch {
	case have != want && !(t == I16 && have == 4):
		return fmt.Sprintf("with %d bytes", have)
	case float && t != F32 && t != F64, !float && v.Type.IsInt() && v.Type.Class() != isa.Untyped && !v.Array && (t == F32 || t == F64):
		return "." + v.Type.String()
	}
	return ""
}

func (t Type) size(addressSize int) int64 {
	if t == Pointer {
		return int64(addressSize / 8)
	}
	return types[t].bytes
}

// Mismatch returns why a call that passes values of these numbers of bytes does not match f, or "".
func (f *Func) Mismatch(args, results []int64, addressSize int) string {
	for _, c := range []struct {
		what string
		have []int64
		want []Type
	}{{"argument", args, f.Params}, {"result", results, f.Results}} {
		if len(c.have) != len(c.want) {
			return fmt.Sprintf("%d %ss; the function has %d", len(c.have), c.what, len(c.want))
		}
		for i, n := range c.have {
			if want := c.want[i].size(addressSize); n < want {
				return fmt.Sprintf("%s %d has %d bytes; the function's has %d", c.what, i+1, n, want)
			}
		}
	}
	return ""
}

// assemble makes the PTX function for a declaration. Its position is that of the declaration, because no file has its
// text. In PTX that was compiled, which is no file of the user's either, it is in libdevice, by number of the
// instruction.
func (f *Func) assemble(decl *isa.Func, addressSize int, target string) (*Provided, error) {
	mod, err := asm.Parse(decl.Name, []byte(f.text(decl, addressSize, target)))
	if err != nil {
		panic(fmt.Sprintf("simtrun bug: %s of libdevice does not assemble: %v", f.Name, err))
	}
	p := &Provided{PTX: mod.Func(f.Name)}
	at := func(pc int) isa.Pos {
		if decl.Debug == nil {
			return decl.Pos
		}
		return isa.LibdevicePos(decl.Name, pc)
	}
	p.PTX.Pos, p.PTX.End = at(0), at(len(p.PTX.Code))
	for i := range p.PTX.Code {
		p.PTX.Code[i].Pos = at(i)
	}
	for _, fn := range mod.Funcs {
		if fn != p.PTX {
			p.Inner = append(p.Inner, fn)
			p.Served = append(p.Served, Lookup(fn.Name))
		}
	}
	return p, nil
}

// temporaries are the registers that bodies may use in addition to their parameters and r, the result.
const temporaries = ".reg .pred p, q; .reg .b16 h; .reg .b32 t, u; .reg .b64 w, v; .reg .f32 x, y, z; .reg .f64 xd, yd, zd;\n"

// text returns the source of a function with a body, and of the functions that it calls.
func (f *Func) text(decl *isa.Func, addressSize int, target string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.4\n.target sm_90\n.address_size %d\n", addressSize)
	pointer := fmt.Sprintf("u%d", addressSize)
	body := strings.NewReplacer("PTR", pointer, "ARCH", arch(target)).Replace(f.body)
	for _, inner := range functions() {
		if inner.inner() && strings.Contains(body, inner.Name+",") {
			b.WriteString(inner.declaration())
		}
	}
	results := ""
	for _, v := range decl.Returns {
		results = fmt.Sprintf("(.param .b%d result) ", 8*v.Size())
	}
	var params []string
	for i, v := range decl.Params {
		params = append(params, fmt.Sprintf(".param .b%d param%d", 8*v.Size(), i))
	}
	fmt.Fprintf(&b, ".func %s%s(%s)\n{\n%s", results, f.Name, strings.Join(params, ", "), temporaries)
	for i, t := range f.Params {
		name := string(rune('a' + i))
		reg, load := types[t].reg, types[t].reg
		switch t {
		case Pointer:
			reg, load = pointer, pointer
		case I16:
			load = "u16"
		}
		fmt.Fprintf(&b, ".reg .%s %s; ld.param.%s %s, [param%d];\n", reg, name, load, name, i)
	}
	for _, t := range f.Results {
		fmt.Fprintf(&b, ".reg .%s r;\n", types[t].reg)
	}
	b.WriteString(body)
	for i, t := range f.Results {
		store := types[t].reg
		if t == I16 {
			store = fmt.Sprintf("b%d", 8*decl.Returns[i].Size())
		}
		fmt.Fprintf(&b, "\nst.param.%s [result], r;", store)
	}
	b.WriteString("\nret;\n}\n")
	return b.String()
}

// declaration declares a function that bodies call: its parameters and results are registers.
func (f *Func) declaration() string {
	regs := func(ts []Type, name string) string {
		var all []string
		for i, t := range ts {
			all = append(all, fmt.Sprintf(".reg .%s %s%d", types[t].reg, name, i))
		}
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf(".extern .func (%s) %s(%s);\n", regs(f.Results, "r"), f.Name, regs(f.Params, "a"))
}

// arch returns the value of __CUDA_ARCH__ for a target: 900 for sm_90a; 0 for none.
func arch(target string) string {
	digits := ""
	if _, after, ok := strings.Cut(target, "sm_"); ok {
		n := len(after) - len(strings.TrimLeft(after, "0123456789"))
		digits = after[:n]
	}
	if digits == "" {
		return "0"
	}
	return digits + "0"
}
