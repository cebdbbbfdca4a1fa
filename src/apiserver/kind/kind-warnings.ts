import { isDNS1123Label } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { claimWarnings, podWarnings } from './pod-warnings.ts'
import { objectOf, specOf, valueAt } from './read.ts'
import type { Strategy } from './strategy.ts'

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

/** What clients are warned of when they write objects of these kinds, by resource. */
export const kindWarnings: Readonly<Record<string, Warnings>> = {
  pods: ofPod,
  podtemplates: ofTemplate(['template'], false),
  replicationcontrollers: ofTemplate(TEMPLATE, true),
  'replicasets.apps': ofTemplate(TEMPLATE, true),
  'deployments.apps': ofTemplate(TEMPLATE, true),
  'statefulsets.apps': ofTemplate(TEMPLATE, false),
  'daemonsets.apps': ofTemplate(TEMPLATE, false),
  'jobs.batch': ofTemplate(TEMPLATE, true),
  'cronjobs.batch': ofTemplate(['spec', 'jobTemplate', ...TEMPLATE], true),
  persistentvolumeclaims: (object) => claimWarnings(specOf(object), 'spec'),
  namespaces: ofNamespace,
  'validatingadmissionpolicies.admissionregistration.k8s.io': unevaluated('ValidatingAdmissionPolicies'),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': unevaluated('ValidatingAdmissionPolicies'),
  'mutatingadmissionpolicies.admissionregistration.k8s.io': unevaluated('MutatingAdmissionPolicies'),
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': unevaluated('MutatingAdmissionPolicies'),
}
