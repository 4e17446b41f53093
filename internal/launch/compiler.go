package launch

import "errors"

// CompilerLine has options of the compiler of CUDA C++, in their original spelling.
type CompilerLine struct {
	Text string
	At   Origin
}

// Compiler returns the layer's options of the compiler.
func (l *Layer) Compiler() []CompilerLine { return l.compiler }

// addCompiler keeps options, which only the command understands.
func (l *Layer) addCompiler(text string, at Origin) error {
	if text == "" {
		return errors.New("no options; expected cc -DN=4 -O0")
	}
	l.compiler = append(l.compiler, CompilerLine{text, at})
	return nil
}

// Wrap adds the line's position to an error about it.
func (c CompilerLine) Wrap(err error) error { return c.At.wrap(err) }
