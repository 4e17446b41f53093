package load_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/lesson"
	"github.com/simtrun/simtrun/internal/view/load"
)

// TestLessonsAreSolvedBySolutionsOnly opens each lesson as it begins, with its solution, and with a solution that does
// nothing.
func TestLessonsAreSolvedBySolutionsOnly(t *testing.T) {
	s := view.New(view.Config{Load: load.Text, Text: load.Text})
	list := s.Answer(t.Context(), &view.Request{Version: view.Version, Lessons: &view.LessonsOf{}}).Lessons.Lessons
	if len(list) != 12 {
		t.Errorf("%d lessons, want 12", len(list))
	}
	open := func(o view.Open) *view.Opened {
		t.Helper()
		a := s.Answer(t.Context(), &view.Request{Version: view.Version, Open: &o})
		if a.Error != "" || a.Opened.Failure != "" || a.Opened.Limited != "" || len(a.Opened.Launches) != 1 {
			t.Fatalf("%s: %s %+v", o.Lesson, a.Error, a.Opened)
		}
		return a.Opened
	}
	for _, l := range list {
		begun, solved := open(view.Open{Lesson: l.Name}), open(view.Open{Lesson: l.Name, Solved: true})
		for i, g := range solved.Goals {
			if !g.Met || g.Text != l.Goals[i] || begun.Goals[i].Text != g.Text {
				t.Errorf("%s: with the solution, %s: it is %s", l.Name, g.Text, g.Got)
			}
		}
		if !slices.ContainsFunc(begun.Goals, func(g view.Goal) bool { return !g.Met }) || begun.Timed != l.Timed {
			t.Errorf("%s: it begins solved, or with a clock: %v", l.Name, begun.Timed)
		}
		text := lesson.Find(l.Name).Solved
		head, rest, _ := strings.Cut(text, ")\n")
		_, rest, _ = strings.Cut(rest, "{\n")
		if !strings.Contains(rest, "ret;") {
			t.Fatalf("%s: the kernel has no body", l.Name)
		}
		if idle := open(view.Open{Lesson: l.Name, Text: new(head + ")\n{\n    ret;\n}\n")}); !slices.ContainsFunc(idle.Goals, func(g view.Goal) bool { return !g.Met }) {
			t.Errorf("%s: a kernel that does nothing solves it", l.Name)
		}
	}
	if a := s.Answer(t.Context(), &view.Request{Version: view.Version, Open: &view.Open{Lesson: "none"}}); !strings.Contains(a.Error, "no lesson") {
		t.Errorf("%+v", a)
	}
}
