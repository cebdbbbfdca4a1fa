import { decide } from '../../charges/decide.ts'
import type { Attributes } from '../../charges/evaluator.ts'
import { withLimitDefaults } from '../../charges/limit-range/limit-defaults.ts'
import { rangeRefusal } from '../../charges/limit-range/range-refusal.ts'
import { refusalError, type Wording } from '../../charges/refusal-text.ts'
import { chargeWarnings, DEFAULT_WARN_AT } from '../../charges/usage-warnings.ts'
import { strategies } from '../../kinds/strategies.ts'
import { withPriority } from '../../kinds/scheduling/pod-priority.ts'
import { DEFAULT_CLASSES, withDefaultClass } from '../../kinds/storage/default-class.ts'
import { withRuntimeClass } from '../../kinds/node/pod-runtime-class.ts'
import { refusedKind } from '../../kinds/strategy/refused-kind.ts'
import type { Strategy } from '../../kinds/strategy/strategy.ts'
import { sentence } from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { label1035Name, labelName, pathSegmentName, subdomainName } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../../machinery/object-meta.ts'
import { objectOf, textAt } from '../../machinery/read.ts'
import {
  type ApiError,
  failure,
  forbidden,
  type GroupResource,
  invalid,
  notFound,
  qualified,
} from '../../machinery/status.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { resourceNamed } from '../explain/resource-named.ts'
import { jointRefusal } from '../joint-refusal.ts'
import type { AdmissionWarnings } from './admission-warnings.ts'
import type { CountedWrite, CountingQuotas } from './counted-write.ts'
import { type World, NAMESPACES } from './world.ts'

/** A kind as an API server serves it. */
export interface KnownKind extends GroupResource {
  readonly kind: string
  readonly namespaced: boolean
}

/** What the webhooks of a system do with its kinds. They throw ApiError for what they refuse. */
export interface SystemRules {
  /** The defaults of the kind, and what its mutating webhooks fill in. */
  readonly complete: (object: KubeObject, old: KubeObject | undefined) => KubeObject
  readonly check: (object: KubeObject, old: KubeObject | undefined) => void
  readonly checkDeletion?: (object: KubeObject) => void
}

export interface AdmissionOptions {
  /** Are all ServiceAccounts known? Files mostly leave them out. */
  readonly areAccountsKnown: boolean
  readonly wording: Wording
  /** Takes what the writer of a manifest is told. */
  readonly warnings: AdmissionWarnings
  /** By resource, as `resourcepoolclaims.capsule.clastix.io`. */
  readonly systems: ReadonlyMap<string, SystemRules>
  /** The webhooks of quotas that count objects. */
  readonly counting: readonly Pick<CountingQuotas, 'decide'>[]
}

/** Certificates are not looked at: nothing of theirs is charged. */
const STRATEGIES = strategies({
  requestProblem: () => undefined,
  issuedProblem: () => undefined,
  keyPairProblem: () => undefined,
})

const NAME_RULES = {
  subdomain: subdomainName,
  label: labelName,
  label1035: label1035Name,
  pathSegment: pathSegmentName,
}
const PODS: GroupResource = { group: '', resource: 'pods' }
const SERVICE_ACCOUNTS: GroupResource = { group: '', resource: 'serviceaccounts' }
const LIMIT_RANGES: GroupResource = { group: '', resource: 'limitranges' }
const CLASSES: GroupResource = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }
const RUNTIME_CLASSES: GroupResource = { group: 'node.k8s.io', resource: 'runtimeclasses' }
const NOTHING: Strategy = {}

/** What admission looks up by name or in all of the cluster: a change of it may let in what was refused. */
export const LOOKED_UP: ReadonlySet<string> = new Set([
  ...[CLASSES, RUNTIME_CLASSES, SERVICE_ACCOUNTS].map(qualified),
  ...DEFAULT_CLASSES.map(({ classes }) => classes),
])

/** The rule for the names of a kind. */
export const nameRuleOf = ({ nameRule = 'subdomain' }: Strategy) => NAME_RULES[nameRule]

export const strategyOf = (of: GroupResource): Strategy | undefined => STRATEGIES[qualified(of)]

/** Admits writes to a world as the API server would, in its order and its words. */
export class Admission {
  readonly #world: World
  readonly #options: AdmissionOptions
  readonly #assumed = new Set<string>()

  constructor(world: World, options: AdmissionOptions) {
    this.#world = world
    this.#options = options
  }

  /** The ServiceAccounts that pods name and files do not have, a sentence each. */
  get assumed(): readonly string[] {
    return [...this.#assumed]
  }

  /** Throws ApiError as the API server answers. `isGenerated`: does allot itself write it? No quota that counts objects refuses that. */
  create(kind: KnownKind, given: KubeObject, isGenerated = false): KubeObject {
    const strategy = strategyOf(kind) ?? NOTHING
    const system = this.#options.systems.get(qualified(kind))
    const { name = '', namespace: asked = '' } = given.metadata
    const namespace = kind.namespaced ? asked : ''
    if (kind.namespaced) this.#assertNamespace(kind, namespace, name)
    const { status: _, ...rest } = given
    const { resourceVersion: __, uid: ___, creationTimestamp: ____, managedFields: _____, ...metadata } = given.metadata
    const placed = kind.namespaced ? { ...metadata, namespace } : withoutNamespace(metadata)
    const started: KubeObject = { ...rest, metadata: placed }
    const defaulted = strategy.defaults?.(started) ?? started
    const mutated = this.#mutated(kind, system?.complete(defaulted, undefined) ?? defaulted, undefined)
    const named = {
      ...mutated,
      metadata: {
        ...mutated.metadata,
        uid: this.#world.newId(),
        creationTimestamp: this.#world.timestamp(this.#world.now),
        generation: 1,
      },
    }
    const object = strategy.prepareForCreate?.(named, { now: named.metadata.creationTimestamp }) ?? named
    const nameRule = nameRuleOf(strategy)
    const errors = [
      ...validateObjectMeta(object.metadata, { namespaced: kind.namespaced, nameRule }),
      ...(strategy.validate?.(object) ?? []),
    ]
    if (errors.length > 0) throw invalid(refusedKind(strategy, object), name, errors)
    system?.check(object, undefined)
    this.#validate(kind, object, undefined)
    this.#charge({ ...kind, subresource: '', operation: 'CREATE', name, namespace, object, dryRun: false }, isGenerated)
    return this.#world.write(kind, object)
  }

  /** Throws ApiError as the API server answers. Gives the very same object where nothing changes. */
  update(kind: KnownKind, given: KubeObject, stored: KubeObject): KubeObject {
    const strategy = strategyOf(kind) ?? NOTHING
    // An older server lacks some fields, and a default for them is no change.
    const old = strategy.defaults?.(stored) ?? stored
    const system = this.#options.systems.get(qualified(kind))
    const { name = '', namespace = '' } = old.metadata
    const { uid, creationTimestamp, resourceVersion, generation, deletionTimestamp } = old.metadata
    const kept = { uid, creationTimestamp, resourceVersion, generation, deletionTimestamp }
    const metadata = {
      ...given.metadata,
      ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
    }
    const started = { ...given, metadata, ...(old['status'] === undefined ? {} : { status: old['status'] }) }
    const defaulted = strategy.defaults?.(started) ?? started
    const mutated = this.#mutated(kind, system?.complete(defaulted, old) ?? defaulted, old)
    const now = this.#world.timestamp(this.#world.now)
    const object = strategy.prepareForUpdate?.(mutated, old, { now }) ?? mutated
    const rules = strategy.validateUpdate ?? strategy.validate
    const found = rules?.(object, old) ?? []
    // An older server has other rules: what the stored object breaks, the change does not break.
    const known = found.length === 0 ? [] : (rules?.(old, old) ?? []).map(sentence)
    const errors = [
      ...validateObjectMetaUpdate(object.metadata, old.metadata),
      ...found.filter((one) => !known.includes(sentence(one))),
    ]
    if (errors.length > 0) throw invalid(refusedKind(strategy, object), name, errors)
    system?.check(object, old)
    this.#validate(kind, object, old)
    if (jsonEqual(withoutGeneration(object), withoutGeneration(old))) return stored
    const before = { ...old, metadata: { ...old.metadata, resourceVersion: old.metadata.resourceVersion ?? '1' } }
    this.#charge({
      ...kind,
      subresource: '',
      operation: 'UPDATE',
      name,
      namespace,
      object,
      oldObject: before,
      dryRun: false,
    })
    const isNewer = strategy.prepareForUpdate === undefined && !jsonEqual(object['spec'], old['spec'])
    return this.#world.write(kind, isNewer ? withNextGeneration(object) : object)
  }

  /** Throws ApiError where a webhook refuses the deletion. */
  checkDeletion(kind: KnownKind, object: KubeObject): void {
    this.#options.systems.get(qualified(kind))?.checkDeletion?.(object)
  }

  #assertNamespace(kind: KnownKind, namespace: string, name: string): void {
    if (this.#world.unseen.has('namespaces')) return
    const found = this.#world.find(NAMESPACES, '', namespace)
    if (found === undefined) throw notFound(NAMESPACES, namespace)
    if (found.metadata.deletionTimestamp !== undefined || textAt(found, 'status', 'phase') === 'Terminating')
      throw forbidden(
        kind,
        name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      )
  }

  /** What the plugins of the API server fill in, in their order. What cannot be read fills in nothing. */
  #mutated(kind: KnownKind, object: KubeObject, old: KubeObject | undefined): KubeObject {
    if (old !== undefined) return object
    const bucket = qualified(kind)
    if (bucket === 'pods') return this.#mutatedPod(object)
    const byDefault = DEFAULT_CLASSES.find(({ objects }) => objects === bucket)
    return byDefault === undefined
      ? object
      : withDefaultClass(object, byDefault, () => this.#world.all(resourceNamed(byDefault.classes)))
  }

  #mutatedPod(object: KubeObject): KubeObject {
    const { name = '', namespace = '' } = object.metadata
    const { unseen } = this.#world
    const limited = withLimitDefaults(object, this.#world.list(LIMIT_RANGES, namespace))
    this.#assertAccount(object)
    const ranked = unseen.has(qualified(CLASSES))
      ? limited
      : withPriority(limited, name, {
          find: (one) => this.#world.find(CLASSES, '', one),
          all: () => this.#world.all(CLASSES),
        })
    return unseen.has(qualified(RUNTIME_CLASSES))
      ? ranked
      : withRuntimeClass(ranked, name, (one) => this.#world.find(RUNTIME_CLASSES, '', one))
  }

  /** A pod whose ServiceAccount is not there is refused. */
  #assertAccount(pod: KubeObject): void {
    const { name = '', namespace = '', annotations } = pod.metadata
    const account = textAt(pod, 'spec', 'serviceAccountName')
    const isMirror = annotations?.['kubernetes.io/config.mirror'] !== undefined
    if (isMirror || account === '' || account === 'default' || this.#world.unseen.has('serviceaccounts')) return
    if (this.#world.find(SERVICE_ACCOUNTS, namespace, account) !== undefined) return
    const text = `service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`
    if (this.#options.areAccountsKnown) throw forbidden(PODS, name, `error looking up ${text}`)
    this.#assumed.add(`serviceaccounts: ${namespace}/${account} is not among the files, and is taken to be there`)
  }

  #validate(kind: KnownKind, object: KubeObject, old: KubeObject | undefined): void {
    const bucket = qualified(kind)
    if (bucket === 'resourcequotas') this.#options.warnings.lookAtQuota(object, old)
    const isLimited = bucket === 'persistentvolumeclaims' || (bucket === 'pods' && old === undefined)
    if (!isLimited) return
    const { name = '', namespace = '' } = object.metadata
    const refusal = readably(() => rangeRefusal(this.#world.list(LIMIT_RANGES, namespace), bucket, object))
    if (refusal !== undefined) throw forbidden(kind, name, refusal)
  }

  #charge(attributes: Attributes, isGenerated = false): void {
    const { namespace, operation, object, oldObject } = attributes
    const { now, lookup } = this.#world
    const budgets = namespace === '' ? [] : this.#world.budgetsIn(namespace)
    const decision = budgets.length === 0 ? undefined : decide({ budgets, attributes, now, lookup })
    const native = decision?.verdict === 'denied' ? decision : undefined
    const isAsked = !isGenerated && object !== undefined && (operation === 'CREATE' || operation === 'UPDATE')
    const error = isAsked ? this.#countedRefusal({ operation, object, oldObject, native }, attributes) : undefined
    if (error !== undefined) throw error
    const { warnings, wording } = this.#options
    if (native !== undefined) throw refusalError(attributes, native, wording)
    // Other API servers charge quotas without a word.
    if (wording === 'all' && decision?.verdict === 'admitted')
      warnings.warn(chargeWarnings(budgets, decision.charges, DEFAULT_WARN_AT))
  }

  /** Returns the refusal by the webhooks of counted quotas. They know whether ResourceQuotas refuse the write. */
  #countedRefusal(write: CountedWrite, attributes: Attributes): ApiError | undefined {
    const decisions = this.#options.counting.map((quotas) => quotas.decide(write))
    const error = decisions.find((one) => one.error !== undefined)?.error
    if (error !== undefined) return error
    const webhook = decisions.find((one) => one.webhook !== undefined)?.webhook
    if (webhook === undefined) return undefined
    if (write.native === undefined) this.#options.warnings.warn(decisions.flatMap((one) => one.warnings))
    const refusals = decisions.flatMap((one) => one.refusals)
    if (refusals.length > 0) {
      const { message, reason = 'Forbidden' } = jointRefusal(write.operation, refusals, write.native)
      return deniedBy(webhook, failure(403, reason, message))
    }
    return write.native === undefined ? undefined : deniedBy(webhook, refusalError(attributes, write.native, 'all'))
  }
}

function withoutNamespace(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  const { namespace: _, ...rest } = metadata
  return rest
}

/** Some kinds have no generation on older servers. */
function withoutGeneration(object: KubeObject): KubeObject {
  const { generation: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const withNextGeneration = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, generation: Number(objectOf(object.metadata)['generation'] ?? 0) + 1 },
})

/** Turns an invalid amount into the API server's error 500. */
function readably<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    throw failure(500, 'InternalError', error.message)
  }
}

/** The error with the words of the API server for a denial by a webhook. */
export function deniedBy(webhook: string, error: string | ApiError): ApiError {
  const { code, reason, message } =
    typeof error === 'string'
      ? { code: 403, reason: 'Forbidden', message: error }
      : { code: error.status.code, reason: error.status.reason ?? '', message: error.message }
  return failure(code, reason, `admission webhook ${JSON.stringify(webhook)} denied the request: ${message}`)
}
