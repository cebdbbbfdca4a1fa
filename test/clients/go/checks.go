package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// cluster is what a check gets: a namespace of its own, and how to reach the server.
type cluster struct {
	config    *rest.Config
	namespace string
	// typed writes protobuf, and takes nothing else.
	typed *kubernetes.Clientset
	seen  *exchanges
}

// exchanges remembers the content types that were sent and received.
type exchanges struct {
	sync.Mutex
	sent, received map[string]bool
	next           http.RoundTripper
}

func (e *exchanges) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := e.next.RoundTrip(request)
	e.Lock()
	defer e.Unlock()
	if kind := request.Header.Get("Content-Type"); kind != "" {
		e.sent[kind] = true
	}
	if err == nil {
		e.received[strings.Split(response.Header.Get("Content-Type"), ";")[0]] = true
	}
	return response, err
}

var checks = map[string]func(context.Context, *cluster){
	"crud":          checkCrud,
	"pages":         checkPages,
	"watch":         checkWatch,
	"retry-watch":   checkRetryWatch,
	"informer":      checkInformer,
	"patches":       checkPatches,
	"apply":         checkApply,
	"custom":        checkCustom,
	"metadata":      checkMetadata,
	"errors":        checkErrors,
	"election":      checkElection,
	"subresources":  checkSubresources,
	"accounts":      checkAccounts,
	"json-fallback": checkFallback,
}

// runChecks makes every check beside the others, each in a namespace of its own.
func runChecks(prefix string) {
	var all sync.WaitGroup
	for name, check := range checks {
		all.Go(func() { report(map[string]string{"check": name, "error": outcome(prefix+"-"+name, check)}) })
	}
	all.Wait()
}

// outcome gives what a check panics with, which is how it fails.
func outcome(namespace string, check func(context.Context, *cluster)) (failure string) {
	defer func() {
		if reason := recover(); reason != nil {
			failure = fmt.Sprint(reason)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	config, err := ctrl.GetConfig()
	try(err)
	config.QPS = -1
	seen := &exchanges{sent: map[string]bool{}, received: map[string]bool{}}
	binary := rest.CopyConfig(config)
	binary.ContentType, binary.AcceptContentTypes = protobuf, protobuf
	binary.Wrap(func(next http.RoundTripper) http.RoundTripper {
		seen.next = next
		return seen
	})
	typed, err := kubernetes.NewForConfig(binary)
	try(err)
	given(typed.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}))
	check(ctx, &cluster{config, namespace, typed, seen})
	return ""
}

// try ends the check when there is an error.
func try(err error) {
	if err != nil {
		panic(err)
	}
}

// given is a value that came without an error.
func given[T any](value T, err error) T {
	try(err)
	return value
}

// same ends the check when two things are not written alike.
func same(what string, is, should any) {
	if fmt.Sprint(is) != fmt.Sprint(should) {
		panic(fmt.Sprintf("%s: is %v, should be %v", what, is, should))
	}
}

// holds ends the check when something is not so.
func holds(what string, condition bool, more ...any) {
	if !condition {
		panic(fmt.Sprintf("%s: does not hold %v", what, more))
	}
}

// eventually ends the check when something does not come about.
func eventually(ctx context.Context, what string, condition func() bool) {
	for !condition() {
		select {
		case <-ctx.Done():
			panic(what + ": never came about")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"check": "yes"}}, Data: data}
}

func names[T any](items []T, name func(T) string) []string {
	all := make([]string, 0, len(items))
	for _, item := range items {
		all = append(all, name(item))
	}
	slices.Sort(all)
	return all
}
