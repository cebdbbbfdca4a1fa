"""Talks to an API server through the Python client: makes each check beside the others, in a namespace of its own, and
prints a line of JSON for it, with an error that is empty when the check holds."""

import json
import os
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.informer import SharedInformer
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

PATIENCE = 30


def config_map(name, data=None, labels=None):
    return client.V1ConfigMap(
        metadata=client.V1ObjectMeta(name=name, labels={"check": "yes", **(labels or {})}), data=data
    )


def deployment(name, replicas):
    container = client.V1Container(
        name="main", image="nginx:1", resources=client.V1ResourceRequirements(requests={"cpu": "250m"})
    )
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": name}), spec=client.V1PodSpec(containers=[container])
    )
    selector = client.V1LabelSelector(match_labels={"app": name})
    spec = client.V1DeploymentSpec(replicas=replicas, selector=selector, template=template)
    return client.V1Deployment(metadata=client.V1ObjectMeta(name=name), spec=spec)


def same(what, is_, should):
    if is_ != should:
        raise AssertionError(f"{what}: is {is_!r}, should be {should!r}")


def refused(code, reason, call):
    """What the server answers to a call that it should refuse."""
    try:
        call()
    except ApiException as error:
        status = json.loads(error.body)
        same("code, reason", [error.status, status["code"], status["reason"]], [code, code, reason])
        return status
    raise AssertionError(f"was not refused with {code}")


def check_crud(ns):
    apps, core = client.AppsV1Api(), client.CoreV1Api()
    made = apps.create_namespaced_deployment(ns, deployment("web", 2))
    same("default strategy", made.spec.strategy.type, "RollingUpdate")
    made.spec.replicas = 3
    changed = apps.replace_namespaced_deployment("web", ns, made)
    same("generation", changed.metadata.generation, 2)
    same("what is read", apps.read_namespaced_deployment("web", ns).to_dict(), changed.to_dict())
    scale = apps.patch_namespaced_deployment_scale("web", ns, {"spec": {"replicas": 5}})
    same("scale", scale.spec.replicas, 5)
    changed.status.observed_generation = 2
    refused(409, "Conflict", lambda: apps.replace_namespaced_deployment_status("web", ns, changed))
    status = apps.patch_namespaced_deployment_status("web", ns, {"status": {"observedGeneration": 3}})
    same("status", [status.spec.replicas, status.status.observed_generation], [5, 3])
    apps.delete_namespaced_deployment("web", ns, propagation_policy="Foreground")
    core.create_namespaced_secret(ns, client.V1Secret(metadata=client.V1ObjectMeta(name="s"), string_data={"a": "b"}))
    same("secret", core.read_namespaced_secret("s", ns).data, {"a": "Yg=="})
    pod = client.V1Pod(metadata=client.V1ObjectMeta(generate_name="p-"), spec=deployment("p", 1).spec.template.spec)
    name = core.create_namespaced_pod(ns, pod).metadata.name
    core.delete_namespaced_pod(name, ns, grace_period_seconds=0)
    token = core.create_namespaced_service_account_token(
        "default", ns, client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[]))
    )
    same("token", len(token.status.token.split(".")), 3)


def check_list(ns):
    core = client.CoreV1Api()
    for number in range(7):
        core.create_namespaced_config_map(ns, config_map(f"m{number}", labels={"odd": str(number % 2)}))
    sizes, token = [], None
    while token != "":
        page = core.list_namespaced_config_map(ns, label_selector="check", limit=3, _continue=token)
        sizes.append(len(page.items))
        token = page.metadata._continue or ""
    same("pages", sizes, [3, 3, 1])
    odd = core.list_namespaced_config_map(ns, label_selector="odd=1,check in (yes)")
    same("by labels", [item.metadata.name for item in odd.items], ["m1", "m3", "m5"])
    one = core.list_config_map_for_all_namespaces(field_selector=f"metadata.name=m4,metadata.namespace={ns}")
    same("by fields", [item.metadata.name for item in one.items], ["m4"])
    core.delete_collection_namespaced_config_map(ns, label_selector="odd=1")
    same("left", len(core.list_namespaced_config_map(ns, label_selector="check").items), 4)


def check_watch(ns):
    core = client.CoreV1Api()

    def told(version, count):
        """The next events behind a version; the stream is left when there are enough."""
        watcher, seen = watch.Watch(), []
        stream = watcher.stream(
            core.list_namespaced_config_map, ns, label_selector="check", resource_version=version, timeout_seconds=PATIENCE
        )
        for event in stream:
            seen.append((event["type"], event["object"].metadata.name, event["object"].metadata.resource_version))
            if len(seen) == count:
                watcher.stop()
        return seen

    version = core.list_namespaced_config_map(ns).metadata.resource_version
    with ThreadPoolExecutor() as pool:
        watching = pool.submit(told, version, 3)
        core.create_namespaced_config_map(ns, config_map("a"))
        core.patch_namespaced_config_map("a", ns, {"data": {"k": "v"}})
        core.delete_namespaced_config_map("a", ns)
        events = watching.result(PATIENCE)
    same("events", [event[:2] for event in events], [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")])
    same("resumed behind the first", told(events[0][2], 2), events[1:])
    # When its time is over a watch ends, and the client knows from which version to go on.
    watcher = watch.Watch()
    brief = watcher.stream(core.list_namespaced_config_map, ns, label_selector="check", resource_version=version, timeout_seconds=1)
    same("ends with its time", [event["type"] for event in brief], ["ADDED", "MODIFIED", "DELETED"])
    same("where to go on", watcher.resource_version is not None, True)
    to_come = watch.Watch().stream(core.list_namespaced_config_map, ns, resource_version="999999999", timeout_seconds=1)
    same("from a version to come", list(to_come), [])


def check_informer(ns):
    core = client.CoreV1Api()
    core.create_namespaced_config_map(ns, config_map("before"))
    seen, changed = [], threading.Condition()

    def tell(kind):
        def handler(value):
            with changed:
                seen.append((kind, value.metadata.name))
                changed.notify_all()

        return handler

    def until(event):
        with changed:
            if not changed.wait_for(lambda: event in seen, PATIENCE):
                raise AssertionError(f"never saw {event}: {seen}")

    informer = SharedInformer(core.list_namespaced_config_map, namespace=ns, label_selector="check")
    for kind in ("ADDED", "MODIFIED", "DELETED"):
        informer.add_event_handler(kind, tell(kind))
    informer.start()
    until(("ADDED", "before"))
    core.create_namespaced_config_map(ns, config_map("after"))
    until(("ADDED", "after"))
    core.patch_namespaced_config_map("after", ns, {"data": {"k": "v"}})
    until(("MODIFIED", "after"))
    core.delete_namespaced_config_map("before", ns)
    until(("DELETED", "before"))
    same("the cache", [item.metadata.name for item in informer.cache.list()], ["after"])
    informer.stop()


def check_patch(ns):
    apps = client.AppsV1Api()
    apps.create_namespaced_deployment(ns, deployment("web", 1))

    def patch(body, kind):
        api = client.ApiClient()
        api.set_default_header("Content-Type", kind)
        return client.AppsV1Api(api).patch_namespaced_deployment("web", ns, body, _content_type=kind)

    def images(body, kind):
        return {item.name: item.image for item in patch(body, kind).spec.template.spec.containers}

    def containers(*items):
        return {"spec": {"template": {"spec": {"containers": list(items)}}}}

    side, only = {"name": "side", "image": "s:1"}, {"name": "only", "image": "o:1"}
    strategic = images(containers(side), "application/strategic-merge-patch+json")
    same("strategic", strategic, {"main": "nginx:1", "side": "s:1"})
    same("merge", images(containers(only), "application/merge-patch+json"), {"only": "o:1"})
    operations = [{"op": "test", "path": "/spec/replicas", "value": 1}, {"op": "replace", "path": "/spec/replicas", "value": 4}]
    same("json", patch(operations, "application/json-patch+json").spec.replicas, 4)


def check_dynamic(ns):
    api = dynamic.DynamicClient(client.ApiClient())
    same("found by kind", api.resources.get(api_version="apps/v1", kind="Deployment").name, "deployments")
    same("found by short name", api.resources.get(short_names=["quota"]).kind, "ResourceQuota")
    maps = api.resources.get(api_version="v1", kind="ConfigMap")

    def apply(manager, data, **how):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}}
        body.update({} if data is None else {"data": data})
        return maps.server_side_apply(body=body, namespace=ns, field_manager=manager, **how)

    apply("one", {"a": "1", "b": "1"})
    status = refused(409, "Conflict", lambda: apply("two", {"a": "2"}))
    same("cause", status["details"]["causes"][0]["reason"], "FieldManagerConflict")
    same("forced", apply("two", {"a": "2"}, force_conflicts=True).data.to_dict(), {"a": "2", "b": "1"})
    same("given up", apply("one", None).data.to_dict(), {"a": "2"})
    managers = [entry.manager for entry in maps.get(name="applied", namespace=ns).metadata.managedFields]
    same("managers", managers, ["two"])
    events = maps.watch(namespace=ns, resource_version="0", timeout=PATIENCE)
    same("watch", "applied" in [next(events)["object"].metadata.name for _ in range(2)], True)
    maps.delete(name="applied", namespace=ns)
    refused(404, "NotFound", lambda: maps.get(name="applied", namespace=ns))


CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.python.example.com}
spec:
  group: python.example.com
  scope: Namespaced
  names: {plural: gizmos, singular: gizmo, kind: Gizmo, listKind: GizmoList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties: {size: {type: integer, maximum: 10}, color: {type: string, default: red}}
          status: {type: object, properties: {size: {type: integer}}}
"""


def check_custom(ns):
    definitions = client.ApiextensionsV1Api()
    definitions.create_custom_resource_definition(yaml.safe_load(CRD))
    selector = "metadata.name=gizmos.python.example.com"
    watcher = watch.Watch()
    for event in watcher.stream(definitions.list_custom_resource_definition, field_selector=selector, timeout_seconds=PATIENCE):
        conditions = event["object"].status.conditions if event["object"].status else []
        if any(item.type == "Established" and item.status == "True" for item in conditions or []):
            watcher.stop()
    custom, place = client.CustomObjectsApi(), ("python.example.com", "v1", ns, "gizmos")

    def gizmo(size):
        return {"apiVersion": "python.example.com/v1", "kind": "Gizmo", "metadata": {"name": "g"}, "spec": {"size": size}}

    status = refused(422, "Invalid", lambda: custom.create_namespaced_custom_object(*place, gizmo(11)))
    same("field", [cause["field"] for cause in status["details"]["causes"]], ["spec.size"])
    made = custom.create_namespaced_custom_object(*place, gizmo(3))
    same("default", made["spec"], {"size": 3, "color": "red"})
    custom.patch_namespaced_custom_object(*place, "g", {"spec": {"color": "blue"}})
    written = custom.patch_namespaced_custom_object_status(*place, "g", {"status": {"size": 2}})
    same("status", [written["spec"]["color"], written["status"]], ["blue", {"size": 2}])
    same("scale", custom.get_namespaced_custom_object_scale(*place, "g")["spec"], {"replicas": 3})
    same("list", [item["metadata"]["name"] for item in custom.list_namespaced_custom_object(*place)["items"]], ["g"])
    custom.delete_namespaced_custom_object(*place, "g")
    gizmos = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="python.example.com/v1", kind="Gizmo")
    same("discovered", gizmos.subresources.keys() >= {"status", "scale"}, True)
    same("created again", gizmos.create(body=gizmo(1), namespace=ns).spec.color, "red")
    definitions.delete_custom_resource_definition("gizmos.python.example.com")


def check_yaml(ns):
    documents = """
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {a: b}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}
- apiVersion: batch/v1
  kind: Job
  metadata: {name: job}
  spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1"}]}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
"""
    utils.create_from_yaml(client.ApiClient(), yaml_objects=yaml.safe_load_all(documents), namespace=ns)
    same("job", client.BatchV1Api().read_namespaced_job("job", ns).spec.completions, 1)
    same("role", client.RbacAuthorizationV1Api().read_namespaced_role("reader", ns).rules[0].verbs, ["get"])
    try:
        utils.create_from_yaml(client.ApiClient(), yaml_objects=yaml.safe_load_all(documents), namespace=ns)
        raise AssertionError("was made twice")
    except utils.FailToCreateError as error:
        same("why not", [failure.status for failure in error.api_exceptions], [409, 409, 409, 409])


def check_election(ns, lock):
    """The first candidate dies of its work, and the second leads when the lease has run out."""
    stages, leads = [], {name: threading.Event() for name in ("first", "second")}

    def candidate(name, work):
        def started():
            stages.append(name + " leads")
            leads[name].set()
            work()

        settings = electionconfig.Config(
            lock("lead", ns, name),
            lease_duration=3,
            renew_deadline=2,
            retry_period=1,
            onstarted_leading=started,
            onstopped_leading=lambda: stages.append(name + " stops"),
        )
        threading.Thread(target=leaderelection.LeaderElection(settings).run, daemon=True).start()

    over = threading.Event()

    def dies():
        over.wait(PATIENCE)
        raise RuntimeError("the work is over")

    candidate("first", dies)
    same("the first leads", leads["first"].wait(PATIENCE), True)
    candidate("second", lambda: None)
    over.set()
    same("the second leads", leads["second"].wait(PATIENCE), True)
    same("stages", stages, ["first leads", "first stops", "second leads"])


def check_errors(ns):
    core = client.CoreV1Api()
    status = refused(404, "NotFound", lambda: core.read_namespaced_pod("none", ns))
    same("message", status["message"], 'pods "none" not found')
    core.create_namespaced_config_map(ns, config_map("a"))
    refused(409, "AlreadyExists", lambda: core.create_namespaced_config_map(ns, config_map("a")))
    status = refused(422, "Invalid", lambda: core.create_namespaced_config_map(ns, config_map("Bad_Name")))
    same("field", status["details"]["causes"][0]["field"], "metadata.name")
    quota = client.V1ResourceQuota(metadata=client.V1ObjectMeta(name="none"), spec=client.V1ResourceQuotaSpec(hard={"secrets": "0"}))
    core.create_namespaced_resource_quota(ns, quota)
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="s"))
    status = refused(403, "Forbidden", lambda: core.create_namespaced_secret(ns, secret))
    same("why", "exceeded quota: none, requested: secrets=1, used: secrets=0, limited: secrets=0" in status["message"], True)
    stale = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="0"))
    refused(409, "Conflict", lambda: core.delete_namespaced_config_map("a", ns, body=stale))
    anonymous = client.Configuration.get_default_copy()
    anonymous.api_key = {}
    refused(403, "Forbidden", lambda: client.CoreV1Api(client.ApiClient(anonymous)).list_namespaced_pod(ns))
    core.create_namespaced_config_map(ns, config_map("dry"), dry_run="All")
    refused(404, "NotFound", lambda: core.read_namespaced_config_map("dry", ns))


CHECKS = {
    "crud": check_crud,
    "list": check_list,
    "watch": check_watch,
    "informer": check_informer,
    "patch": check_patch,
    "dynamic": check_dynamic,
    "custom": check_custom,
    "yaml": check_yaml,
    "lease": lambda ns: check_election(ns, LeaseLock),
    "config-map-lock": lambda ns: check_election(ns, ConfigMapLock),
    "errors": check_errors,
}


def outcome(name):
    namespace = f"python-{name}"
    try:
        client.CoreV1Api().create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))
        CHECKS[name](namespace)
        return name, ""
    except Exception:  # whatever it is, it is what the check found
        return name, traceback.format_exc()


if __name__ == "__main__":
    config.load_kube_config()
    with ThreadPoolExecutor(max_workers=len(CHECKS)) as pool:
        for name, error in pool.map(outcome, sys.argv[1:] or CHECKS):
            print(json.dumps({"check": name, "error": error}), flush=True)
    os._exit(0)  # threads of elections go on as long as they lead
