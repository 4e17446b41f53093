package cuda

import "testing"

// TestCrashOfClangKeepsReport: of clang's report of its own crash the places and the files for a report are left, after
// the messages that came before it.
func TestCrashOfClangKeepsReport(t *testing.T) {
	const said = `k.cu:1:5: warning: unused variable 'x' [-Wunused-variable]
PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the crash backtrace, preprocessed source, and associated run script.
Stack dump:
0.	Program arguments: /usr/bin/clang-19 -x cuda k.cu
1.	<eof> parser at end of file
2.	Running pass 'NVPTX DAG->DAG Pattern Instruction Selection' on function '@_Z1kPi'
 #0 0x00007f2f0bab73c6 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/x86_64-linux-gnu/libLLVM.so.19.1+0xeb73c6)
#10 0x00007f2f13436a51 (/usr/lib/llvm-19/bin/../lib/libclang-cpp.so.19.1+0xc36a51)
clang-19: error: clang frontend command failed with exit code 139 (use -v to see invocation)
clang-19: note: diagnostic msg: 
********************

PLEASE ATTACH THE FOLLOWING FILES TO THE BUG REPORT:
Preprocessed source(s) and associated run script(s) are located at:
clang-19: note: diagnostic msg: /tmp/k-sm_90a-d1affb.cu
clang-19: note: diagnostic msg: /tmp/k-sm_90a-d1affb.sh
clang-19: note: diagnostic msg: 

********************
`
	const want = `k.cu:1:5: warning: unused variable 'x' [-Wunused-variable]
error: clang-19 crashed, which is a fault of this version of clang; SIMTRUN_CLANG names another
  at      <eof> parser at end of file
  in      Running pass 'NVPTX DAG->DAG Pattern Instruction Selection' on function '@_Z1kPi'
  report  /tmp/k-sm_90a-d1affb.cu
  report  /tmp/k-sm_90a-d1affb.sh
`
	if got := string(withoutCrash([]byte(said), "clang-19")); got != want {
		t.Errorf("got\n%s", got)
	}
	const other = "k.cu:1:5: error: use of undeclared identifier 'x'\n"
	if got := string(withoutCrash([]byte(other), "clang-19")); got != other {
		t.Errorf("got\n%s", got)
	}
}
