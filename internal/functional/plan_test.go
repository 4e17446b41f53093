package functional_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/interp"
)

// programFiles returns the names of the programs of the repository.
func programFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../programs/*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	return files
}

func source(t *testing.T, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// planOf returns the plan of the run header in src, the text of a program.
func planOf(t *testing.T, file string, src []byte) *launch.Plan {
	t.Helper()
	mod, err := asm.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	header, err := launch.ParseHeader(file, filepath.Dir(file), src)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := launch.NewPlan(mod, header)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// prepared makes the machine and the launches of a plan.
func prepared(t *testing.T, plan *launch.Plan) *launch.Prepared {
	t.Helper()
	ready, err := plan.Prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return ready
}

// preparedWith is prepared for a program on one thread, with the compiler, model of divergence and limits of cfg.
func preparedWith(t *testing.T, file string, src []byte, cfg interp.Config) *launch.Prepared {
	t.Helper()
	plan := planOf(t, file, src)
	plan.Config.Compile, plan.Config.Lanes, plan.Config.Divergence, plan.Config.Threads = cfg.Compile, cfg.Lanes, cfg.Divergence, 1
	plan.Config.MaxSteps, plan.Config.MaxLaunchSteps, plan.Config.BeforeCode = cfg.MaxSteps, cfg.MaxLaunchSteps, cfg.BeforeCode
	return prepared(t, plan)
}
