package sweep

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Job is a sweep to be run by a cluster, as an array of tasks that each run some of the points.
type Job struct {
	Words  []string // the command line without --point
	File   string   // of the program
	Dir    string   // of the results
	Points int
	Tasks  int // at most Points
}

// Emitters write a Job for a scheduler, by the scheduler's name.
var Emitters = map[string]func(j *Job) string{"slurm": (*Job).slurm, "k8s": (*Job).kubernetes}

// EmitterNames returns the names of the schedulers.
func EmitterNames() []string { return []string{"slurm", "k8s"} }

// command returns the command line of a task, for a shell in which the variable is the task's number.
func (j *Job) command(variable string) string {
	var quoted []string
	for _, w := range j.Words {
		quoted = append(quoted, shellQuote(w))
	}
	return fmt.Sprintf(`%s --point "$%s/%d"`, strings.Join(quoted, " "), variable, j.Tasks)
}

// The description of the tasks.
func (j *Job) what() string {
	if j.Tasks == j.Points {
		return fmt.Sprintf("Each of %d tasks runs a point.", j.Tasks)
	}
	return fmt.Sprintf("Task i of %d runs the points i, i+%d, … of %d.", j.Tasks, j.Tasks, j.Points)
}

func (j *Job) slurm() string {
	return fmt.Sprintf(`#!/bin/sh
#SBATCH --job-name=%s
#SBATCH --array=0-%d
#SBATCH --cpus-per-task=1
#SBATCH --requeue
# %s Submitted again, it runs what is missing. The results:
#   simtrun sweep --merge %s
exec %s
`, j.name(), j.Tasks-1, j.what(), shellQuote(j.Dir), j.command("SLURM_ARRAY_TASK_ID"))
}

// kubernetes returns a Job with indexed Pods. Exit statuses that a retry would not change end an index.
func (j *Job) kubernetes() string {
	// Kubernetes would replace $(NAME) before a shell sees it.
	command := strings.ReplaceAll("exec "+j.command("JOB_COMPLETION_INDEX"), "$(", "$$(")
	return fmt.Sprintf(`# %s Applied again, it runs what is missing. The results:
#   simtrun sweep --merge %s
# To be edited: the image, in which simtrun and /bin/sh are, and the claim of the volume, in
# which the program is, and the results will be. Pods of several nodes have to be able to write to it.
apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  completionMode: Indexed
  completions: %d
  parallelism: %d
  backoffLimitPerIndex: 3
  podFailurePolicy:
    rules:
    - action: FailIndex
      onExitCodes:
        containerName: sweep
        operator: In
        values: [2, 3, 70]
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: sweep
        image: simtrun
        workingDir: /work
        command: ["/bin/sh", "-c", %s]
        resources:
          requests:
            cpu: "1"
        volumeMounts:
        - name: work
          mountPath: /work
      volumes:
      - name: work
        persistentVolumeClaim:
          claimName: work
`, j.what(), shellQuote(j.Dir), j.name(), j.Tasks, j.Tasks, strconv.Quote(command))
}

// name returns the job's name: lower-case letters, digits and dashes.
func (j *Job) name() string {
	base := strings.TrimSuffix(filepath.Base(j.File), filepath.Ext(j.File))
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, base)
	const most = 50 // of 63; Kubernetes appends an index
	return "sweep-" + strings.Trim(plain[:min(len(plain), most)], "-")
}

// shellQuote quotes a word for a shell.
func shellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,:=@+%", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
