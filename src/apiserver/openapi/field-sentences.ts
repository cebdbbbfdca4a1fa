/** The description of a type and of each of its fields, in sentences of our own. */
export interface Sentences {
  readonly type: string
  readonly fields: Readonly<Record<string, string>>
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const CORE = 'io.k8s.api.core.v1'

export const API_VERSION = 'The API group and version in which this object is written, such as `v1` or `apps/v1`.'
export const KIND = 'The kind of this object, such as `ResourceQuota`.'
export const METADATA = 'The name, the labels and everything else that objects of all kinds have.'
const identity = { apiVersion: API_VERSION, kind: KIND, metadata: METADATA }

/** By the name of the definition. `kubectl explain` prints them. */
export const FIELD_SENTENCES: Readonly<Record<string, Sentences>> = {
  [`${CORE}.ResourceQuota`]: {
    type: 'A ResourceQuota limits how much the objects of its namespace may use together. What does not fit is refused when it is written.',
    fields: {
      ...identity,
      spec: 'The limits, and which objects count.',
      status: 'The limits that are enforced now, and how much of them is used.',
    },
  },
  [`${CORE}.ResourceQuotaSpec`]: {
    type: 'The limits of a quota, and which objects count.',
    fields: {
      hard: 'The most that may be used of each resource, such as `requests.cpu: "4"`, `pods: "10"` or `count/configmaps: "20"`. A resource that is not named here is not limited.',
      scopes:
        'Only pods that every one of these scopes matches count: `Terminating`, `NotTerminating`, `BestEffort`, `NotBestEffort`, `PriorityClass`, `CrossNamespacePodAffinity`. Without scopes all objects count.',
      scopeSelector: 'Like `scopes`, with conditions on values, such as the names of priority classes.',
    },
  },
  [`${CORE}.ScopeSelector`]: {
    type: 'Conditions on what counts.',
    fields: { matchExpressions: 'The conditions. An object counts only when all of them hold.' },
  },
  [`${CORE}.ScopedResourceSelectorRequirement`]: {
    type: 'One condition on a scope.',
    fields: {
      scopeName: 'The scope that the condition is about, such as `PriorityClass`.',
      operator: 'How the values are compared: `In`, `NotIn`, `Exists` or `DoesNotExist`.',
      values: 'The values for `In` and `NotIn`. With `Exists` and `DoesNotExist` there must be none.',
    },
  },
  [`${CORE}.ResourceQuotaStatus`]: {
    type: 'The state of a quota.',
    fields: {
      hard: 'The limits that are enforced. They follow `spec.hard`.',
      used: 'How much of each resource the objects of the namespace use now.',
    },
  },
  [`${CORE}.LimitRange`]: {
    type: 'A LimitRange gives the containers, pods and volume claims of its namespace defaults and bounds, each by itself.',
    fields: { ...identity, spec: 'The defaults and bounds.' },
  },
  [`${CORE}.LimitRangeSpec`]: {
    type: 'The defaults and bounds of a namespace.',
    fields: { limits: 'One entry for each sort of object. All entries of a sort apply.' },
  },
  [`${CORE}.LimitRangeItem`]: {
    type: 'Defaults and bounds for one sort of object.',
    fields: {
      type: 'The sort of object: `Container`, `Pod` or `PersistentVolumeClaim`.',
      max: 'The most of each resource that one object may ask for or be limited to.',
      min: 'The least of each resource that one object must ask for.',
      default: 'The limits of a container that sets none.',
      defaultRequest: 'The requests of a container that sets none. Without them they are its limits.',
      maxLimitRequestRatio: 'The most that a limit may be as a multiple of its request.',
    },
  },
  'io.k8s.api.scheduling.v1.PriorityClass': {
    type: 'A PriorityClass gives a name to a priority, which pods take by that name. Quotas can count pods of a class by themselves.',
    fields: {
      ...identity,
      value: 'The priority of pods of this class. Pods with a higher one are scheduled first. It cannot be changed.',
      globalDefault: 'When this is true, pods that name no class get this one. At most one class should say so.',
      preemptionPolicy:
        'How pods of this class get room from others with a lower priority: `PreemptLowerPriority` (the default) displaces them, `Never` waits.',
      description: 'For people: when this class should be used.',
    },
  },
  [`${META}.ObjectMeta`]: {
    type: 'What objects of all kinds have.',
    fields: {
      name: 'The name of the object, unique among the objects of its kind in its namespace. It cannot be changed.',
      generateName: 'The beginning of a name that the server completes, for an object that is created without a name.',
      namespace:
        'The namespace that the object is in. Empty for kinds that are not in namespaces. It cannot be changed.',
      labels: 'Keys and values by which objects are selected.',
      annotations: 'Keys and values for tools and people. Nothing is selected by them.',
      uid: 'The identity of this object: another one that gets its name later has a different one. The server sets it.',
      resourceVersion:
        'The version of the object in the store. Send it with an update to have that refused when another write came before.',
      generation: 'A number that grows with each change of what is desired. The server sets it.',
      creationTimestamp: 'When the object was created. The server sets it.',
      deletionTimestamp: 'When the object is to be gone. The server sets it when a deletion has to wait.',
      deletionGracePeriodSeconds: 'How many seconds the object was given to end. The server sets it with a deletion.',
      finalizers:
        'What has to be done before the object goes. Each entry is removed by the controller that has done its part.',
      ownerReferences: 'The objects that this one belongs to. It is deleted when all of them are gone.',
      managedFields: 'Which manager has set which fields. Server-side apply keeps these records.',
      selfLink: 'Not used any more. The server leaves it empty.',
    },
  },
  [`${META}.OwnerReference`]: {
    type: 'An object that another one belongs to, in the same namespace or in none.',
    fields: {
      apiVersion: 'The API group and version of the owner.',
      kind: 'The kind of the owner.',
      name: 'The name of the owner.',
      uid: 'The uid of the owner: another object with its name is not the owner.',
      controller: 'When this is true, the owner is the controller that manages this object. At most one is.',
      blockOwnerDeletion:
        'When this is true, a deletion of the owner in the foreground waits until this object is gone.',
    },
  },
  [`${META}.ManagedFieldsEntry`]: {
    type: 'The fields that one manager has set.',
    fields: {
      manager: 'The name of the manager.',
      operation: 'How it has set them: `Apply` or `Update`.',
      apiVersion: 'The version of the object in which the fields are named.',
      time: 'When the manager last changed its fields or their values.',
      fieldsType: 'The form of `fieldsV1`. `FieldsV1` is the only one.',
      fieldsV1: 'The names of the fields.',
      subresource: 'The subresource through which they were set, such as `status`. Empty for the object itself.',
    },
  },
  [`${META}.FieldsV1`]: {
    type: 'Names of fields as a tree: `f:` before a field, `k:` before the key of an item.',
    fields: {},
  },
  [`${META}.Time`]: { type: 'A time in RFC 3339, such as `2026-01-31T12:00:00Z`.', fields: {} },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {
    type: 'An amount, such as `500m`, `2`, `1Gi` or `1.5e3`.',
    fields: {},
  },
}
