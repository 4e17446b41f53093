package asm

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// instruction assembles one statement and checks it against its row.
func (b *bodyAssembler) instruction(tokens []lexer.Token) {
	b.f.Code = append(b.f.Code, isa.Instr{})
	in := &b.f.Code[len(b.f.Code)-1]
	err := b.assemble(&cursor{tokens: tokens, constants: b.constants, scope: b.scope}, in)
	if err == nil && in.Later == "" {
		err = in.Check(b)
	}
	if err != nil && in.Spec != nil {
		if unended := unendedStatement(tokens); unended != nil {
			err = unended
		}
	}
	if err == nil && in.Call != nil {
		err = b.checkCall(in)
	}
	if err != nil {
		in.Spec = nil
		b.failed(tokens)
	}
	b.errs.add(err)
}

func (b *bodyAssembler) assemble(c *cursor, in *isa.Instr) *isa.Error {
	guard, not, err := b.guard(c)
	if err != nil {
		return err
	}
	opcode := c.at
	if *in, err = b.mnemonic(c); err != nil {
		return err
	}
	in.Guard, in.GuardNot = guard, not
	switch {
	case in.Later != "":
	case in.Spec.Kind == isa.CallKind:
		err = b.call(c, in)
	default:
		err = b.operands(c, in)
		if in.Later == "" {
			in.NarrowSpecial()
		}
	}
	if err != nil {
		return err
	}
	if in.Later != "" {
		in.Args, in.Call = nil, nil
		in.Raw, err = b.raw(c.tokens[opcode:])
	}
	return err
}

// guard reads @p or @!p.
func (b *bodyAssembler) guard(c *cursor) (reg isa.RegID, not bool, err *isa.Error) {
	if !c.accept('@') {
		return isa.NoReg, false, nil
	}
	not = c.accept('!')
	t := c.peek()
	if t.Type != wordToken {
		return isa.NoReg, not, c.unexpected("a predicate register for the guard")
	}
	c.next()
	switch e := b.lookup(t.Value); {
	case e == nil:
		return isa.NoReg, not, b.undeclared(t)
	case e.kind != registerEntity:
		return isa.NoReg, not, isa.Errorf(position(t.Pos), "guard %s is not a register", t.Value)
	default:
		return b.use(e), not, nil
	}
}

// mnemonic reads an opcode with its suffixes, which may be separated by blanks.
func (b *bodyAssembler) mnemonic(c *cursor) (isa.Instr, *isa.Error) {
	t := c.peek()
	if t.Type != wordToken {
		err := c.unexpected("an opcode")
		if t.Type == '!' && c.at > 0 {
			err.Msg += "; a guard is negated before its register, as in @!%p1"
		}
		return isa.Instr{}, err
	}
	c.next()
	name := t.Value
	for c.peek().Type == directiveToken {
		name += c.next().Value
	}
	r := b.resolve(name)
	in := r.in
	in.Pos, in.Loc, in.Inlined = position(t.Pos), b.loc, b.inlined
	if r.msg != "" {
		return in, b.badMnemonic(t, c.peek(), name, r.msg)
	}
	return in, nil
}

func (b *bodyAssembler) resolve(mnemonic string) resolved {
	r, ok := b.mnemonics[mnemonic]
	if !ok {
		r.in, r.msg = b.dialect.Resolve(mnemonic)
		if r.msg == "" && r.in.Later == "" && b.singles && (r.in.Types[0] == isa.F64 || r.in.Types[1] == isa.F64) {
			r.in.Later = mnemonic + " with single precision, as map_f64_to_f32 has it, is not supported yet"
		}
		b.mnemonics[strings.Clone(mnemonic)] = r
	}
	return r
}

// operands reads the operands in the order of the row's formals: d|q sets both, and d alone omits q.
func (b *bodyAssembler) operands(c *cursor, in *isa.Instr) *isa.Error {
	if c.atEnd() {
		return nil
	}
	formals := in.Spec.Formals()
	var buffer [8]isa.Operand
	args := buffer[:0]
	for paired := false; ; {
		if formal := formalAt(formals, len(args)); !paired && formal != nil && formal.Name == 'q' {
			args = append(args, c.operand()) // d without |q
		}
		op, err := b.operand(c, in, formalAt(formals, len(args)))
		if err != nil {
			return err
		}
		args = append(args, op)
		pos := c.pos()
		paired = c.accept('|')
		switch second := formalAt(formals, len(args)); {
		case paired && (second == nil || second.Name != 'q'):
			return isa.Errorf(pos, "%s has no second result; it takes %s", in.Mnemonic(), in.Spec.FormText())
		case paired || c.accept(','):
		case c.atEnd():
			in.Args = b.keep(args)
			return nil
		default:
			return c.unexpected("a comma or ;")
		}
	}
}

// keep copies args into the arena: many operands share one allocation.
func (a *assembler) keep(args []isa.Operand) []isa.Operand {
	if cap(a.arena)-len(a.arena) < len(args) {
		a.arena = make([]isa.Operand, 0, max(min(2*cap(a.arena), 4096), 64, len(args)))
	}
	start := len(a.arena)
	a.arena = append(a.arena, args...)
	return a.arena[start:len(a.arena):len(a.arena)]
}

// formalAt returns formal i of a row, nil if it has fewer.
func formalAt(formals []isa.Formal, i int) *isa.Formal {
	if i >= len(formals) {
		return nil
	}
	return &formals[i]
}

// operand reads one operand. The formal, nil if the row has no more, determines what a name can mean and the type of
// a float constant.
func (b *bodyAssembler) operand(c *cursor, in *isa.Instr, formal *isa.Formal) (isa.Operand, *isa.Error) {
	op := c.operand()
	t := c.peek()
	switch {
	case formal != nil && formal.Kind == isa.Image:
		return b.image(c, in)
	case formal != nil && formal.Kind == isa.TensorAt:
		return b.tensor(c, in)
	case t.Type == '[':
		err := b.address(c, in, &op)
		return op, err
	case t.Type == '{':
		err := b.vector(c, in, formal, &op)
		if err == nil && isVector(formal) && len(op.Elems) == 1 && in.Mods.VecLen() == 1 {
			op = op.Elems[0]
		}
		return op, err
	case t.Type == '!' && c.isName(c.peekAfter()):
		c.next()
		op.Not = true
		t = c.peek()
	case t.Type == '-' && formal != nil && formal.Negates && c.isName(c.peekAfter()):
		c.next()
		op.Neg = true
		t = c.peek()
	}
	if c.isName(t) {
		err := b.name(c, in, formal, &op)
		if err == nil && op.Kind == isa.RegOperand && isVector(formal) && !formal.Result && in.Spec.Kind == isa.Store {
			err = b.addend(c, &op)
		}
		return op, err
	}
	if t.Type == ',' || t.Type == ';' {
		return op, c.unexpected("an operand")
	}
	v, err := c.constant()
	if err != nil {
		return op, err
	}
	op.Kind, op.Lit, op.Bits = isa.ImmOperand, v.lit, v.bits
	op.Hex = isHex(t) && c.isBehind(t)
	if formal != nil {
		fitFloat(&op, formal.Type(in.Types, in.Mods))
	}
	return op, nil
}

// isVector reports whether a formal, which may be nil, takes vectors. For other formals, { } may enclose a single
// element.
func isVector(formal *isa.Formal) bool {
	return formal != nil && (formal.Kind == isa.Vector || formal.Kind == isa.Four)
}

// addend reads +n or -n after a register with the value to store.
func (b *bodyAssembler) addend(c *cursor, op *isa.Operand) (err *isa.Error) {
	pos := c.pos()
	if op.Bits, err = c.offset(); err != nil || op.Bits == 0 {
		return err
	}
	if r := b.f.Regs[op.Reg]; r.Type == isa.Pred || r.Type == isa.B128 || r.Type.Class() == isa.Float {
		return isa.Errorf(pos, "%s is .%s; a constant can only be added to an integer", r.Name, r.Type)
	}
	return nil
}

// fitFloat rounds a float constant to the precision of its operand.
func fitFloat(op *isa.Operand, t isa.Type) {
	v := constant{lit: op.Lit, bits: op.Bits}
	switch {
	case op.Lit == isa.F64Lit && t == isa.F32:
		op.Lit = isa.F32Lit
		op.Bits, _ = initBits(v, isa.F32)
	case op.Lit == isa.F32Lit && t == isa.F64:
		op.Lit = isa.F64Lit
		op.Bits, _ = initBits(v, isa.F64)
	}
}

// name reads a register, special register, label, or variable with an offset.
func (b *bodyAssembler) name(c *cursor, in *isa.Instr, formal *isa.Formal, op *isa.Operand) *isa.Error {
	t := c.next()
	if t.Value == "_" {
		op.Kind = isa.SinkOperand
		return nil
	}
	e := b.lookup(t.Value)
	if e == nil {
		if base, selector, ok := cutSelector(t.Value); ok && formal != nil && formal.Select != isa.SelectNothing {
			word := *t
			word.Value, op.Select = base, selector
			t = &word
			e = b.lookup(base)
		}
	}
	if e == nil {
		return b.unknown(t, in, formal, op)
	}
	switch e.kind {
	case registerEntity:
		op.Kind, op.Reg = isa.RegOperand, b.use(e)
	case vectorEntity:
		op.Kind = isa.VecOperand
		for _, elem := range e.elems {
			op.Elems = append(op.Elems, isa.Operand{Kind: isa.RegOperand, Reg: b.use(elem), Line: op.Line, Col: op.Col})
		}
	case labelEntity:
		op.Kind, op.Bits = isa.LabelOperand, uint64(e.label)
	case targetsEntity:
		op.Kind, op.Sym, op.Elems = isa.TableOperand, e.name, e.targets
	case prototypeEntity:
		return isa.Errorf(in.PosOf(op), "%s is a prototype; only a call can have one", t.Value)
	default:
		op.Kind, op.Sym = isa.SymOperand, e.symbol(t.Value)
		index, indexed, err := c.index(t, e)
		if err != nil {
			return err
		}
		if indexed && formal != nil && formal.Kind == isa.Address {
			op.Kind = isa.AddrOperand // the brackets of the index are those of the address
		}
		op.Bits, err = c.offset()
		op.Bits += index
		return err
	}
	return nil
}

// cutSelector cuts the selector off a register such as %r1.b0.
func cutSelector(word string) (base string, selector isa.Selector, ok bool) {
	dot := strings.LastIndexByte(word, '.')
	if dot < 0 {
		return "", 0, false
	}
	selector, ok = isa.ParseSelector(word[dot+1:])
	return word[:dot], selector, ok
}

// index reads [n] after the name t of a variable (PTX ISA 6.4.2), and returns the offset of that element.
func (c *cursor) index(t *lexer.Token, e *entity) (offset uint64, indexed bool, err *isa.Error) {
	pos := c.pos()
	if c.peek().Type != '[' {
		return 0, false, nil
	}
	c.next()
	if e.v == nil || !e.v.Array || e.nested {
		return 0, true, isa.Errorf(pos, "%s is not an array of one dimension; it cannot have an index", t.Value)
	}
	if c.atName() {
		return 0, true, isa.Errorf(c.pos(), "index %s is not a constant; compute the address in a register", c.peek().Value)
	}
	v, err := c.constant()
	switch n := e.v.Count; {
	case err != nil:
		return 0, true, err
	case v.lit != isa.IntLit:
		return 0, true, isa.Errorf(pos, "an index is an integer, not a float")
	case n > 0 && v.bits > uint64(n): // the end of the array is an address, too
		return 0, true, isa.Errorf(pos, "index %d of %s, which has %s", int64(v.bits), t.Value, count(int(n), "element"))
	}
	return v.bits * uint64(e.v.Type.Bytes()*e.v.Vec), true, c.expect(']', "] after the index")
}

// symbol returns the unique name of a variable or function.
func (e *entity) symbol(name string) string {
	if e.name != "" {
		return e.name
	}
	return name // of the module
}

// unknown sets the operand for a name that is not declared: a special register, or an error.
func (b *bodyAssembler) unknown(t *lexer.Token, in *isa.Instr, formal *isa.Formal, op *isa.Operand) *isa.Error {
	special, known := isa.SpecialByName(t.Value)
	vector, isVector := isa.SpecialVector(t.Value)
	switch {
	case isVector:
		op.Kind, op.Special, op.Elems = isa.VecOperand, vector, vectorElements(vector)
		return nil
	case special != isa.NoSpecial:
		op.Kind, op.Special = isa.SpecialOperand, special
		return nil
	case isa.IsFourthElement(t.Value):
		op.Kind = isa.ImmOperand
		return nil
	case known:
		in.Later = t.Value + " is not supported yet"
		return nil
	case b.mayBeNewSpecial(t.Value):
		in.Later = b.dialect.NotYet(t.Value)
		return nil
	case formal != nil && formal.Kind == isa.Target:
		if f := b.ownerOf(t.Value); f != "" {
			return isa.Errorf(position(t.Pos), "no label %s here; %s has one, and a branch stays in its function", t.Value, f)
		}
		return isa.Errorf(position(t.Pos), "no label %s here%s", t.Value, instead(t.Value, b.scope.namesOf(labelEntity)))
	case formal != nil && formal.Kind == isa.Table:
		return isa.Errorf(position(t.Pos), "no .branchtargets %s here%s", t.Value, instead(t.Value, b.scope.namesOf(targetsEntity)))
	}
	if base, _, ok := cutSelector(t.Value); ok && b.lookup(base) != nil && in.Spec != nil && (formal == nil || formal.Select == isa.SelectNothing) {
		return isa.Errorf(position(t.Pos), "%s is not declared; %s takes no selectors here: sources and results of video instructions do", t.Value, in.Mnemonic())
	}
	return b.undeclared(t)
}

// vectorElements returns x, y and z of a special register, and a fourth element that is 0.
func vectorElements(first isa.Special) []isa.Operand {
	elems := make([]isa.Operand, 4)
	for i := range elems {
		elems[i] = isa.Operand{Kind: isa.SpecialOperand, Special: first + isa.Special(i), Reg: isa.NoReg}
	}
	elems[3] = isa.Operand{Kind: isa.ImmOperand, Reg: isa.NoReg}
	return elems
}

// vector reads {a, b, _, 1}.
func (b *bodyAssembler) vector(c *cursor, in *isa.Instr, formal *isa.Formal, op *isa.Operand) *isa.Error {
	op.Kind = isa.VecOperand
	c.next()
	for !c.accept('}') {
		if t := c.peek(); t.Type == '{' || t.Type == '[' {
			return c.unexpected("a register or constant")
		}
		elem, err := b.operand(c, in, formal)
		if err != nil {
			return err
		}
		op.Elems = append(op.Elems, elem)
		if !c.accept(',') && c.peek().Type != '}' {
			return c.unexpected("a comma or }")
		}
	}
	return nil
}

// address reads [register+offset], [variable+offset] or [constant].
func (b *bodyAssembler) address(c *cursor, in *isa.Instr, op *isa.Operand) *isa.Error {
	op.Kind = isa.AddrOperand
	c.next()
	t := c.peek()
	var err *isa.Error
	if c.isName(t) {
		var base isa.Operand
		if err = b.name(c, in, nil, &base); err != nil {
			return err
		}
		switch base.Kind {
		case isa.RegOperand:
			op.Reg = base.Reg
			plus, number := c.peek(), c.peekAfter()
			op.Bits, err = c.offset()
			op.Hex = plus.Type == '+' && isHex(number) && c.isBehind(number)
		case isa.SymOperand:
			op.Sym, op.Bits = base.Sym, base.Bits
		case isa.NoOperand: // an unsupported special register
		default:
			return isa.Errorf(position(t.Pos), "%s is neither a register nor a variable; it cannot be an address", t.Value)
		}
	} else if t.Type == '[' {
		return c.unexpected("a register, a variable or a constant; an address that is in memory is loaded in an instruction before")
	} else {
		var v constant
		v, err = c.constant()
		if err == nil && v.lit != isa.IntLit {
			err = isa.Errorf(position(t.Pos), "an address is an integer, not a float")
		}
		op.Bits, op.Hex = v.bits, isHex(t) && c.isBehind(t)
	}
	switch t := c.peek(); {
	case err != nil:
	case t.Type == '*' || t.Type == '<':
		err = isa.Errorf(position(t.Pos), "found %s; an offset is a constant: compute the address in an instruction before, as with mad.wide.u32", t.Value)
	default:
		err = c.expect(']', "] after the address")
	}
	// .unified is a hint about the variable, without effect here (PTX ISA, ld).
	if next := c.peek(); err == nil && next.Type == directiveToken && next.Value == ".unified" && in.Spec != nil && in.Spec.Kind == isa.Load {
		c.next()
	}
	return err
}

// offset reads +n and -n after a register or variable, any number of them.
func (c *cursor) offset() (uint64, *isa.Error) {
	total := uint64(0)
	for {
		op := c.peek()
		if op.Type != '+' && op.Type != '-' {
			return total, nil
		}
		c.next()
		if t := c.peek(); c.isName(t) {
			return 0, isa.Errorf(position(t.Pos), "found %s; an offset is a constant: add %s to the address in an instruction before", t.Value, t.Value)
		}
		v, err := c.binary(additive + 1)
		switch {
		case err != nil && c.atName():
			return 0, isa.Errorf(c.pos(), "found %s; an offset is a constant: compute the address in an instruction before, as with mad.wide.u32", c.peek().Value)
		case err != nil:
			return 0, err
		case v.lit != isa.IntLit:
			return 0, isa.Errorf(position(op.Pos), "an offset is an integer, not a float")
		case op.Type == '+':
			total += v.bits
		default:
			total -= v.bits
		}
	}
}
