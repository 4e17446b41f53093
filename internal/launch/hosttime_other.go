//go:build !unix && !windows

package launch

import "time"

// hostCPU returns 0: a browser does not say how much CPU time it has used.
func hostCPU() time.Duration { return 0 }
