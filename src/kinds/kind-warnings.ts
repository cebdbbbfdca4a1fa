import type { Node, Secret } from '../builtin/core-v1.ts'
import type { Ingress } from '../builtin/networking-v1.ts'
import type { StatefulSet } from '../builtin/apps-v1.ts'
import type { CSIStorageCapacity } from '../builtin/storage-v1.ts'
import { isDNS1123Label } from '../machinery/names.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { CertificateChecks } from './certificates/checks.ts'
import { crdWarnings } from './apiextensions/format-warnings.ts'
import { claimWarnings, nodeTermWarnings, podWarnings } from './core/pod/warnings.ts'
import { absent, countOf, numberOf, objectOf, objectsOf, specOf, textOf, valueAt } from '../machinery/read.ts'
import { networkPolicyWarnings, serviceWarnings } from './core/service/warnings.ts'
import { persistentVolumeClaimWarnings, persistentVolumeWarnings, storageClassWarnings } from './storage/warnings.ts'
import type { Strategy } from './strategy/strategy.ts'

type Warnings = NonNullable<Strategy['warnings']>

const SURPRISING = 'which can result in surprising behavior; a DNS label is recommended'

/** Names that hosts are given should be labels. */
function nameWarnings({ metadata: { name = '' } }: KubeObject, use: string): readonly string[] {
  const problems = isDNS1123Label(name)
  return problems.length === 0 ? [] : [`metadata.name: this is used in ${use}, ${SURPRISING}: [${problems.join(' ')}]`]
}

/** Pods are written often, and by programs: only a new one is looked at. */
const ofPod: Warnings = (object, old) =>
  old === undefined ? [...nameWarnings(object, "the Pod's hostname"), ...podWarnings(object, '')] : []

/** A template is looked at when its object is new or its spec has changed. */
const ofTemplate =
  (path: readonly string[], namesPods: boolean): Warnings =>
  (object, old) => {
    if (old !== undefined && object.metadata.generation === old.metadata.generation) return []
    return [
      ...(namesPods && old === undefined ? nameWarnings(object, 'Pod names and hostnames') : []),
      ...podWarnings(objectOf(valueAt(object, ...path)), path.join('.')),
    ]
  }

const TEMPLATE = ['spec', 'template']

/** A set's claims are looked at with it. */
const ofStatefulSet: Warnings = (object: StatefulSet, old) => {
  const { revisionHistoryLimit, volumeClaimTemplates } = specOf(object)
  return [
    ...ofTemplate(TEMPLATE, false)(object, old),
    ...objectsOf(volumeClaimTemplates).flatMap(({ spec }, index) =>
      claimWarnings(objectOf(spec), `spec.volumeClaimTemplates[${index}]`),
    ),
    ...((numberOf(revisionHistoryLimit) ?? 0) < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ]
}

const MOST_COMPLETIONS = 100_000
const MOST_PARALLEL = 10_000

/** A job is looked at with its template. */
const ofJob =
  (path: readonly string[]): Warnings =>
  (object, old) => {
    const { completionMode, completions, parallelism } = objectOf(valueAt(object, ...path))
    const isHuge =
      completionMode === 'Indexed' && countOf(completions) > MOST_COMPLETIONS && countOf(parallelism) > MOST_PARALLEL
    return [
      ...(isHuge
        ? [
            `${path.join('.')}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
          ]
        : []),
      ...ofTemplate([...path, 'template'], true)(object, old),
    ]
  }

const INGRESS_CLASS = 'kubernetes.io/ingress.class'

/** The annotation that came before the field is warned of in new ingresses. */
const ofIngress: Warnings = (object: Ingress, old) =>
  old === undefined &&
  object.metadata.annotations?.[INGRESS_CLASS] !== undefined &&
  absent(specOf(object).ingressClassName)
    ? [`annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
    : []

const decoded = (value: unknown): string => Buffer.from(textOf(value), 'base64').toString('latin1')

/** A certificate cannot be used without its key. */
const ofSecret =
  (keyPairProblem: CertificateChecks['keyPairProblem']): Warnings =>
  ({ type, data }: Secret) => {
    if (type !== 'kubernetes.io/tls') return []
    const pair = objectOf(data)
    const problem = keyPairProblem(decoded(pair['tls.crt']), decoded(pair['tls.key']))
    return problem === undefined ? [] : [problem]
  }

const ofNode: Warnings = (object: Node) => {
  const { configSource, externalID } = specOf(object)
  return [
    ...(absent(configSource) ? [] : ['spec.configSource: the feature is removed']),
    ...(textOf(externalID) === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
  ]
}

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets'

/** An annotation of accounts is warned of when it comes or changes. */
const ofAccount: Warnings = ({ metadata }, old) => {
  const value = metadata.annotations?.[MOUNTABLE]
  return value === undefined || value === old?.metadata.annotations?.[MOUNTABLE]
    ? []
    : [
        `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ]
}

/** Says of what admission only stores that it is not evaluated here. */
const unevaluated =
  (what: string): Warnings =>
  () => [`allot up stores ${what} but does not evaluate them`]

const ENFORCE = 'pod-security.kubernetes.io/enforce'

/** Labels of Pod Security are warned of when they come or change. */
const ofNamespace: Warnings = ({ metadata }, old) => {
  const level = metadata.labels?.[ENFORCE]
  return level === undefined || level === 'privileged' || level === old?.metadata.labels?.[ENFORCE]
    ? []
    : [`allot up does not enforce Pod Security: the label ${ENFORCE} has no effect`]
}

/** The warnings for clients that write objects of these kinds, by resource. */
export const kindWarnings = ({ keyPairProblem }: CertificateChecks): Readonly<Record<string, Warnings>> => ({
  pods: ofPod,
  podtemplates: ofTemplate(['template'], false),
  replicationcontrollers: ofTemplate(TEMPLATE, true),
  'replicasets.apps': ofTemplate(TEMPLATE, true),
  'deployments.apps': ofTemplate(TEMPLATE, true),
  'statefulsets.apps': ofStatefulSet,
  'daemonsets.apps': ofTemplate(TEMPLATE, false),
  'jobs.batch': ofJob(['spec']),
  'cronjobs.batch': ofJob(['spec', 'jobTemplate', 'spec']),
  persistentvolumeclaims: persistentVolumeClaimWarnings,
  persistentvolumes: persistentVolumeWarnings,
  'storageclasses.storage.k8s.io': storageClassWarnings,
  'csistoragecapacities.storage.k8s.io': ({ nodeTopology }: CSIStorageCapacity) =>
    objectsOf(objectOf(nodeTopology).matchExpressions).length === 0
      ? []
      : nodeTermWarnings(objectOf(nodeTopology), 'nodeTopology'),
  services: serviceWarnings,
  secrets: ofSecret(keyPairProblem),
  serviceaccounts: ofAccount,
  nodes: ofNode,
  'ingresses.networking.k8s.io': ofIngress,
  'networkpolicies.networking.k8s.io': networkPolicyWarnings,
  'customresourcedefinitions.apiextensions.k8s.io': crdWarnings,
  namespaces: ofNamespace,
  'validatingadmissionpolicies.admissionregistration.k8s.io': unevaluated('ValidatingAdmissionPolicies'),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': unevaluated('ValidatingAdmissionPolicies'),
  'mutatingadmissionpolicies.admissionregistration.k8s.io': unevaluated('MutatingAdmissionPolicies'),
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': unevaluated('MutatingAdmissionPolicies'),
})
