import type { DaemonSet, Deployment } from '../../builtin/apps-v1.ts'
import type { LabelSelector } from '../../builtin/meta-v1.ts'
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../builtin/admissionregistration-v1.ts'
import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import {
  type Unchecked,
  objectOf,
  objectsOf,
  specOf,
  textAt,
  textEntries,
  textOf,
  textsOf,
  valueAt,
} from '../../machinery/read.ts'
import type { Peer } from './peer.ts'

/** The kinds in which a peer may run. */
export type PeerRunner = Deployment | DaemonSet
/** A webhook as a cluster has it. */
export type PeerHook = ValidatingWebhook | MutatingWebhook
/** A configuration of webhooks as a cluster has it. */
export type HookConfiguration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration

/** A workload that runs a peer. */
export interface PeerWorkload {
  readonly kind: 'Deployment' | 'DaemonSet'
  readonly namespace: string
  readonly name: string
  readonly replicas: number
  /** '' where neither the image nor a label says it. */
  readonly version: string
  /** Selects its pods, as the API server reads it. */
  readonly selector: string
}

/** A webhook configuration with webhooks of a peer. */
export interface PeerConfiguration {
  readonly object: HookConfiguration
  /** The names of those of the peer. */
  readonly hooks: readonly string[]
}

/** The parts of a peer and of allot that a cluster has. */
export interface PeerFacts {
  /** Those that count: of the namespace that the caller chose, or of all. */
  readonly workloads: readonly PeerWorkload[]
  /** The Services that lead to them, as `namespace/name`. */
  readonly services: readonly string[]
  readonly configurations: readonly PeerConfiguration[]
  /** The CRDs of the kinds that both serve. */
  readonly crds: readonly CustomResourceDefinition[]
  /** How many objects there are of these kinds, and of those that only the peer looks after. */
  readonly counts: Readonly<Record<string, number>>
  readonly unserved: Readonly<Record<string, readonly string[]>>
  /** The custom quotas that are ready, by their uids. */
  readonly ready: readonly string[]
  /** Resources that custom quotas count and that allot may not list. */
  readonly unlistable: readonly string[]
  /** The replicas of the Deployment of allot; undefined where there is none. */
  readonly allotReplicas: number | undefined
}

/** Does a workload run an image of the peer? */
export function runsPeer(workload: PeerRunner, { images }: Peer): boolean {
  return imagesOf(workload).some((image) => images.includes(repositoryOf(image)))
}

/** The facts that matter of a Deployment or DaemonSet of a peer. */
export function peerWorkload(workload: PeerRunner, peer: Peer): PeerWorkload {
  const { replicas } = specOf<Deployment>(workload)
  const image = imagesOf(workload).find((one) => peer.images.includes(repositoryOf(one))) ?? ''
  return {
    kind: workload.kind === 'DaemonSet' ? 'DaemonSet' : 'Deployment',
    namespace: workload.metadata.namespace ?? '',
    name: workload.metadata.name ?? '',
    replicas: typeof replicas === 'number' ? replicas : 1,
    version: tagOf(image) || (workload.metadata.labels?.[VERSION_LABEL] ?? podVersionOf(workload)),
    selector: selectorText(specOf(workload).selector),
  }
}

/** A label selector as the API server reads it in a query. */
function selectorText(selector: Unchecked<LabelSelector> | undefined): string {
  const expressions = objectsOf(valueAt(selector, 'matchExpressions')).map(({ key, operator, values }) => {
    if (operator === 'Exists') return textOf(key)
    if (operator === 'DoesNotExist') return `!${textOf(key)}`
    return `${textOf(key)} ${operator === 'NotIn' ? 'notin' : 'in'} (${textsOf(values).join(',')})`
  })
  const labels = textEntries(valueAt(selector, 'matchLabels')).map(([label, value]) => `${label}=${value}`)
  return [...labels, ...expressions].join(',')
}

/** The webhooks of a configuration, none where there is no configuration. */
export const webhooksOf = (configuration: HookConfiguration | undefined): readonly PeerHook[] =>
  objectsOf(configuration?.webhooks)

/** Is a webhook one of a peer? Its name says it, or it asks one of the Services that lead to the peer. */
export const isHookOf = (hook: PeerHook, { hookDomains }: Peer, services: readonly string[]): boolean =>
  hookDomains.some((domain) => textAt(hook, 'name').endsWith(`.${domain}`)) || services.includes(serviceOf(hook))

/** The Service that a webhook asks, as `namespace/name`. */
export const serviceOf = (hook: PeerHook): string =>
  `${textAt(hook, 'clientConfig', 'service', 'namespace')}/${textAt(hook, 'clientConfig', 'service', 'name')}`

const VERSION_LABEL = 'app.kubernetes.io/version'

const podVersionOf = (workload: PeerRunner): string =>
  textOf(objectOf(valueAt(workload, 'spec', 'template', 'metadata', 'labels'))[VERSION_LABEL])

const imagesOf = (workload: PeerRunner): readonly string[] =>
  objectsOf(valueAt(workload, 'spec', 'template', 'spec', 'containers')).map(({ image }) => textOf(image))

/** The last part of an image's name: `capsule` of `ghcr.io/projectcapsule/capsule:v0.14.0@sha256:…`. */
const repositoryOf = (image: string): string => (lastPartOf(image).split(':')[0] ?? '').trim()
/** '' for an image that is named by its digest alone. */
const tagOf = (image: string): string => lastPartOf(image).split(':')[1] ?? ''
const lastPartOf = (image: string): string => (image.split('@')[0] ?? '').split('/').at(-1) ?? ''

/** A peer's webhook decides on kinds that allot serves, on objects that custom quotas count, or on a matter of the peer alone. */
export type HookPurpose = 'kinds' | 'charges' | 'other'

/** The webhook with which Capsule decides on the objects of users. */
const CHARGES = /(?:^|\/)(?:calculation\.custom-quotas\.|custom-quotas\/calculations$)/

/** The purpose of a webhook of a peer. */
export function purposeOf(hook: PeerHook, { kinds }: Peer): HookPurpose {
  const path = textAt(hook, 'clientConfig', 'service', 'path') || textAt(hook, 'clientConfig', 'url')
  if (CHARGES.test(textAt(hook, 'name')) || CHARGES.test(path)) return 'charges'
  const rules = objectsOf(hook.rules)
  const isServed = rules.every((rule) =>
    textsOf(rule.resources).every((resource) =>
      kinds.some((kind) => kind.resource === resource.split('/')[0] && textsOf(rule.apiGroups).includes(kind.group)),
    ),
  )
  return rules.length > 0 && isServed ? 'kinds' : 'other'
}
