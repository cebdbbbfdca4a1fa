package main

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func deployment(name string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "main", Image: "nginx:1",
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}},
				}}},
			},
		},
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx:1"}}},
	}
}

func checkCrud(ctx context.Context, c *cluster) {
	deployments := c.typed.AppsV1().Deployments(c.namespace)
	made := given(deployments.Create(ctx, deployment("web", 2), metav1.CreateOptions{}))
	same("default of the strategy", made.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	same("requests", made.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu(), "250m")
	*made.Spec.Replicas = 3
	changed := given(deployments.Update(ctx, made, metav1.UpdateOptions{}))
	same("generation", changed.Generation, 2)
	read := given(deployments.Get(ctx, "web", metav1.GetOptions{}))
	holds("what is read is what was written", equality.Semantic.DeepEqual(read, changed), read, changed)
	secrets := c.typed.CoreV1().Secrets(c.namespace)
	given(secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"bytes": {0, 255, 128}}, StringData: map[string]string{"text": "ä"},
	}, metav1.CreateOptions{}))
	same("the bytes of a secret", given(secrets.Get(ctx, "s", metav1.GetOptions{})).Data, map[string][]byte{"bytes": {0, 255, 128}, "text": []byte("ä")})
	policy := metav1.DeletePropagationForeground
	try(deployments.Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &made.UID}}))
	eventually(ctx, "the deployment goes", func() bool {
		_, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	same("what was sent", c.seen.sent, map[string]bool{protobuf: true})
	same("what came back", c.seen.received, map[string]bool{protobuf: true})
}

// checkFallback takes what the server prefers, as most clients do that write protobuf.
func checkFallback(ctx context.Context, c *cluster) {
	config := rest.CopyConfig(c.config)
	config.ContentType = protobuf
	maps := given(kubernetes.NewForConfig(config)).CoreV1().ConfigMaps(c.namespace)
	made := given(maps.Create(ctx, configMap("a", map[string]string{"k": "v"}), metav1.CreateOptions{}))
	holds("both ways give the same", equality.Semantic.DeepEqual(made, given(c.typed.CoreV1().ConfigMaps(c.namespace).Get(ctx, "a", metav1.GetOptions{}))), made)
	same("the list", len(given(maps.List(ctx, metav1.ListOptions{LabelSelector: "check"})).Items), 1)
	_, err := maps.Get(ctx, "none", metav1.GetOptions{})
	holds("not found", apierrors.IsNotFound(err), err)
}

func checkPages(ctx context.Context, c *cluster) {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	for number := range 7 {
		given(maps.Create(ctx, configMap(fmt.Sprintf("m%d", number), nil), metav1.CreateOptions{}))
	}
	options := metav1.ListOptions{LabelSelector: "check in (yes)", Limit: 3}
	sizes := []int{}
	for {
		page := given(maps.List(ctx, options))
		sizes = append(sizes, len(page.Items))
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
		holds("remaining items are told", page.RemainingItemCount == nil, page.RemainingItemCount)
	}
	same("the sizes of pages", sizes, []int{3, 3, 1})
	one := given(maps.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=m4"}))
	same("what a field selects", names(one.Items, func(item corev1.ConfigMap) string { return item.Name }), []string{"m4"})
	try(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "check=yes"}))
	same("what a collection leaves", len(given(maps.List(ctx, metav1.ListOptions{LabelSelector: "check"})).Items), 0)
}

func checkPatches(ctx context.Context, c *cluster) {
	deployments := c.typed.AppsV1().Deployments(c.namespace)
	given(deployments.Create(ctx, deployment("web", 1), metav1.CreateOptions{}))
	patch := func(kind types.PatchType, body string) *appsv1.Deployment {
		return given(deployments.Patch(ctx, "web", kind, []byte(body), metav1.PatchOptions{FieldManager: "patcher"}))
	}
	containers := func(d *appsv1.Deployment) []string {
		return names(d.Spec.Template.Spec.Containers, func(item corev1.Container) string { return item.Name })
	}
	same("a strategic merge patch", containers(patch(types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s:1"}]}}}}`)), []string{"main", "side"})
	same("a merge patch", containers(patch(types.MergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"only","image":"o:1"}]}}}}`)), []string{"only"})
	same("a JSON patch", *patch(types.JSONPatchType, `[{"op":"replace","path":"/spec/replicas","value":5}]`).Spec.Replicas, 5)
	manager := given(deployments.Get(ctx, "web", metav1.GetOptions{})).ManagedFields
	holds("the patcher manages fields", len(manager) == 2 && manager[1].Manager == "patcher" || manager[0].Manager == "patcher", manager)
}

func checkApply(ctx context.Context, c *cluster) {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	desired := func(data map[string]string) *corev1ac.ConfigMapApplyConfiguration {
		return corev1ac.ConfigMap("applied", c.namespace).WithData(data)
	}
	given(maps.Apply(ctx, desired(map[string]string{"a": "1", "b": "1"}), metav1.ApplyOptions{FieldManager: "one"}))
	_, err := maps.Apply(ctx, desired(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two"})
	holds("another manager is in conflict", apierrors.IsConflict(err), err)
	holds("the cause is named", apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict), err)
	same("forced", given(maps.Apply(ctx, desired(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two", Force: true})).Data, map[string]string{"a": "2", "b": "1"})
	last := given(maps.Apply(ctx, desired(map[string]string{}), metav1.ApplyOptions{FieldManager: "one"}))
	same("what a manager no longer applies goes", last.Data, map[string]string{"a": "2"})
	extracted := given(corev1ac.ExtractConfigMap(last, "two"))
	same("what is extracted", extracted.Data, map[string]string{"a": "2"})
}

func checkErrors(ctx context.Context, c *cluster) {
	maps, pods := c.typed.CoreV1().ConfigMaps(c.namespace), c.typed.CoreV1().Pods(c.namespace)
	_, err := maps.Get(ctx, "none", metav1.GetOptions{})
	holds("not found", apierrors.IsNotFound(err), err)
	first := given(maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{}))
	_, err = maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{})
	holds("already exists", apierrors.IsAlreadyExists(err), err)
	first.Data = map[string]string{"k": "v"}
	given(maps.Update(ctx, first, metav1.UpdateOptions{}))
	_, err = maps.Update(ctx, first, metav1.UpdateOptions{})
	holds("conflict", apierrors.IsConflict(err), err)
	wrong := pod("wrong")
	wrong.Spec.Containers[0].Image = ""
	wrong.Spec.RestartPolicy = "Sometimes"
	_, err = pods.Create(ctx, wrong, metav1.CreateOptions{})
	holds("invalid", apierrors.IsInvalid(err), err)
	causes := err.(apierrors.APIStatus).Status().Details.Causes
	same("the fields that are wrong", names(causes, func(cause metav1.StatusCause) string { return cause.Field }), []string{"spec.containers[0].image", "spec.restartPolicy"})
	given(c.typed.CoreV1().ResourceQuotas(c.namespace).Create(ctx, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "none"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
	}, metav1.CreateOptions{}))
	_, err = pods.Create(ctx, pod("p"), metav1.CreateOptions{})
	holds("forbidden", apierrors.IsForbidden(err), err)
	same("why", err, `pods "p" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0`)
	gone := types.UID("0")
	err = maps.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &gone}})
	holds("a precondition that does not hold", apierrors.IsConflict(err), err)
	_, err = maps.List(ctx, metav1.ListOptions{Continue: "x", Limit: 1})
	holds("a token that is none", apierrors.IsBadRequest(err), err)
}

func checkSubresources(ctx context.Context, c *cluster) {
	deployments, pods := c.typed.AppsV1().Deployments(c.namespace), c.typed.CoreV1().Pods(c.namespace)
	given(deployments.Create(ctx, deployment("web", 1), metav1.CreateOptions{}))
	scale := given(deployments.GetScale(ctx, "web", metav1.GetOptions{}))
	scale.Spec.Replicas = 4
	given(deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}))
	read := given(deployments.Get(ctx, "web", metav1.GetOptions{}))
	same("replicas", *read.Spec.Replicas, 4)
	read.Status.ObservedGeneration, *read.Spec.Replicas = read.Generation, 9
	status := given(deployments.UpdateStatus(ctx, read, metav1.UpdateOptions{}))
	same("the spec when the status is written", []int64{int64(*status.Spec.Replicas), status.Status.ObservedGeneration}, []int64{4, 2})
	given(pods.Create(ctx, pod("p"), metav1.CreateOptions{}))
	try(pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}, metav1.CreateOptions{}))
	same("the node that a pod is bound to", given(pods.Get(ctx, "p", metav1.GetOptions{})).Spec.NodeName, "n")
	body, err := json.Marshal(map[string]any{"status": map[string]any{"phase": "Running"}})
	try(err)
	same("phase", given(pods.Patch(ctx, "p", types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")).Status.Phase, corev1.PodRunning)
	try(pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}))
	eventually(ctx, "an evicted pod is on its way out", func() bool {
		evicted, err := pods.Get(ctx, "p", metav1.GetOptions{})
		return apierrors.IsNotFound(err) || err == nil && evicted.DeletionTimestamp != nil
	})
}

func checkAccounts(ctx context.Context, c *cluster) {
	accounts := c.typed.CoreV1().ServiceAccounts(c.namespace)
	given(accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}))
	request := given(accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{}))
	config := rest.AnonymousClientConfig(c.config)
	config.BearerToken, config.ContentType = request.Status.Token, protobuf
	robot := given(kubernetes.NewForConfig(config))
	_, err := robot.CoreV1().Pods(c.namespace).List(ctx, metav1.ListOptions{})
	holds("a robot may not list pods", apierrors.IsForbidden(err), err)
	user := "system:serviceaccount:" + c.namespace + ":robot"
	self := given(robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}))
	same("who the robot is", self.Status.UserInfo.Username, user)
	review := given(c.typed.AuthenticationV1().TokenReviews().Create(ctx,
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: request.Status.Token}}, metav1.CreateOptions{}))
	same("whose token it is", []any{review.Status.Authenticated, review.Status.User.Username}, []any{true, user})
	may := given(c.typed.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods"}},
	}, metav1.CreateOptions{}))
	holds("an administrator may list pods", may.Status.Allowed, may.Status)
}
