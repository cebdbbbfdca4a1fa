package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	watchtools "k8s.io/client-go/tools/watch"
)

// next is what a watch sees next, bookmarks aside.
func next(ctx context.Context, watcher watch.Interface) watch.Event {
	for {
		select {
		case <-ctx.Done():
			panic("the watch saw nothing more")
		case event, open := <-watcher.ResultChan():
			holds("the watch is open", open)
			if event.Type != watch.Bookmark {
				return event
			}
		}
	}
}

func told(event watch.Event) string {
	return fmt.Sprintf("%s %s", event.Type, event.Object.(metav1.Object).GetName())
}

func checkWatch(ctx context.Context, c *cluster) {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	before := given(maps.List(ctx, metav1.ListOptions{}))
	options := metav1.ListOptions{ResourceVersion: before.ResourceVersion, LabelSelector: "check", AllowWatchBookmarks: true}
	watcher := given(maps.Watch(ctx, options))
	made := given(maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{}))
	same("first", told(next(ctx, watcher)), "ADDED a")
	made.Data = map[string]string{"k": "v"}
	changed := given(maps.Update(ctx, made, metav1.UpdateOptions{}))
	same("second", told(next(ctx, watcher)), "MODIFIED a")
	try(maps.Delete(ctx, "a", metav1.DeleteOptions{}))
	last := next(ctx, watcher)
	same("third", told(last), "DELETED a")
	same("what was deleted", last.Object.(*corev1.ConfigMap).Data, changed.Data)
	watcher.Stop()
	options.ResourceVersion = made.ResourceVersion
	again := given(maps.Watch(ctx, options))
	same("from the first on", []string{told(next(ctx, again)), told(next(ctx, again))}, []string{"MODIFIED a", "DELETED a"})
	again.Stop()
	same("what was sent and received", []any{c.seen.sent, c.seen.received}, []any{map[string]bool{protobuf: true}, map[string]bool{protobuf: true}})
}

func checkRetryWatch(ctx context.Context, c *cluster) {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	opened := 0
	brief := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		opened++
		second := int64(1)
		options.TimeoutSeconds, options.LabelSelector = &second, "check"
		return maps.Watch(ctx, options)
	}}
	version := given(maps.List(ctx, metav1.ListOptions{})).ResourceVersion
	watcher := given(watchtools.NewRetryWatcherWithContext(ctx, version, brief))
	for number := 0; opened < 3; number++ {
		name := fmt.Sprintf("m%d", number)
		given(maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{}))
		same("nothing is missed or told twice", told(next(ctx, watcher)), "ADDED "+name)
	}
	watcher.Stop()
}

func checkInformer(ctx context.Context, c *cluster) {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	given(maps.Create(ctx, configMap("before", nil), metav1.CreateOptions{}))
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(c.namespace))
	informer := factory.Core().V1().ConfigMaps()
	events := make(chan string, 100)
	given(informer.Informer().AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(object any) bool {
			if gone, is := object.(cache.DeletedFinalStateUnknown); is {
				object = gone.Obj
			}
			return object.(*corev1.ConfigMap).Labels["check"] != ""
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { events <- "add " + object.(*corev1.ConfigMap).Name },
			UpdateFunc: func(_, object any) { events <- "update " + object.(*corev1.ConfigMap).Name },
			DeleteFunc: func(object any) { events <- "delete " + object.(*corev1.ConfigMap).Name },
		},
	}))
	factory.StartWithContext(ctx)
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		holds("the cache is filled", synced, kind)
	}
	same("what was there", <-events, "add before")
	given(maps.Create(ctx, configMap("after", nil), metav1.CreateOptions{}))
	same("what came", <-events, "add after")
	given(maps.Patch(ctx, "after", types.MergePatchType, []byte(`{"data":{"k":"v"}}`), metav1.PatchOptions{}))
	same("what changed", <-events, "update after")
	selected := given(informer.Lister().ConfigMaps(c.namespace).List(labels.SelectorFromSet(labels.Set{"check": "yes"})))
	same("what the lister knows", names(selected, func(item *corev1.ConfigMap) string { return item.Name + item.Data["k"] }), []string{"afterv", "before"})
	try(maps.Delete(ctx, "before", metav1.DeleteOptions{}))
	same("what went", <-events, "delete before")
}

func checkMetadata(ctx context.Context, c *cluster) {
	config := rest.CopyConfig(c.config)
	config.ContentType, config.AcceptContentTypes = protobuf, protobuf+";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	maps := given(metadata.NewForConfig(config)).Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(c.namespace)
	watcher := given(maps.Watch(ctx, metav1.ListOptions{LabelSelector: "check"}))
	given(c.typed.CoreV1().ConfigMaps(c.namespace).Create(ctx, configMap("a", map[string]string{"k": "v"}), metav1.CreateOptions{}))
	event := next(ctx, watcher)
	seen, is := event.Object.(*metav1.PartialObjectMetadata)
	holds("metadata is all that comes", is, event.Object)
	same("the labels", seen.Labels, map[string]string{"check": "yes"})
	watcher.Stop()
	list := given(maps.List(ctx, metav1.ListOptions{LabelSelector: "check"}))
	same("the list", names(list.Items, func(item metav1.PartialObjectMetadata) string { return item.Name }), []string{"a"})
	same("one", given(maps.Get(ctx, "a", metav1.GetOptions{})).Name, "a")
	given(maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"b":"c"}}}`), metav1.PatchOptions{}))
	try(maps.Delete(ctx, "a", metav1.DeleteOptions{}))
}

func checkCustom(ctx context.Context, c *cluster) {
	client := given(dynamic.NewForConfig(c.config))
	group := "go-" + c.namespace + ".example.com"
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gadgets." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"plural": "gadgets", "singular": "gadget", "kind": "Gadget"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
					"spec": map[string]any{"type": "object", "properties": map[string]any{
						"size":  map[string]any{"type": "integer", "maximum": int64(10)},
						"color": map[string]any{"type": "string", "default": "red"},
					}},
					"status": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
				}}},
			}},
		},
	}}
	given(definitions.Create(ctx, definition, metav1.CreateOptions{}))
	eventually(ctx, "the definition is established", func() bool {
		conditions, _, _ := unstructured.NestedSlice(given(definitions.Get(ctx, "gadgets."+group, metav1.GetOptions{})).Object, "status", "conditions")
		for _, condition := range conditions {
			if is := condition.(map[string]any); is["type"] == "Established" && is["status"] == "True" {
				return true
			}
		}
		return false
	})
	groups := given(restmapper.GetAPIGroupResources(c.typed.Discovery()))
	mapping := given(restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(schema.GroupKind{Group: group, Kind: "Gadget"}))
	gadgets := client.Resource(mapping.Resource).Namespace(c.namespace)
	gadget := &unstructured.Unstructured{}
	gadget.SetGroupVersionKind(mapping.GroupVersionKind)
	gadget.SetName("g")
	try(unstructured.SetNestedField(gadget.Object, int64(3), "spec", "size"))
	made := given(gadgets.Create(ctx, gadget, metav1.CreateOptions{}))
	same("the default of the schema", made.Object["spec"], map[string]any{"size": 3, "color": "red"})
	try(unstructured.SetNestedField(made.Object, int64(11), "spec", "size"))
	_, err := gadgets.Update(ctx, made, metav1.UpdateOptions{})
	holds("beyond the maximum", apierrors.IsInvalid(err), err)
	gadget.SetResourceVersion("")
	applied := given(gadgets.Apply(ctx, "g", gadget, metav1.ApplyOptions{FieldManager: "m", Force: true}))
	try(unstructured.SetNestedField(applied.Object, "well", "status", "how"))
	same("the status", given(gadgets.UpdateStatus(ctx, applied, metav1.UpdateOptions{})).Object["status"], map[string]any{"how": "well"})
	try(gadgets.Delete(ctx, "g", metav1.DeleteOptions{}))
	try(definitions.Delete(ctx, "gadgets."+group, metav1.DeleteOptions{}))
}

func checkElection(ctx context.Context, c *cluster) {
	stages := make(chan string, 10)
	candidate := func(name string) context.CancelFunc {
		ctx, cancel := context.WithCancel(ctx)
		lock := &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Name: "lead", Namespace: c.namespace}, Client: c.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true, LeaseDuration: 2 * time.Second, RenewDeadline: time.Second, RetryPeriod: 100 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { stages <- name + " leads" },
				OnStoppedLeading: func() { stages <- name + " stops" },
			},
		})
		return cancel
	}
	stop := candidate("first")
	same("stage", <-stages, "first leads")
	defer candidate("second")()
	stop()
	same("stage", <-stages, "first stops")
	same("stage", <-stages, "second leads")
	lease := given(c.typed.CoordinationV1().Leases(c.namespace).Get(ctx, "lead", metav1.GetOptions{}))
	same("the lease", []any{*lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions}, []any{"second", 1})
}
