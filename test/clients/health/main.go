// Command health says how GitOps tools judge objects. It reads a JSON array from standard input, of items with an `object` and a
// `script`, and prints a JSON array of what kstatus (Helm, Flux) computes of each object, and what the script says as Argo CD runs it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
)

type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type item struct {
	Object map[string]any `json:"object"`
	Script string         `json:"script"`
}

func main() {
	var items []item
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		// Numbers become int64, as in the clients of Kubernetes.
		err = k8sjson.Unmarshal(text, &items)
	}
	if err != nil {
		fail(err)
	}
	verdicts := []map[string]verdict{}
	for _, one := range items {
		result, err := status.Compute(&unstructured.Unstructured{Object: one.Object})
		if err != nil {
			fail(err)
		}
		health, err := byScript(one)
		if err != nil {
			fail(err)
		}
		verdicts = append(verdicts, map[string]verdict{"kstatus": {string(result.Status), result.Message}, "argocd": health})
	}
	out, err := json.Marshal(verdicts)
	if err != nil {
		fail(err)
	}
	fmt.Println(string(out))
}

// byScript runs the script as Argo CD does: `obj` is the object, and a table with `status` and `message` comes back.
func byScript(one item) (verdict, error) {
	// Argo CD opens these libraries for scripts that need not have more.
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", value(state, one.Object))
	if err := state.DoString(one.Script); err != nil {
		return verdict{}, err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return verdict{}, fmt.Errorf("the script of %s gives no table", one.Object["kind"])
	}
	return verdict{lua.LVAsString(table.RawGetString("status")), lua.LVAsString(table.RawGetString("message"))}, nil
}

func value(state *lua.LState, from any) lua.LValue {
	switch one := from.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, item := range one {
			table.RawSetString(key, value(state, item))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, item := range one {
			table.Append(value(state, item))
		}
		return table
	case string:
		return lua.LString(one)
	case bool:
		return lua.LBool(one)
	case int64:
		return lua.LNumber(one)
	case float64:
		return lua.LNumber(one)
	default:
		return lua.LNil
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
