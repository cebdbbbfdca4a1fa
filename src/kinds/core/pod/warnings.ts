import type { NodeSelectorTerm, PersistentVolumeClaimSpec } from '../../../builtin/core-v1.ts'
import type { LabelSelector } from '../../../builtin/meta-v1.ts'
import { goQuote } from '../../../machinery/go/quote.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { absent, countOf, isEmptyMap, numberOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'

/** Most pods get no warnings. */
const NONE: readonly string[] = []

/** Node labels that have others now. */
const OLD_NODE_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
])

const OLD_ANNOTATIONS: readonly (readonly [string, string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]

const OLD_VOLUMES: ReadonlyMap<string, string> = new Map([
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
])

const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
const NO_SELECTOR = 'a null labelSelector results in matching no pod'
/** In the order in which upstream visits containers. */
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const

/** A pod, or the template of pods at `path`; a pod itself stands at ''. */
interface Described {
  readonly spec: JsonObject
  readonly annotations: JsonObject
  readonly path: string
}

/** Returns the warnings about a pod, or about a pod template at `path`, in the words of Kubernetes 1.36. */
export function podWarnings(pod: JsonObject, path: string): readonly string[] {
  const at = path === '' ? '' : `${path}.`
  const described: Described = {
    spec: objectOf(pod.spec),
    annotations: objectOf(objectOf(pod.metadata).annotations),
    path: at,
  }
  const { spec } = described
  const containers: (readonly [JsonObject, string])[] = []
  for (const list of CONTAINERS)
    for (const [index, container] of objectsOf(spec[list]).entries())
      containers.push([container, `${at}spec.${list}[${index}]`])
  return [
    ...nodeLabelWarnings(described),
    ...annotationWarnings(described),
    ...volumeWarnings(described),
    ...repeated(spec.hostAliases, 'ip', `${at}spec.hostAliases`),
    ...repeated(spec.imagePullSecrets, 'name', `${at}spec.imagePullSecrets`),
    ...namelessSecrets(described),
    ...byteWarnings(spec.overhead, `${at}spec.overhead`),
    ...seccompWarnings(described),
    ...containers.flatMap(([container, place]) => containerWarnings(container, place, described)),
    ...portWarnings(containers),
    ...graceWarnings(described),
    ...affinityWarnings(described),
  ]
}

/** A fraction of a byte does not exist, so the author probably meant `M` by `m`. */
export function byteWarnings(
  amounts: unknown,
  path: string,
  names: readonly string[] = ['memory', 'ephemeral-storage'],
): readonly string[] {
  const given = objectOf(amounts)
  let found: string[] | undefined
  for (const name of names) {
    const amount = amountOf(given[name])
    if (amount === undefined || amount.milliValue() % 1000n === 0n) continue
    const shown = goQuote(amount.toString())
    ;(found ??= []).push(`${path}[${name}]: fractional byte value ${shown} is invalid, must be an integer`)
  }
  return found ?? NONE
}

function nodeLabelWarnings({ spec, path }: Described): readonly string[] {
  if (absent(spec.affinity) && absent(spec.nodeSelector) && absent(spec.topologySpreadConstraints)) return NONE
  const node = objectOf(objectOf(spec.affinity).nodeAffinity)
  const [required, preferred] = [
    'requiredDuringSchedulingIgnoredDuringExecution',
    'preferredDuringSchedulingIgnoredDuringExecution',
  ].map((name) => [node[name], `${path}spec.affinity.nodeAffinity.${name}`] as const)
  const terms = [
    ...objectsOf(objectOf(required?.[0]).nodeSelectorTerms).map(
      (term, index) => [term, `${required?.[1]}.nodeSelectorTerms[${index}]`] as const,
    ),
    ...objectsOf(preferred?.[0]).map(
      ({ preference }, index) => [objectOf(preference), `${preferred?.[1]}[${index}].preference`] as const,
    ),
  ]
  return [
    ...Object.keys(objectOf(spec.nodeSelector)).flatMap((key) => {
      const text = OLD_NODE_LABELS.get(key)
      return text === undefined ? [] : [`${path}spec.nodeSelector[${key}]: ${text}`]
    }),
    ...terms.flatMap(([term, at]) => nodeTermWarnings(term, at)),
    ...objectsOf(spec.topologySpreadConstraints).flatMap(({ topologyKey, labelSelector }, index) => {
      const at = `${path}spec.topologySpreadConstraints[${index}]`
      return [
        ...oldLabel(textOf(topologyKey), `${at}.topologyKey`),
        ...(absent(labelSelector) ? [`${at}.labelSelector: ${NO_SELECTOR}`] : []),
      ]
    }),
  ]
}

/** Returns the warnings about a term of a node selector. */
export const nodeTermWarnings = (
  { matchExpressions }: LabelSelector | NodeSelectorTerm,
  path: string,
): readonly string[] =>
  objectsOf(matchExpressions).flatMap(({ key }, index) =>
    oldLabel(textOf(key), `${path}.matchExpressions[${index}].key`),
  )

/** Since when a label of nodes is deprecated, and what to use instead; undefined for any other. */
export const oldNodeLabel = (key: string): string | undefined => OLD_NODE_LABELS.get(key)

function oldLabel(key: string, path: string): readonly string[] {
  const text = OLD_NODE_LABELS.get(key)
  return text === undefined ? [] : [`${path}: ${key} is ${text}`]
}

const annotationWarnings = ({ annotations, path }: Described): readonly string[] =>
  OLD_ANNOTATIONS.filter(([key]) => key in annotations).map(
    ([key, text]) => `${path}metadata.annotations[${key}]: ${text}`,
  )

const volumeWarnings = ({ spec, path }: Described): readonly string[] =>
  objectsOf(spec.volumes).flatMap((volume, index) => {
    const at = `${path}spec.volumes[${index}]`
    const { volumeClaimTemplate } = objectOf(volume.ephemeral)
    return [
      ...oldSources(volume, at),
      ...claimWarnings(objectOf(objectOf(volumeClaimTemplate).spec), `${at}.ephemeral.volumeClaimTemplate.spec`),
    ]
  })

/** Returns the warnings about a volume: sources that no longer have an effect. */
export function oldSources(volume: JsonObject, at: string): readonly string[] {
  // A volume has few members, and seldom one of these.
  if (!Object.keys(volume).some((name) => OLD_VOLUMES.has(name))) return NONE
  return [...OLD_VOLUMES]
    .filter(([name]) => !absent(volume[name]))
    .map(([name, text]) => `${at}.${name === 'storageos' ? 'storageOS' : name}: ${text}`)
}

/** Returns the warnings about the spec of a volume claim. */
export const claimWarnings = ({ resources }: PersistentVolumeClaimSpec, path: string): readonly string[] =>
  absent(resources)
    ? NONE
    : (['requests', 'limits'] as const).flatMap((side) =>
        byteWarnings(objectOf(resources)[side], `${path}.resources.${side}`, ['storage']),
      )

function repeated(list: unknown, key: string, path: string): readonly string[] {
  if (absent(list)) return NONE
  const seen = new Set<string>()
  return objectsOf(list).flatMap((item, index) => {
    const value = textOf(item[key])
    if (seen.has(value)) return [`${path}[${index}].${key}: duplicate ${key} ${goQuote(value)}`]
    seen.add(value)
    return []
  })
}

const namelessSecrets = ({ spec, path }: Described): readonly string[] =>
  objectsOf(spec.imagePullSecrets).flatMap(({ name }, index) =>
    textOf(name) === '' ? [`${path}spec.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
  )

function seccompWarnings({ spec, annotations, path }: Described): readonly string[] {
  const key = 'seccomp.security.alpha.kubernetes.io/pod'
  const replaced = !absent(objectOf(spec.securityContext).seccompProfile)
  return replaced || !(key in annotations) ? [] : [`${path}metadata.annotations[${key}]: ${SECCOMP}`]
}

/** The resources that are counted in bytes, in the order of their warnings. */
const BYTES: readonly (readonly string[])[] = [['memory'], ['ephemeral-storage']]

function containerWarnings(container: JsonObject, at: string, pod: Described): readonly string[] {
  const { annotations, path, spec } = pod
  const security = objectOf(container.securityContext)
  const isAnnotated = !isEmptyMap(annotations)
  const annotated = (prefix: string, field: 'seccompProfile' | 'appArmorProfile', text: string): readonly string[] => {
    if (!isAnnotated) return NONE
    const key = `${prefix}/${textOf(container.name)}`
    const replaced =
      !absent(security[field]) || (field === 'appArmorProfile' && !absent(objectOf(spec.securityContext)[field]))
    return replaced || !(key in annotations) ? [] : [`${path}metadata.annotations[${key}]: ${text}`]
  }
  const { limits, requests } = objectOf(container.resources)
  return [
    ...annotated('container.seccomp.security.alpha.kubernetes.io', 'seccompProfile', SECCOMP),
    ...annotated(
      'container.apparmor.security.beta.kubernetes.io',
      'appArmorProfile',
      'deprecated since v1.30; use the "appArmorProfile" field instead',
    ),
    ...BYTES.flatMap((names) => [
      ...byteWarnings(limits, `${at}.resources.limits`, names),
      ...byteWarnings(requests, `${at}.resources.requests`, names),
    ]),
    ...hiddenVariables(container.env, `${at}.env`),
  ]
}

/** A variable that is given again, without building on what it was. */
function hiddenVariables(env: unknown, path: string): readonly string[] {
  if (absent(env)) return NONE
  const seen = new Set<string>()
  return objectsOf(env).flatMap(({ name: given, value, valueFrom }, index) => {
    const name = textOf(given)
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const reference = `$(${name})`
    const text = textOf(value)
    const builds = absent(valueFrom) && text !== reference && text.includes(reference)
    return builds
      ? []
      : [`${path}[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`]
  })
}

const graceWarnings = ({ spec, path }: Described): readonly string[] =>
  (numberOf(spec.terminationGracePeriodSeconds) ?? 0) < 0
    ? [`${path}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
    : []

const affinityWarnings = ({ spec, path }: Described): readonly string[] =>
  ['podAffinity', 'podAntiAffinity'].flatMap((side) => {
    if (absent(objectOf(spec.affinity)[side])) return NONE
    const affinity = objectOf(objectOf(spec.affinity)[side])
    const at = `${path}spec.affinity.${side}`
    const required = 'requiredDuringSchedulingIgnoredDuringExecution'
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    return [
      ...objectsOf(affinity[required]).flatMap(({ labelSelector }, index) =>
        absent(labelSelector) ? [`${at}.${required}[${index}].labelSelector: ${NO_SELECTOR}`] : [],
      ),
      ...objectsOf(affinity[preferred]).flatMap(({ podAffinityTerm }, index) =>
        absent(objectOf(podAffinityTerm).labelSelector)
          ? [`${at}.${preferred}[${index}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`]
          : [],
      ),
    ]
  })

interface Port {
  readonly at: string
  readonly hostIP: string
  readonly hostPort: number
}

/** Returns the warnings about the ports of a pod's containers: the same port twice, with both paths. */
function portWarnings(containers: readonly (readonly [JsonObject, string])[]): readonly string[] {
  if (containers.every(([{ ports }]) => absent(ports))) return []
  const known = new Map<string, Port[]>()
  return containers.flatMap(([container, path]) =>
    objectsOf(container.ports).flatMap((given, index) => {
      const port = { at: `${path}.ports[${index}]`, hostIP: textOf(given.hostIP), hostPort: countOf(given.hostPort) }
      const key = `${countOf(given.containerPort)}/${textOf(given.protocol)}`
      const others = known.get(key) ?? []
      known.set(key, [...others, port])
      return others.flatMap((other) => {
        const how = clash(port, other)
        return how === undefined ? [] : [`${port.at}: ${how} port definition with ${other.at}`]
      })
    }),
  )
}

function clash(a: Port, b: Port): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate'
  if (a.hostPort === 0 || b.hostPort === 0) return 'overlapping'
  return a.hostPort === b.hostPort && (a.hostIP === '') !== (b.hostIP === '') ? 'dangerously ambiguous' : undefined
}
