import type { JsonObject } from '../../machinery/object.ts'
import { isObject } from '../../machinery/object.ts'
import { kindOf } from '../../schema/type/decode-error.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import { UnreadableBody } from './unreadable-body.ts'

/** The apiVersion and kind of a body; `''` where they are missing. */
export interface BodyKind {
  readonly kind: string
  readonly apiVersion: string
}

/** How Go prints the type into which it reads the two. */
const GO_TYPE =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** The kind of a parsed body. Throws `UnreadableBody` unless it is an object whose kind and version are strings. */
export function bodyKind(value: unknown): BodyKind {
  if (value === null) return { kind: '', apiVersion: '' }
  if (!isObject(value)) throw unparsed(`json: cannot unmarshal ${kindOf(value)} into ${GO_TYPE}`)
  const kind = memberText(value, 'kind')
  const apiVersion = memberText(value, 'apiVersion')
  if (apiVersion.split('/').length > 2) throw new UnreadableBody(`unexpected GroupVersion string: ${apiVersion}`)
  return { kind, apiVersion }
}

/** The beginning of a decoder's error for an invalid JSON text, or for one without a readable kind. */
export const unparsed = (message: string): UnreadableBody =>
  new UnreadableBody(`couldn't get version/kind; json parse error: ${message}`)

function memberText(value: JsonObject, name: string): string {
  const member = value[name] ?? ''
  if (typeof member === 'string') return member
  throw unparsed(`json: cannot unmarshal ${kindOf(member)} into Go struct field .${name} of type string`)
}

/** Kinds of every group and version, which no resource has. */
const COMMON_KINDS: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'ExportOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
])
/** Kinds of `v1` beside its resources. */
const CORE_KINDS: ReadonlySet<string> = new Set([
  ...COMMON_KINDS,
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'List',
  'Status',
])

const SCHEME = 'k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30'
/** CustomResourceDefinitions are read by a part of upstream's server that knows no other kinds. */
const CRD_GROUP = 'apiextensions.k8s.io'
const CRD_SCHEME = 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:52'
/** A version that is not served any more, whose kinds are known still. */
const FORMER_VERSION = 'v1beta1'

/** Why a built-in resource rejects a body of this kind; undefined when kind and version are the resource's own. */
export function kindProblem(registry: Registry, { served, apiVersion }: Resource, sent: BodyKind): string | undefined {
  const kind = sent.kind === '' ? served.kind : sent.kind
  const version = sent.apiVersion === '' ? apiVersion : sent.apiVersion
  if (kind === served.kind && version === apiVersion) return undefined
  const parts = version.split('/')
  const [group, name] = parts.length === 1 ? ['', version] : [parts[0] ?? '', parts[1] ?? '']
  const isCrd = served.group === CRD_GROUP
  if (!isKnown(registry, group, isCrd && name === FORMER_VERSION ? served.version : name, kind))
    return unregistered(kind, version, isCrd ? CRD_SCHEME : SCHEME)
  // Another version of the same kind can be converted; a request for another version is rejected elsewhere.
  if (kind === served.kind && group === served.group) return undefined
  return `converting (${name}.${kind}) to (${packageOf(served.group)}.${served.kind}): unknown conversion`
}

export const unregistered = (kind: string, version: string, scheme: string): string =>
  `no kind "${kind}" is registered for version "${version}" in scheme "${scheme}"`

function isKnown(registry: Registry, group: string, version: string, kind: string): boolean {
  if (!registry.hasGroupVersion(group, version)) return false
  if ((group === '' ? CORE_KINDS : COMMON_KINDS).has(kind)) return true
  return registry
    .all()
    .some(
      ({ served }) =>
        served.custom !== true &&
        served.group === group &&
        served.version === version &&
        (served.kind === kind ||
          served.listKind === kind ||
          served.subresources.some((one) => one.group === group && one.version === version && one.kind === kind)),
    )
}

/** The Go package of a group's internal types: `rbac` for `rbac.authorization.k8s.io`. */
export const packageOf = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? group))
