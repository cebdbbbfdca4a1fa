// Command facts prints, as JSON, how the stable built-in kinds are laid out in protobuf. It asks the Go types themselves
// by reflection, because only they tell the JSON name of a field and what JSON leaves out when it is zero.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var groups = []func(*runtime.Scheme) error{
	admissionregistration.AddToScheme, apps.AddToScheme, authentication.AddToScheme, authorization.AddToScheme,
	autoscaling.AddToScheme, autoscalingv2.AddToScheme, batch.AddToScheme, certificates.AddToScheme,
	coordination.AddToScheme, core.AddToScheme, discovery.AddToScheme, events.AddToScheme, flowcontrol.AddToScheme,
	networking.AddToScheme, node.AddToScheme, policy.AddToScheme, rbac.AddToScheme, resource.AddToScheme,
	scheduling.AddToScheme, storage.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme,
}

// own lists the types whose JSON is not that of their fields: the decoder has a conversion for each.
var own = map[string]bool{
	"io.k8s.apimachinery.pkg.api.resource.Quantity":                                         true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.Time":                                             true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime":                                        true,
	"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1":                                         true,
	"io.k8s.apimachinery.pkg.runtime.RawExtension":                                          true,
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString":                                       true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON":                         true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray":       true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool":        true,
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": true,
}

type field struct {
	number           int
	name, kind, rule string
}

type facts struct {
	messages map[string][]field
	lists    map[string]string
}

var (
	marshaler     = reflect.TypeFor[interface{ Marshal() ([]byte, error) }]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

func main() {
	log.SetFlags(0)
	scheme := runtime.NewScheme()
	for _, add := range groups {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	f := facts{messages: map[string][]field{}, lists: map[string]string{}}
	packages := map[string]string{}
	options := reflect.TypeFor[meta.DeleteOptions]()
	packages[meta.SchemeGroupVersion.String()] = packageName(options)
	f.message(options)
	for kind, t := range scheme.AllKnownTypes() {
		// Nobody sends a list or the options of a connection, and every group registers apimachinery's own kinds.
		_, items := t.FieldByName("Items")
		_, metadata := t.FieldByName("ObjectMeta")
		if items || !metadata || kind.Version == runtime.APIVersionInternal || strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/") {
			continue
		}
		if t.Name() != kind.Kind {
			log.Fatalf("%v is the Go type %v", kind, t)
		}
		packages[kind.GroupVersion().String()] = packageName(t)
		f.message(t)
	}
	f.print(os.Args[1], packages)
}

// packageName turns k8s.io/api/core/v1 into io.k8s.api.core.v1, as the definitions of the API spell it.
func packageName(t reflect.Type) string {
	rest, found := strings.CutPrefix(t.PkgPath(), "k8s.io/")
	if !found {
		log.Fatalf("%v is in the package %s", t, t.PkgPath())
	}
	return "io.k8s." + strings.ReplaceAll(rest, "/", ".")
}

func (f *facts) message(t reflect.Type) string {
	name := packageName(t) + "." + t.Name()
	if _, done := f.messages[name]; done || simple(name) {
		return name
	}
	if reflect.PointerTo(t).Implements(jsonMarshaler) && !own[name] {
		log.Fatalf("%s prints JSON in its own way: the decoder must learn it", name)
	}
	f.messages[name] = nil
	fields := f.fields(t)
	slices.SortFunc(fields, func(a, b field) int { return a.number - b.number })
	f.messages[name] = fields
	return name
}

// simple tells the own types that the decoder reads without knowing their fields from the data.
func simple(name string) bool { return own[name] && !strings.Contains(name, ".JSONSchemaPropsOr") }

func (f *facts) fields(t reflect.Type) []field {
	var found []field
	for i := range t.NumField() {
		member := t.Field(i)
		// Only the number and name are read: the wire type that the tag states is wrong for a few fields.
		tag := member.Tag.Get("protobuf")
		name, jsonOptions, _ := strings.Cut(member.Tag.Get("json"), ",")
		if member.Type == reflect.TypeFor[meta.TypeMeta]() && tag == "" {
			continue
		}
		words := strings.Split(tag, ",")
		if len(words) < 2 {
			log.Fatalf("%v.%s has no protobuf tag", t, member.Name)
		}
		number, err := strconv.Atoi(words[1])
		if err != nil {
			log.Fatalf("%v.%s: %v", t, member.Name, err)
		}
		options := strings.Split(jsonOptions, ",")
		one := field{number: number, name: name}
		switch {
		case own[packageName(t)+"."+t.Name()]:
			one.name = lowered(member.Name)
		case slices.Contains(options, "inline"):
			one.rule = "inline"
			one.name = lowered(member.Name)
		case slices.Contains(options, "omitempty"):
			one.rule = "omitempty"
		}
		if one.name == "" {
			log.Fatalf("%v.%s has no JSON name", t, member.Name)
		}
		f.describe(&one, member.Type, slices.Contains(options, "omitzero"))
		found = append(found, one)
	}
	return found
}

func lowered(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func (f *facts) describe(one *field, t reflect.Type, omitZero bool) {
	repeat := func(rule string, item reflect.Type) {
		if one.rule == "inline" {
			log.Fatalf("%s is inline and %s", one.name, rule)
		}
		one.rule = rule
		one.kind = f.value(item)
	}
	switch {
	case t.Kind() == reflect.Pointer:
		if one.rule == "inline" {
			log.Fatalf("%s is inline and a pointer", one.name)
		}
		// A pointer is printed whenever it is set, to whatever it points.
		one.rule = ""
		one.kind = f.value(t.Elem())
	case isBytes(t) || isWrapped(t):
		one.kind = f.value(t)
	case t.Kind() == reflect.Slice:
		repeat("repeated", t.Elem())
	case t.Kind() == reflect.Map:
		if t.Key().Kind() != reflect.String {
			log.Fatalf("%s has keys of %v", one.name, t.Key())
		}
		repeat("map", t.Elem())
	default:
		one.kind = f.value(t)
		// encoding/json finds no struct empty; only the times say omitzero, and a zero time is null anyway.
		if t.Kind() == reflect.Struct && one.rule == "omitempty" {
			one.rule = ""
		}
		if omitZero && !simple(one.kind) {
			log.Fatalf("%s has omitzero: the decoder must learn it", one.name)
		}
	}
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// isWrapped tells the named lists that travel as a message of their own, such as ExtraValue.
func isWrapped(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && reflect.PointerTo(t).Implements(marshaler)
}

func (f *facts) value(t reflect.Type) string {
	if isWrapped(t) {
		name := packageName(t) + "." + t.Name()
		f.lists[name] = f.value(t.Elem())
		return name
	}
	if isBytes(t) {
		return "bytes"
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.message(t)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32:
		return "int32"
	case reflect.Int64:
		return "int64"
	case reflect.Float64:
		return "double"
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			return f.value(t.Elem())
		}
	}
	log.Fatalf("no protobuf type for %v", t)
	return ""
}

func (f *facts) print(version string, packages map[string]string) {
	about := "How the stable built-in kinds of Kubernetes " + version + " are laid out in protobuf (Apache-2.0, the Kubernetes authors), " +
		"reduced to names, numbers, types: apiVersion -> package; message -> JSON name of the field -> " +
		"[number, type, rule], where omitempty says that JSON leaves out the zero value; lists: messages that stand for a plain list, and the type of their items"
	fmt.Printf("{\n\"about\": %s,\n\"packages\": {\n", quoted(about))
	each(packages, func(name string) string { return quoted(packages[name]) })
	fmt.Print("},\n\"lists\": {\n")
	each(f.lists, func(name string) string { return quoted(f.lists[name]) })
	fmt.Print("},\n\"messages\": {\n")
	each(f.messages, func(name string) string {
		var text []string
		for _, one := range f.messages[name] {
			text = append(text, fmt.Sprintf("%s:[%d,%s,%s]", quoted(one.name), one.number, quoted(one.kind), quoted(one.rule)))
		}
		return "{" + strings.Join(text, ",") + "}"
	})
	fmt.Print("}\n}\n")
}

func each[V any](entries map[string]V, line func(string) string) {
	var lines []string
	for name := range entries {
		lines = append(lines, quoted(name)+":"+line(name))
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, ",\n"))
}

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		log.Fatal(err)
	}
	return strings.ReplaceAll(string(out), `\u003e`, ">")
}
