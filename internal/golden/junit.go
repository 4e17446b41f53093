package golden

import "github.com/simtrun/simtrun/internal/verdict"

// Suite returns the added cases as a test suite.
func (r *Report) Suite() verdict.Suite {
	suite := verdict.Suite{Name: "simtrun test", Judged: true}
	for _, o := range r.outcomes {
		one := verdict.Case{Class: "simtrun", Name: o.Case}
		if !o.passed() {
			one.Failure = o.problemsText()
		}
		suite.Cases = append(suite.Cases, one)
	}
	return suite
}
