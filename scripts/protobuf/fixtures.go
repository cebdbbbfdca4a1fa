// Command fixtures prints objects as Kubernetes' own Go types write them: base64 of the protobuf that its serializer
// makes, beside the JSON of encoding/json. They are the witnesses of the decoder's tests.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type object struct {
	name, apiVersion, kind string
	value                  runtime.Object
}

func pointer[T any](value T) *T { return &value }

func named(name string) meta.ObjectMeta { return meta.ObjectMeta{Name: name, Namespace: "team-a"} }

func hard(entries ...string) core.ResourceList {
	list := core.ResourceList{}
	for i := 0; i < len(entries); i += 2 {
		list[core.ResourceName(entries[i])] = resource.MustParse(entries[i+1])
	}
	return list
}

var noon = meta.NewTime(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))

var template = core.PodTemplateSpec{
	ObjectMeta: meta.ObjectMeta{Labels: map[string]string{"app": "web"}},
	Spec: core.PodSpec{Containers: []core.Container{{Name: "web", Image: "web:1", Resources: core.ResourceRequirements{
		Requests: hard("cpu", "250m", "memory", "64Mi"), Limits: hard("cpu", "1"),
	}}}},
}

var objects = []object{
	{"a namespace", "v1", "Namespace", &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: "team-a"}}},
	{"metadata with everything", "v1", "ServiceAccount", &core.ServiceAccount{
		ObjectMeta: meta.ObjectMeta{
			Name: "builder", GenerateName: "builder-", Namespace: "team-a", UID: "u-1", ResourceVersion: "17", Generation: 9007199254740993,
			CreationTimestamp: noon, DeletionTimestamp: &noon, DeletionGracePeriodSeconds: pointer(int64(0)),
			Labels: map[string]string{"": "empty key", "__proto__": "x", "empty": ""}, Annotations: map[string]string{"utf-8": "äöü 🚀"},
			OwnerReferences: []meta.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "u-2", Controller: pointer(false)}},
			Finalizers:      []string{"a/b"},
			ManagedFields: []meta.ManagedFieldsEntry{{
				Manager: "kubectl", Operation: meta.ManagedFieldsOperationApply, APIVersion: "v1", Time: &noon, FieldsType: "FieldsV1",
				FieldsV1: meta.NewFieldsV1(`{"f:secrets":{".":{}}}`),
			}},
		},
		AutomountServiceAccountToken: pointer(false),
	}},
	{"a quota with scopes", "v1", "ResourceQuota", &core.ResourceQuota{ObjectMeta: named("compute"), Spec: core.ResourceQuotaSpec{
		Hard: hard("cpu", "10", "memory", "20Gi", "pods", "0", "requests.storage", "1e3"), Scopes: []core.ResourceQuotaScope{core.ResourceQuotaScopeNotTerminating},
		ScopeSelector: &core.ScopeSelector{MatchExpressions: []core.ScopedResourceSelectorRequirement{{
			ScopeName: core.ResourceQuotaScopePriorityClass, Operator: core.ScopeSelectorOpIn, Values: []string{"high", ""},
		}}},
	}}},
	{"a limit range", "v1", "LimitRange", &core.LimitRange{ObjectMeta: named("limits"), Spec: core.LimitRangeSpec{Limits: []core.LimitRangeItem{
		{Type: core.LimitTypeContainer, Max: hard("cpu", "2"), Default: hard("cpu", "500m")}, {Type: core.LimitTypePod},
	}}}},
	{"a deployment with zero replicas", "apps/v1", "Deployment", &apps.Deployment{ObjectMeta: named("web"), Spec: apps.DeploymentSpec{
		Replicas: pointer(int32(0)), Selector: &meta.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: template,
		Strategy: apps.DeploymentStrategy{RollingUpdate: &apps.RollingUpdateDeployment{MaxSurge: pointer(intstr.FromString("25%")), MaxUnavailable: pointer(intstr.FromInt32(0))}},
	}}},
	{"a deployment without replicas", "apps/v1", "Deployment", &apps.Deployment{ObjectMeta: named("web"), Spec: apps.DeploymentSpec{Template: template}}},
	{"a pod with much in it", "v1", "Pod", &core.Pod{
		ObjectMeta: named("web"),
		Spec: core.PodSpec{
			Volumes: []core.Volume{
				{Name: "config", VolumeSource: core.VolumeSource{ConfigMap: &core.ConfigMapVolumeSource{
					LocalObjectReference: core.LocalObjectReference{Name: "config"}, DefaultMode: pointer(int32(0)), Optional: pointer(false),
				}}},
				{Name: "scratch", VolumeSource: core.VolumeSource{EmptyDir: &core.EmptyDirVolumeSource{SizeLimit: pointer(resource.MustParse("1Gi"))}}},
				{Name: "", VolumeSource: core.VolumeSource{EmptyDir: &core.EmptyDirVolumeSource{}}},
			},
			Containers: []core.Container{{
				Name: "web", Command: []string{"", "-c"}, Ports: []core.ContainerPort{{ContainerPort: 8080}, {ContainerPort: 0}},
				Env:           []core.EnvVar{{Name: "EMPTY", Value: ""}, {Name: "CPU", ValueFrom: &core.EnvVarSource{ResourceFieldRef: &core.ResourceFieldSelector{Resource: "limits.cpu"}}}},
				LivenessProbe: &core.Probe{ProbeHandler: core.ProbeHandler{HTTPGet: &core.HTTPGetAction{Port: intstr.FromString("http")}}, InitialDelaySeconds: -1},
				StartupProbe:  &core.Probe{ProbeHandler: core.ProbeHandler{TCPSocket: &core.TCPSocketAction{Port: intstr.FromInt32(0)}}},
				SecurityContext: &core.SecurityContext{
					Privileged: pointer(false), RunAsUser: pointer(int64(0)), RunAsGroup: pointer(int64(-9007199254740993)),
				},
			}},
			EphemeralContainers: []core.EphemeralContainer{{EphemeralContainerCommon: core.EphemeralContainerCommon{Name: "debug"}, TargetContainerName: "web"}},
			Overhead:            hard("cpu", "10m"), HostNetwork: true, EnableServiceLinks: pointer(false), Priority: pointer(int32(0)),
			SecurityContext:               &core.PodSecurityContext{SupplementalGroups: []int64{0, 1, 9007199254740993}},
			TerminationGracePeriodSeconds: pointer(int64(0)),
		},
	}},
	{"a config map with bytes", "v1", "ConfigMap", &core.ConfigMap{
		ObjectMeta: named("config"), Data: map[string]string{"a": "1", "empty": ""}, BinaryData: map[string][]byte{"b": {0, 255, 1}, "none": {}}, Immutable: pointer(false),
	}},
	{"a secret", "v1", "Secret", &core.Secret{ObjectMeta: named("secret"), Data: map[string][]byte{"token": []byte("s3cr3t")}, StringData: map[string]string{"x": "y"}, Type: core.SecretTypeOpaque}},
	{"a service", "v1", "Service", &core.Service{ObjectMeta: named("web"), Spec: core.ServiceSpec{
		Ports: []core.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}, {Port: 443, TargetPort: intstr.FromString("https")}}, Type: core.ServiceTypeLoadBalancer,
		AllocateLoadBalancerNodePorts: pointer(false),
	}}},
	{"a claim", "v1", "PersistentVolumeClaim", &core.PersistentVolumeClaim{ObjectMeta: named("data"), Spec: core.PersistentVolumeClaimSpec{
		StorageClassName: pointer(""), Resources: core.VolumeResourceRequirements{Requests: hard("storage", "10Gi")},
	}}},
	{"an event without times", "v1", "Event", &core.Event{ObjectMeta: named("web.1"), Reason: "Started", Count: 0, EventTime: meta.MicroTime{}, FirstTimestamp: noon}},
	{"a request for a token", "authentication.k8s.io/v1", "TokenRequest", &authentication.TokenRequest{Spec: authentication.TokenRequestSpec{ExpirationSeconds: pointer(int64(0))}}},
	{"a review of oneself", "authentication.k8s.io/v1", "SelfSubjectReview", &authentication.SelfSubjectReview{}},
	{"a review of one's access", "authorization.k8s.io/v1", "SelfSubjectAccessReview", &authorization.SelfSubjectAccessReview{Spec: authorization.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorization.ResourceAttributes{Namespace: "team-a", Verb: "create", Resource: "pods"},
	}}},
	{"a review with extra", "authorization.k8s.io/v1", "SubjectAccessReview", &authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{
		User: "jane", Groups: []string{"dev"}, Extra: map[string]authorization.ExtraValue{"scopes": {"a", ""}, "none": {}},
		NonResourceAttributes: &authorization.NonResourceAttributes{Path: "/healthz", Verb: "get"},
	}}},
	{"a review of one's rules", "authorization.k8s.io/v1", "SelfSubjectRulesReview", &authorization.SelfSubjectRulesReview{Spec: authorization.SelfSubjectRulesReviewSpec{Namespace: "team-a"}}},
	{"a priority class of zero", "scheduling.k8s.io/v1", "PriorityClass", &scheduling.PriorityClass{
		ObjectMeta: meta.ObjectMeta{Name: "low"}, PreemptionPolicy: pointer(core.PreemptNever),
	}},
	{"a lease", "coordination.k8s.io/v1", "Lease", &coordination.Lease{ObjectMeta: named("leader"), Spec: coordination.LeaseSpec{
		HolderIdentity: pointer(""), LeaseDurationSeconds: pointer(int32(15)),
		AcquireTime: pointer(meta.NewMicroTime(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))), RenewTime: pointer(meta.NewMicroTime(time.Date(1969, 12, 31, 23, 59, 59, 123456789, time.UTC))),
	}}},
	{"an autoscaler", "autoscaling/v2", "HorizontalPodAutoscaler", &autoscaling.HorizontalPodAutoscaler{ObjectMeta: named("web"), Spec: autoscaling.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscaling.CrossVersionObjectReference{Kind: "Deployment", Name: "web", APIVersion: "apps/v1"}, MinReplicas: pointer(int32(0)), MaxReplicas: 5,
		Metrics: []autoscaling.MetricSpec{{Type: autoscaling.ResourceMetricSourceType, Resource: &autoscaling.ResourceMetricSource{Name: "cpu", Target: autoscaling.MetricTarget{
			Type: autoscaling.AverageValueMetricType, AverageValue: pointer(resource.MustParse("1.5")),
		}}}},
	}}},
	{"a job", "batch/v1", "Job", &batch.Job{ObjectMeta: named("once"), Spec: batch.JobSpec{
		Parallelism: pointer(int32(0)), Template: template, PodFailurePolicy: &batch.PodFailurePolicy{Rules: []batch.PodFailurePolicyRule{{
			Action: batch.PodFailurePolicyActionIgnore, OnExitCodes: &batch.PodFailurePolicyOnExitCodesRequirement{Operator: batch.PodFailurePolicyOnExitCodesOpIn, Values: []int32{1, -1, 300}},
		}}},
	}}},
	{"a cron job", "batch/v1", "CronJob", &batch.CronJob{ObjectMeta: named("nightly"), Spec: batch.CronJobSpec{Schedule: "0 3 * * *", Suspend: pointer(false), JobTemplate: batch.JobTemplateSpec{Spec: batch.JobSpec{Template: template}}}}},
	{"a revision with raw data", "apps/v1", "ControllerRevision", &apps.ControllerRevision{
		ObjectMeta: named("web-1"), Data: runtime.RawExtension{Raw: []byte(`{"spec":{"n":12345678901234567890,"x":1.0,"list":[null,{}]}}`)},
	}},
	{"a disruption budget", "policy/v1", "PodDisruptionBudget", &policy.PodDisruptionBudget{ObjectMeta: named("web"), Spec: policy.PodDisruptionBudgetSpec{
		MinAvailable: pointer(intstr.FromInt32(0)), Selector: &meta.LabelSelector{},
	}}},
	{"an eviction", "policy/v1", "Eviction", &policy.Eviction{ObjectMeta: named("web"), DeleteOptions: &meta.DeleteOptions{
		GracePeriodSeconds: pointer(int64(0)), Preconditions: &meta.Preconditions{UID: pointer(types.UID("u-1"))},
	}}},
	{"delete options", "apps/v1", "DeleteOptions", &meta.DeleteOptions{
		GracePeriodSeconds: pointer(int64(0)), PropagationPolicy: pointer(meta.DeletePropagationForeground), DryRun: []string{"All"},
	}},
	{"an ingress", "networking.k8s.io/v1", "Ingress", &networking.Ingress{ObjectMeta: named("web"), Spec: networking.IngressSpec{
		Rules: []networking.IngressRule{{Host: "a.example", IngressRuleValue: networking.IngressRuleValue{HTTP: &networking.HTTPIngressRuleValue{Paths: []networking.HTTPIngressPath{{
			Path: "/", PathType: pointer(networking.PathTypePrefix), Backend: networking.IngressBackend{Service: &networking.IngressServiceBackend{Name: "web", Port: networking.ServiceBackendPort{Number: 80}}},
		}}}}}},
	}}},
	{"a network policy that denies", "networking.k8s.io/v1", "NetworkPolicy", &networking.NetworkPolicy{ObjectMeta: named("deny"), Spec: networking.NetworkPolicySpec{
		PolicyTypes: []networking.PolicyType{networking.PolicyTypeIngress}, Egress: []networking.NetworkPolicyEgressRule{{}},
	}}},
	{"a role binding", "rbac.authorization.k8s.io/v1", "RoleBinding", &rbac.RoleBinding{ObjectMeta: named("dev"),
		Subjects: []rbac.Subject{{Kind: "User", Name: "jane"}}, RoleRef: rbac.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "dev"},
	}},
	{"a webhook configuration", "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", &admissionregistration.ValidatingWebhookConfiguration{
		ObjectMeta: meta.ObjectMeta{Name: "allot"}, Webhooks: []admissionregistration.ValidatingWebhook{{
			Name: "a.b.c", ClientConfig: admissionregistration.WebhookClientConfig{CABundle: []byte{}, URL: pointer("")}, AdmissionReviewVersions: []string{"v1"},
			Rules: []admissionregistration.RuleWithOperations{{Operations: []admissionregistration.OperationType{"CREATE"}, Rule: admissionregistration.Rule{APIGroups: []string{""}, Resources: []string{"pods"}}}},
		}},
	}},
	{"a certificate request", "certificates.k8s.io/v1", "CertificateSigningRequest", &certificates.CertificateSigningRequest{
		ObjectMeta: meta.ObjectMeta{Name: "jane"}, Spec: certificates.CertificateSigningRequestSpec{Request: []byte{}, SignerName: "a/b", Usages: []certificates.KeyUsage{"client auth"}, Extra: map[string]certificates.ExtraValue{"x": {"y"}}},
	}},
	{"an aggregated API", "apiregistration.k8s.io/v1", "APIService", &apiregistration.APIService{ObjectMeta: meta.ObjectMeta{Name: "v1.x"}, Spec: apiregistration.APIServiceSpec{Group: "x", CABundle: []byte("ca"), GroupPriorityMinimum: 0, VersionPriority: 1}}},
	{"a claim for devices", "resource.k8s.io/v1", "ResourceClaim", &resourceapi.ResourceClaim{ObjectMeta: named("gpu"), Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
		Requests: []resourceapi.DeviceRequest{{Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu", Count: 0}}},
		Config: []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
			Driver: "d", Parameters: runtime.RawExtension{Raw: []byte(`[1]`)},
		}}}},
	}}}},
	{"a custom resource definition", "apiextensions.k8s.io/v1", "CustomResourceDefinition", &apiextensions.CustomResourceDefinition{ObjectMeta: meta.ObjectMeta{Name: "xs.a.b"}, Spec: apiextensions.CustomResourceDefinitionSpec{
		Group: "a.b", Names: apiextensions.CustomResourceDefinitionNames{Plural: "xs", Kind: "X"}, Scope: apiextensions.NamespaceScoped,
		Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
			Type: "object", Ref: pointer("#/x"), XPreserveUnknownFields: pointer(false), Minimum: pointer(0.0), Maximum: pointer(1.5), MaxLength: pointer(int64(0)),
			Default: &apiextensions.JSON{Raw: []byte(`{"a":1}`)}, Enum: []apiextensions.JSON{{Raw: []byte(`null`)}, {Raw: []byte(`"x"`)}},
			Items:                &apiextensions.JSONSchemaPropsOrArray{Schema: &apiextensions.JSONSchemaProps{Type: "string"}},
			AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Allows: false},
			AdditionalItems:      &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensions.JSONSchemaProps{}},
			Dependencies: apiextensions.JSONSchemaDependencies{
				"list": {Property: []string{"a"}}, "schema": {Schema: &apiextensions.JSONSchemaProps{Type: "object"}},
			},
			Properties: map[string]apiextensions.JSONSchemaProps{
				"plain": {}, "many": {Items: &apiextensions.JSONSchemaPropsOrArray{JSONSchemas: []apiextensions.JSONSchemaProps{{Type: "string"}, {}}}},
			},
		}}}},
	}}},
}

func main() {
	log.SetFlags(0)
	serializer := protobuf.NewSerializer(nil, nil)
	var lines []string
	for _, one := range objects {
		one.value.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(one.apiVersion, one.kind))
		var encoded bytes.Buffer
		if err := serializer.Encode(one.value, &encoded); err != nil {
			log.Fatalf("%s: %v", one.name, err)
		}
		text, err := json.Marshal(one.value)
		if err != nil {
			log.Fatalf("%s: %v", one.name, err)
		}
		lines = append(lines, fmt.Sprintf("{\"name\":%q,\"protobuf\":%q,\"json\":%s}", one.name, base64.StdEncoding.EncodeToString(encoded.Bytes()), text))
	}
	fmt.Println("[")
	for i, line := range lines {
		if i < len(lines)-1 {
			line += ","
		}
		fmt.Println(line)
	}
	fmt.Println("]")
}
