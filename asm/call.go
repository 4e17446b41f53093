package asm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// funcType is the types of a function's parameters and results.
type funcType struct {
	returns, params []*isa.Var
}

func typeOf(f *isa.Func) funcType { return funcType{f.Returns, f.Params} }

// String returns t without names, as in "(.b64, .b8[16]) -> (.b32)".
func (t funcType) String() string {
	text := formalsText(t.params)
	if len(t.returns) > 0 {
		text += " -> " + formalsText(t.returns)
	}
	return text
}

func formalsText(formals []*isa.Var) string {
	var texts []string
	for _, v := range formals {
		texts = append(texts, formalText(v))
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// formalText returns the type of a parameter, and its space if that is unusual.
func formalText(v *isa.Var) string {
	var b strings.Builder
	if v.Space == isa.RegSpace {
		b.WriteString(".reg ")
	}
	if v.Vec > 1 {
		fmt.Fprintf(&b, ".v%d ", v.Vec)
	}
	b.WriteString("." + v.Type.String())
	switch {
	case v.Array && v.Count == 0:
		b.WriteString("[]")
	case v.Array:
		fmt.Fprintf(&b, "[%d]", v.Count)
	}
	return b.String()
}

// agrees reports whether t and u pass the same values: equally many, in the same spaces and of the same sizes.
func (t funcType) agrees(u funcType) bool {
	alike := func(v, w *isa.Var) bool {
		return v.Space == w.Space && v.Size() == w.Size() && (v.Type == isa.Pred) == (w.Type == isa.Pred)
	}
	return slices.EqualFunc(t.params, u.params, alike) && slices.EqualFunc(t.returns, u.returns, alike)
}

// notAFunction returns why a word with the meaning e cannot be called.
func (b *bodyAssembler) notAFunction(t *lexer.Token, e *entity) *isa.Error {
	pos := position(t.Pos)
	switch {
	case e == nil:
		var names []string
		for _, name := range slices.Sorted(maps.Keys(b.symbols)) {
			if e := b.symbols[name]; e.kind == functionEntity && !e.f.Entry {
				names = append(names, name)
			}
		}
		return isa.Errorf(pos, "function %s is not declared%s", t.Value, instead(t.Value, names))
	case e.kind == functionEntity:
		return isa.Errorf(pos, "%s is a kernel; only a .func can be called", t.Value)
	}
	return isa.Errorf(pos, "%s is not a function", t.Value)
}

// call reads (results), function, (arguments), prototype. Only the function is mandatory.
func (b *bodyAssembler) call(c *cursor, in *isa.Instr) *isa.Error {
	in.Call = new(isa.Call)
	var err *isa.Error
	if c.peek().Type == '(' {
		if in.Call.Rets, err = b.callOperands(c, in); err != nil {
			return err
		}
		if err := c.expect(',', "a comma"); err != nil {
			return err
		}
	}
	if t := c.peek(); t.Type == wordToken && isIntrinsic(t.Value) && b.lookup(t.Value) == nil {
		in.Later = t.Value + ", which only OptiX defines, is not supported yet"
		return nil
	}
	target, err := b.callee(c)
	if err != nil {
		return err
	}
	in.Args = []isa.Operand{target}
	more := c.accept(',')
	if more && c.peek().Type == '(' {
		if in.Call.Args, err = b.callOperands(c, in); err != nil {
			return err
		}
		more = c.accept(',')
	}
	if more {
		if in.Call.Proto, err = b.prototypeName(c, &target); err != nil {
			return err
		}
	}
	if !c.atEnd() {
		return c.unexpected("a comma or ;")
	}
	return nil
}

// isIntrinsic reports whether the name is that of a function of the driver's compiler for ray tracing. No file declares
// them.
func isIntrinsic(name string) bool {
	return strings.HasPrefix(name, "_optix_") || strings.HasPrefix(name, "_rt_")
}

// callee reads the called function or register.
func (b *bodyAssembler) callee(c *cursor) (isa.Operand, *isa.Error) {
	op := c.operand()
	t, err := c.word("a function or register")
	if err != nil {
		return op, err
	}
	switch e := b.lookup(t.Value); {
	case e != nil && e.kind == registerEntity:
		op.Kind, op.Reg = isa.RegOperand, b.use(e)
	case e != nil && e.kind == functionEntity && !e.f.Entry:
		op.Kind, op.Sym = isa.SymOperand, t.Value
	default:
		return op, b.notAFunction(t, e)
	}
	return op, nil
}

// callOperands reads the results or arguments of a call, in parentheses.
func (b *bodyAssembler) callOperands(c *cursor, in *isa.Instr) ([]isa.Operand, *isa.Error) {
	c.next()
	var ops []isa.Operand
	for !c.accept(')') {
		op, err := b.operand(c, in, nil)
		if err != nil {
			return nil, err
		}
		if op.Kind == isa.VecOperand {
			ops = append(ops, op.Elems...) // like parameters that are vectors
		} else {
			ops = append(ops, op)
		}
		if !c.accept(',') && c.peek().Type != ')' {
			return nil, c.unexpected("a comma or )")
		}
	}
	return ops, nil
}

// prototypeName reads the label of the prototype of an indirect call.
func (b *bodyAssembler) prototypeName(c *cursor, target *isa.Operand) (string, *isa.Error) {
	t, err := c.word("arguments in ( ) or a prototype")
	if err != nil {
		return "", err
	}
	switch e := b.lookup(t.Value); {
	case e != nil && e.kind == registerEntity:
		return "", isa.Errorf(position(t.Pos), "found %s; arguments are in parentheses, as in call f, (%s)", t.Value, t.Value)
	case e == nil || e.kind != prototypeEntity:
		return "", isa.Errorf(position(t.Pos), "no .callprototype or .calltargets %s here%s", t.Value, instead(t.Value, b.scope.namesOf(prototypeEntity)))
	case target.Kind == isa.SymOperand:
		return "", isa.Errorf(position(t.Pos), "prototype %s for %s, which is called by its name; only a call through a register takes one", t.Value, target.Sym)
	default:
		return e.name, nil
	}
}

// checkCall compares the arguments and results of a call with its function or, for an indirect call, with the
// prototype. It converts constants to the types of their parameters.
func (b *bodyAssembler) checkCall(in *isa.Instr) *isa.Error {
	name, t := in.Args[0].Sym, funcType{}
	if in.Indirect() {
		name = in.Call.Proto
		t = b.types[name]
	} else {
		t = typeOf(b.symbols[name].f)
	}
	switch args, rets := len(in.Call.Args), len(in.Call.Rets); {
	case args != len(t.params):
		return isa.Errorf(in.Pos, "call with %s; %s takes %s", count(args, "argument"), name, formalsText(t.params))
	case rets != len(t.returns):
		return isa.Errorf(in.Pos, "call with %s; %s returns %s", count(rets, "result"), name, formalsText(t.returns))
	}
	for i := range t.params {
		a := &in.Call.Args[i]
		fitFloat(a, t.params[i].Type)
		if msg := b.checkCallOperand(a, t.params[i], false); msg != "" {
			return isa.Errorf(in.PosOf(a), "call: argument %d %s; %s takes %s", i+1, msg, name, formalText(t.params[i]))
		}
	}
	for i := range t.returns {
		a := &in.Call.Rets[i]
		if msg := b.checkCallOperand(a, t.returns[i], true); msg != "" {
			return isa.Errorf(in.PosOf(a), "call: result %d %s; %s returns %s", i+1, msg, name, formalText(t.returns[i]))
		}
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// checkCallOperand returns the error in one argument or result of a call, or "".
func (b *bodyAssembler) checkCallOperand(a *isa.Operand, formal *isa.Var, result bool) string {
	size := formal.Size()
	switch a.Kind {
	case isa.SymOperand:
		v := b.vars[a.Sym]
		switch {
		case v == nil || v.Space != isa.Param || a.Bits != 0:
			return "is an address, not a register or .param variable"
		case b.f.Entry && slices.Contains(b.f.Params, v):
			return "is a parameter of the kernel, not a .param variable of its body"
		case v.Size() != size && !(formal.Array && formal.Count == 0):
			return fmt.Sprintf("has %d bytes", v.Size())
		}
	case isa.RegOperand:
		// Registers of 8 bits are rare: values of 8 bits are in wider registers.
		r := b.f.Regs[a.Reg]
		fits := int64(r.Type.Bytes()) == size || size == 1 && r.Type.Bits() <= 32
		if a.Not || (r.Type == isa.Pred) != (formal.Type == isa.Pred) || !fits {
			return fmt.Sprintf("is a register of .%s", r.Type)
		}
	case isa.SinkOperand:
		if !result {
			return "is _, which can only stand for a result"
		}
	case isa.ImmOperand:
		if result || formal.Array || formal.Vec > 1 || formal.Type == isa.Pred {
			return "is a constant"
		}
		switch class := formal.Type.Class(); {
		case a.Lit == isa.IntLit && class == isa.Float,
			a.Lit == isa.F32Lit && (class == isa.Signed || class == isa.Unsigned || size != 4),
			a.Lit == isa.F64Lit && (class == isa.Signed || class == isa.Unsigned || size != 8):
			return "is " + a.Lit.Text(a.Bits)
		}
	default:
		return "is neither a register nor a .param variable"
	}
	return ""
}
