// Command witness talks to an API server as controllers do. `witness controller` runs one, see controller.go; `witness
// check` makes each check of checks.go and prints a line of JSON for it.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: witness controller NAMESPACE [LEASE] | witness check NAMESPACE"))
	}
	switch os.Args[1] {
	case "controller":
		if err := runController(ctrl.SetupSignalHandler(), os.Args[2:]); err != nil {
			fail(err)
		}
	case "check":
		runChecks(os.Args[2])
	default:
		fail(fmt.Errorf("no such command: %s", os.Args[1]))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// report prints one line of JSON, which the tests read.
func report(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		fail(err)
	}
	fmt.Println(string(line))
}
