package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	finalizer = "witness.example.com/farewell"
	byOwner   = "owner"
	// A secret with this label wakes the team that it names.
	wakes = "witness.example.com/wakes"
)

// runController runs the controller of one namespace until it is stopped. With the length of a lease it leads only
// while it holds the lease "witness", and says on standard output when that begins.
func runController(ctx context.Context, args []string) error {
	logf.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addTeams(scheme)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	namespace := args[0]
	options := ctrl.Options{
		Scheme:  scheme,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: server.Options{BindAddress: "0"},
	}
	if len(args) > 1 {
		lease, err := time.ParseDuration(args[1])
		if err != nil {
			return err
		}
		renew, retry := lease*2/3, lease/6
		options.LeaderElection = true
		options.LeaderElectionID = "witness"
		options.LeaderElectionNamespace = namespace
		options.LeaderElectionReleaseOnCancel = true
		options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = &lease, &renew, &retry
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	teams := &reconciler{Client: manager.GetClient(), recorder: manager.GetEventRecorder("witness")}
	if err := manager.GetFieldIndexer().IndexField(ctx, &corev1.ConfigMap{}, byOwner, ownerOf); err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Team{}).
		Owns(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(wokenBy)).
		Complete(teams)
	if err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		report(map[string]bool{"leads": true})
	}()
	return manager.Start(ctx)
}

func ownerOf(object client.Object) []string {
	if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == "Team" {
		return []string{owner.Name}
	}
	return nil
}

func wokenBy(_ context.Context, object client.Object) []reconcile.Request {
	name, labelled := object.GetLabels()[wakes]
	if !labelled {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: name}}}
}

type reconciler struct {
	client.Client
	recorder events.EventRecorder
}

// Reconcile brings what a team owns, and its status, in line with its spec.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	team := &Team{}
	if err := r.Get(ctx, request.NamespacedName, team); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !team.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.sayFarewell(ctx, team)
	}
	if before := team.DeepCopyObject().(*Team); controllerutil.AddFinalizer(team, finalizer) {
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.Patch(ctx, team, patch); err != nil {
			return reconcile.Result{}, err
		}
	}
	if err := r.writeRoster(ctx, team); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.applyQuota(ctx, team); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, r.writeStatus(ctx, team)
}

func (r *reconciler) sayFarewell(ctx context.Context, team *Team) error {
	farewell := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "farewell-" + team.Name, Namespace: team.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, farewell, func() error { return nil }); err != nil {
		return err
	}
	before := team.DeepCopyObject().(*Team)
	if !controllerutil.RemoveFinalizer(team, finalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Patch(ctx, team, client.MergeFrom(before)))
}

// writeRoster makes the config map that the team owns.
func (r *reconciler) writeRoster(ctx context.Context, team *Team) error {
	roster := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "roster-" + team.Name, Namespace: team.Namespace}}
	done, err := controllerutil.CreateOrUpdate(ctx, r.Client, roster, func() error {
		roster.Data = map[string]string{"members": strings.Join(team.Spec.Members, ",")}
		return controllerutil.SetControllerReference(team, roster, r.Scheme())
	})
	if err == nil && done == controllerutil.OperationResultCreated {
		r.recorder.Eventf(team, roster, corev1.EventTypeNormal, "Created", "Create", "made the roster of %d members", len(team.Spec.Members))
	}
	return err
}

// applyQuota applies, on the side of the server, what the team may use.
func (r *reconciler) applyQuota(ctx context.Context, team *Team) error {
	quota := corev1ac.ResourceQuota("team-"+team.Name, team.Namespace).
		WithOwnerReferences(metav1ac.OwnerReference().
			WithAPIVersion(teamVersion.String()).WithKind("Team").WithName(team.Name).WithUID(team.UID)).
		WithSpec(corev1ac.ResourceQuotaSpec().WithHard(corev1.ResourceList{
			corev1.ResourcePods: *resource.NewQuantity(team.Spec.Pods, resource.DecimalSI),
		}))
	return r.Apply(ctx, quota, client.FieldOwner("witness"), client.ForceOwnership)
}

// writeStatus tells which rosters the cache knows, which may be none until its watch has seen them.
func (r *reconciler) writeStatus(ctx context.Context, team *Team) error {
	owned := &corev1.ConfigMapList{}
	if err := r.List(ctx, owned, client.InNamespace(team.Namespace), client.MatchingFields{byOwner: team.Name}); err != nil {
		return err
	}
	before := team.DeepCopyObject().(*Team)
	team.Status.Rosters = nil
	for _, roster := range owned.Items {
		team.Status.Rosters = append(team.Status.Rosters, roster.Name)
	}
	slices.Sort(team.Status.Rosters)
	team.Status.Members = len(team.Spec.Members)
	team.Status.ObservedGeneration = team.Generation
	meta.SetStatusCondition(&team.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Reconciled", ObservedGeneration: team.Generation,
		Message: fmt.Sprintf("%d members may have %d pods", len(team.Spec.Members), team.Spec.Pods),
	})
	if reflect.DeepEqual(before.Status, team.Status) {
		return nil
	}
	return r.Status().Update(ctx, team)
}
