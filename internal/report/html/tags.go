package html

import g "maragu.dev/gomponents"

// The functions of package gomponents are inlined with a closure each, 300 to 850 bytes of machine code at every call.
// These are called.

//go:noinline
func el(name string, children ...g.Node) g.Node { return g.El(name, children...) }

//go:noinline
func attr(name, value string) g.Node { return g.Attr(name, value) }

//go:noinline
func words(text string) g.Node { return g.Text(text) }
