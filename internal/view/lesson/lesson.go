// Package lesson has the lessons of the explorer: kernels to change, each with a question that a view answers and with
// goals that are checked by the figures of a run.
//
// A lesson is a Markdown file. Its first line is the title, of the second paragraph each line is a property, and the
// kernel, PTX with a run header, is a block of code:
//
//	# Bank conflicts
//
//	- views: memory figures
//	- find: access
//	- goal: shared_excess_wavefronts == 0
//
// A last block of code, a diff without context, makes a solution of the kernel: lines with - are replaced by those with
// + that follow them.
//
// The properties are views, those that are open; warp and find, where the lesson begins; timed, for a clock; expect, an
// expectation on memory in the words of run headers; and goal, a metric with ==, <= or >= and a number.
package lesson

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.md
var files embed.FS

// Lesson is a lesson.
type Lesson struct {
	Name    string // of its file, without the number
	Title   string
	Text    []string // paragraphs; code is between backquotes
	Views   []string
	Warp    int64
	Find    string // as view.Seek.Find
	Timed   bool
	Expects []string
	Goals   []Goal
	Kernel  string // PTX with a run header
	Solved  string // the kernel with a solution
}

// Goal is a condition on a metric of the launch.
type Goal struct {
	Metric, Sign string // the sign is ==, <= or >=
	Number       float64
}

// String returns the goal as it is written.
func (g Goal) String() string {
	return g.Metric + " " + g.Sign + " " + strconv.FormatFloat(g.Number, 'f', -1, 64)
}

// Met reports whether the goal holds for a value of the metric.
func (g Goal) Met(v float64) bool {
	switch g.Sign {
	case "<=":
		return v <= g.Number
	case ">=":
		return v >= g.Number
	}
	return v == g.Number
}

// All returns the lessons in their order.
var All = sync.OnceValue(func() (all []Lesson) {
	list, err := files.ReadDir(".")
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	for _, one := range list {
		text, err := files.ReadFile(one.Name())
		if err != nil {
			panic("simtrun bug: " + err.Error())
		}
		l, err := parse(one.Name(), string(text))
		if err != nil {
			panic("simtrun bug: " + one.Name() + ": " + err.Error())
		}
		all = append(all, *l)
	}
	return all
})

// Find returns the lesson with a name; nil if there is none.
func Find(name string) *Lesson {
	all := All()
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

const fence = "\n```"

// parse reads a lesson from its file.
func parse(file, text string) (*Lesson, error) {
	_, name, _ := strings.Cut(strings.TrimSuffix(file, ".md"), "-")
	l := &Lesson{Name: name}
	prose, rest, ok := strings.Cut(text, fence+"ptx\n")
	kernel, rest, closed := strings.Cut(rest, fence)
	_, diff, solved := strings.Cut(rest, fence+"diff\n")
	diff, _, _ = strings.Cut(diff, fence)
	l.Kernel = kernel + "\n"
	paragraphs := strings.Split(strings.TrimSpace(prose), "\n\n")
	if !ok || !closed || !solved || len(paragraphs) < 3 || !strings.HasPrefix(paragraphs[0], "# ") {
		return nil, fmt.Errorf("it needs a title, properties, text, a kernel and a solution")
	}
	l.Title = paragraphs[0][2:]
	for line := range strings.Lines(paragraphs[1]) {
		key, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- "), ": ")
		if err := l.set(key, value); err != nil {
			return nil, err
		}
	}
	for _, p := range paragraphs[2:] {
		l.Text = append(l.Text, strings.Join(strings.Fields(p), " "))
	}
	var err error
	l.Solved, err = patched(l.Kernel, diff)
	return l, err
}

// patched returns a text with the changes of a diff without context.
func patched(text, diff string) (string, error) {
	var from, to strings.Builder
	apply := func() error {
		if from.Len() > 0 && strings.Count(text, from.String()) != 1 {
			return fmt.Errorf("the kernel does not have once: %s", from.String())
		}
		text = strings.Replace(text, from.String(), to.String(), 1)
		from.Reset()
		to.Reset()
		return nil
	}
	for line := range strings.Lines(diff + "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			to.WriteString(line[1:])
			continue
		case to.Len() > 0:
			if err := apply(); err != nil {
				return "", err
			}
		}
		if strings.HasPrefix(line, "-") {
			from.WriteString(line[1:])
		}
	}
	return text, apply()
}

// set sets a property.
func (l *Lesson) set(key, value string) (err error) {
	switch key {
	case "views":
		l.Views = strings.Fields(value)
	case "warp":
		l.Warp, err = strconv.ParseInt(value, 10, 64)
	case "find":
		l.Find = value
	case "timed":
		l.Timed, err = strconv.ParseBool(value)
	case "expect":
		l.Expects = append(l.Expects, value)
	case "goal":
		words := strings.Fields(value)
		if len(words) != 3 || !strings.Contains("== <= >=", words[1]) {
			return fmt.Errorf("goal %q", value)
		}
		g := Goal{Metric: words[0], Sign: words[1]}
		g.Number, err = strconv.ParseFloat(words[2], 64)
		l.Goals = append(l.Goals, g)
	default:
		err = fmt.Errorf("no property %q", key)
	}
	return err
}
