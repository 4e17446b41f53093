package launch

import (
	"errors"
	"fmt"
	"strings"
)

// dump is a dumpLine that has been resolved to its buffer.
type dump struct {
	process int // number
	object  *object
	elem    Elem
	count   int64
}

// save is a saveLine that has been resolved to its buffer.
type save struct {
	process int // number
	object  *object
	path    string
}

// check reports whether the file can hold the buffer.
func (s *save) check() error {
	o := s.object
	switch {
	case !s.isNpy():
		return nil
	case npyTypeOf(o.elem) == "":
		return fmt.Errorf("NumPy has no type for the %s of %s; without .npy the file has the raw bytes", o.elem, o.name)
	case o.size%int64(o.elem.Bytes()) != 0:
		return fmt.Errorf("the %d bytes of %s are not a whole number of %s; without .npy the file has the raw bytes", o.size, o.name, o.elem)
	}
	return nil
}

func (s *save) isNpy() bool { return strings.HasSuffix(s.path, npySuffix) }

// encode returns the content of the file for a buffer with data.
func (s *save) encode(data []byte) []byte {
	if s.isNpy() {
		return encodeNpy(s.object.elem, data)
	}
	return data
}

// addChecks resolves the dumps, saves and expectations.
func (p *Plan) addChecks(l *Layer) error {
	if err := l.checkLabels(p.mod); err != nil {
		return err
	}
	p.metrics, p.leftOut, p.Profile = l.metrics, l.leftOut, len(l.metrics) > 0
	for i := range l.dumps {
		if err := p.addDump(&l.dumps[i]); err != nil {
			return l.dumps[i].at.wrap(err)
		}
	}
	for i := range l.saves {
		if err := p.addSave(&l.saves[i]); err != nil {
			return l.saves[i].at.wrap(err)
		}
	}
	for i := range l.expects {
		if err := p.addExpectation(&l.expects[i]); err != nil {
			return l.expects[i].at.wrap(err)
		}
	}
	return nil
}

// addDump adds a dump for each process to which the line applies.
func (p *Plan) addDump(line *dumpLine) error {
	if line.ifFits && !p.isMeant(line.name) {
		return nil
	}
	d, err := p.dump(line)
	if err != nil {
		return err
	}
	processes, err := p.processesOf(line.owned)
	for _, d.process = range processes {
		p.dumps = append(p.dumps, d)
	}
	return err
}

// addSave adds a save of a buffer of one process.
func (p *Plan) addSave(line *saveLine) error {
	o, err := p.meant(line.name)
	if err != nil {
		return err
	}
	processes, err := p.processesOf(line.owned)
	if err != nil {
		return err
	}
	if len(processes) > 1 {
		return fmt.Errorf("each of the processes %s has a %s; PROCESS/%s is that of one", strings.Join(p.processes, ", "), o.name, o.name)
	}
	s := save{processes[0], o, line.path}
	p.saves = append(p.saves, s)
	return s.check()
}

// addExpectation adds an expectation for each process to which the line applies.
func (p *Plan) addExpectation(line *expectLine) error {
	if line.ifFits && !p.isMeant(line.name) {
		return nil
	}
	e, err := p.expectation(line)
	if err != nil {
		return err
	}
	processes, err := p.processesOf(line.owned)
	for _, e.process = range processes {
		e.label = p.qualified(e.process, e.object.name)
		p.expects = append(p.expects, e)
	}
	return err
}

func (p *Plan) dump(line *dumpLine) (dump, error) {
	o, err := p.meant(line.name)
	if err != nil {
		return dump{}, err
	}
	d := dump{object: o, elem: line.elem, count: line.count}
	if d.elem == 0 {
		d.elem = o.elem
	}
	switch has := o.count(d.elem); {
	case d.count < 0:
		d.count = has
	case d.count > has:
		return dump{}, o.tooSmall(d.count, d.elem)
	}
	return d, nil
}

func (o *object) tooSmall(elements int64, e Elem) error {
	msg := fmt.Sprintf("%s has %d bytes, %d elements of %s, not %d", o.name, o.size, o.count(e), e, elements)
	if elements == o.size && e.Bytes() > 1 {
		msg += "; elements are counted, not bytes"
	}
	return errors.New(msg)
}
