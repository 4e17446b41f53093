package asm

import (
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// prototype declares a .callprototype or .calltargets.
func (b *bodyAssembler) prototype(s *scope, st *statement) {
	p := &isa.Prototype{Pos: position(st.tokens[0].Pos)}
	e := &entity{kind: prototypeEntity}
	if !b.labelled(s, &st.tokens[0], e) {
		return
	}
	p.Name = e.name
	b.f.Protos = append(b.f.Protos, p)
	if st.proto == nil {
		b.errs.add(b.callTargets(p, &cursor{tokens: st.tokens, at: 3}))
	} else {
		p.Returns = b.parameters(b.f, st.proto.Returns)
		p.Params = b.parameters(b.f, st.proto.Params)
		for _, h := range st.proto.Hints {
			p.NoReturn = p.NoReturn || h.name.Value == ".noreturn"
		}
	}
	b.types[p.Name] = funcType{p.Returns, p.Params}
}

// callTargets reads the functions of a .calltargets, which must have one type.
func (b *bodyAssembler) callTargets(p *isa.Prototype, c *cursor) *isa.Error {
	return c.list(func() *isa.Error {
		t, err := c.word("a function")
		if err != nil {
			return err
		}
		e := b.symbols[t.Value]
		if e == nil || e.kind != functionEntity || e.f.Entry {
			return b.notAFunction(t, e)
		}
		if p.Targets == nil {
			p.Returns, p.Params = e.f.Returns, e.f.Params
		}
		if first := (funcType{p.Returns, p.Params}); !typeOf(e.f).agrees(first) {
			return isa.Errorf(position(t.Pos), "%s%s among functions of another type: %s%s", t.Value, typeOf(e.f), p.Targets[0], first)
		}
		p.Targets = append(p.Targets, t.Value)
		return nil
	})
}

// targetList is a .branchtargets, from its label on.
type targetList struct {
	scope  *scope
	entity *entity
	tokens []lexer.Token
}

// branchTargets reads the labels of a list: L1, L2 or L<3>, which means L0, L1, L2.
func (b *bodyAssembler) branchTargets(l targetList) *isa.Error {
	c := &cursor{tokens: l.tokens, at: 3}
	return c.list(func() *isa.Error {
		t, err := c.word("a label")
		if err != nil {
			return err
		}
		if !c.accept('<') {
			return l.add(t, t.Value)
		}
		count := c.peek()
		if err := c.expect(intToken, "a number of labels"); err != nil {
			return err
		}
		for i := range b.number(count, 1, 1<<31) {
			if err := l.add(t, t.Value+strconv.FormatUint(i, 10)); err != nil {
				return err
			}
		}
		return c.expect('>', ">")
	})
}

// add adds the label in t to the list.
func (l *targetList) add(t *lexer.Token, name string) *isa.Error {
	target := l.scope.lookup(name)
	if target == nil || target.kind != labelEntity {
		return isa.Errorf(position(t.Pos), "no label %s here%s", name, instead(name, l.scope.namesOf(labelEntity)))
	}
	l.entity.targets = append(l.entity.targets, isa.Operand{Kind: isa.LabelOperand, Reg: isa.NoReg, Bits: uint64(target.label), Line: int32(t.Pos.Line), Col: int32(t.Pos.Column)})
	return nil
}
