import { isDeepStrictEqual } from 'node:util'
import type { Answer } from '../start-allot.ts'
import type { BareServer } from './operated.ts'
import type { Expectation, Scenario, Step, Target } from './scenario.ts'

/** A real garbage collector hears of new kinds every 30 s; what nobody else has to do takes far less. */
const PATIENCE_MS = 60_000
const LOOK_AGAIN_MS = 100

const COLLECTIONS: Readonly<Record<string, { readonly api: string; readonly resource: string }>> = {
  Namespace: { api: '/api/v1', resource: 'namespaces' },
  Pod: { api: '/api/v1', resource: 'pods' },
  ResourceQuota: { api: '/api/v1', resource: 'resourcequotas' },
  ResourcePool: { api: '/apis/capsule.clastix.io/v1beta2', resource: 'resourcepools' },
  ResourcePoolClaim: { api: '/apis/capsule.clastix.io/v1beta2', resource: 'resourcepoolclaims' },
}
/** What in an expectation does not say what is expected. */
const ADDRESS: ReadonlySet<string> = new Set(['kind', 'namespace', 'name', 'note'])

/** What a step may say. */
const STEP: ReadonlySet<string> = new Set([
  'apply',
  'patch',
  'delete',
  'expect',
  'wait',
  'outcome',
  'waitUntil',
  // For people: everything is tried once, but for what is to be `updated`.
  'note',
  'retry',
])

type Json = Readonly<Record<string, unknown>>

interface Seen {
  /** Undefined where there is none. */
  readonly object: Json | undefined
  /** The pool that the expectation names, where it asks for one. */
  readonly pool: Json | undefined
}

/**
 * Plays the steps of a scenario against a server, and resolves when all that is expected in the end holds at once. Throws
 * with the step and what was found instead, also for a step or an expectation that it does not know.
 */
export class ScenarioPlayer {
  readonly #server: Pick<BareServer, 'send'>
  readonly #patienceMs: number
  readonly #created: Target[] = []
  readonly #uids = new Map<string, string>()
  #lastCreated: Json = {}
  #lastOutcome = ''

  constructor(server: Pick<BareServer, 'send'>, patienceMs = PATIENCE_MS) {
    this.#server = server
    this.#patienceMs = patienceMs
  }

  async play({ steps, expect }: Scenario): Promise<void> {
    for (const [index, step] of steps.entries())
      await this.#step(step).catch((error: unknown) => {
        throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${String(error)}`, { cause: error })
      })
    const last = Array.isArray(expect) ? (expect as readonly Expectation[]) : [expect as Expectation]
    await this.#retryWhileUnavailable(async () =>
      (await Promise.all(last.map((one) => this.#problem(one)))).find(isText),
    )
  }

  /** Deletes what the scenario created, and waits until it is gone. */
  async clear(): Promise<void> {
    const clusterWide = this.#created.filter(({ namespace }) => namespace === undefined)
    const pools = clusterWide.filter(({ kind }) => kind === 'ResourcePool')
    const others = clusterWide.filter(({ kind }) => kind !== 'ResourcePool')
    for (const targets of [pools, others]) {
      for (const target of targets) await this.#server.send('DELETE', pathOf(target))
      for (const target of targets) await this.#retryWhileUnavailable(() => this.#isThere(target))
    }
  }

  async #step(step: Step): Promise<void> {
    const { apply, patch, delete: deletion, expect, wait } = step
    const unknown = Object.keys(step).find((key) => !STEP.has(key))
    if (unknown !== undefined) throw new Error(`${unknown} of a step is not known`)
    if (apply !== undefined) await this.#create(apply, step.outcome)
    else if (patch !== undefined) await this.#change(patch, step.outcome)
    else if (deletion !== undefined) await this.#delete(deletion, step)
    else if (expect !== undefined || wait !== undefined) await this.#expect(expect ?? wait ?? {})
    else throw new Error('what is to be done is not known')
  }

  async #create(object: NonNullable<Step['apply']>, outcome: string | undefined): Promise<void> {
    const { kind, metadata } = object
    const target: Target = { kind, ...metadata }
    const answer = await this.#posted(collectionOf(target), object)
    this.#tell(outcome, { created: answer.status === 201 }, answer)
    this.#created.push(target)
    this.#lastCreated = answer.json
    if (kind === 'ResourcePool') this.#uids.set(metadata.name, answer.json.metadata.uid)
  }

  /** One attempt, but where a real server has yet to make the token of a new namespace's account, and asks to try again. */
  async #posted(path: string, object: object): Promise<Answer> {
    let answer = await this.#server.send('POST', path, object)
    await this.#retryWhileUnavailable(async () => {
      if (answer.json.reason !== 'ServerTimeout') return undefined
      answer = await this.#server.send('POST', path, object)
      return answer.text
    })
    return answer
  }

  /** What is to be taken is tried again; what is to be refused must be so at once. */
  async #change({ set, ...target }: NonNullable<Step['patch']>, outcome: string | undefined): Promise<void> {
    await this.#retryWhileUnavailable(async () => {
      const { json } = await this.#server.send('GET', pathOf(target))
      const object = structuredClone(json)
      for (const [path, value] of Object.entries(set)) put(object, keysOf(path), value)
      const answer = await this.#server.send('PUT', pathOf(target), object)
      if (answer.status === 409 || (outcome === 'updated' && answer.status !== 200)) return answer.text
      this.#tell(outcome, { updated: answer.status === 200, denied: isDenial(answer) }, answer)
      return undefined
    })
  }

  async #delete({ gracePeriodSeconds, ...target }: NonNullable<Step['delete']>, step: Step): Promise<void> {
    const options = gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds }
    const answer = await this.#server.send('DELETE', pathOf(target), options)
    const accepted = [200, 202].includes(answer.status)
    this.#tell(step.outcome ?? 'accepted', { accepted, denied: isDenial(answer) }, answer)
    if (step.waitUntil === undefined) return
    if (step.waitUntil !== 'gone') throw new Error(`waitUntil: ${step.waitUntil} is not known`)
    await this.#retryWhileUnavailable(() => this.#isThere(target))
  }

  #tell(outcome: string | undefined, outcomes: Readonly<Record<string, boolean>>, { status, text }: Answer): void {
    if (outcome === undefined || !Object.hasOwn(outcomes, outcome)) throw new Error(`outcome ${outcome} is not known`)
    if (outcomes[outcome] !== true) throw new Error(`it was to be ${outcome}, but the answer was ${status} ${text}`)
    this.#lastOutcome = outcome
  }

  async #isThere(target: Target): Promise<string | undefined> {
    const { status, text } = await this.#server.send('GET', pathOf(target))
    return status === 404 ? undefined : `still there: ${text}`
  }

  async #expect(expectation: Expectation): Promise<void> {
    const { checkedImmediatelyAfterCreate, ...rest } = expectation
    if (checkedImmediatelyAfterCreate === undefined) return await this.#retryWhileUnavailable(() => this.#problem(rest))
    const problem = await this.#judge(rest, this.#lastCreated)
    if (problem !== undefined) throw new Error(problem)
  }

  async #problem(expectation: Expectation): Promise<string | undefined> {
    if (Object.hasOwn(expectation, 'outcome'))
      return expectation['outcome'] === this.#lastOutcome ? undefined : `the last outcome was ${this.#lastOutcome}`
    const answer = await this.#server.send('GET', pathOf(expectation as unknown as Target))
    return await this.#judge(expectation, answer.status === 404 ? undefined : answer.json)
  }

  async #judge(expectation: Expectation, object: Json | undefined): Promise<string | undefined> {
    const wanted = structuredClone(expectation) as Record<string, unknown>
    const of = wanted['pool'] ?? at(wanted['status.pool'], ['name'])
    const pool =
      wanted['inPoolStatusClaims'] === undefined || typeof of !== 'string'
        ? undefined
        : (await this.#server.send('GET', pathOf({ kind: 'ResourcePool', name: of }))).json
    delete wanted['pool']
    for (const [key, value] of Object.entries(wanted)) {
      if (ADDRESS.has(key)) continue
      const check = CHECKS[key] ?? (/^(?:spec|status)\.\w+$/.test(key) ? fieldCheck(key) : undefined)
      if (check === undefined) throw new Error(`the expectation ${key} is not known`)
      if (!check(this.#known(value), { object, pool }, expectation))
        return `${key} is not ${JSON.stringify(value)}: ${JSON.stringify(object)}, pool ${JSON.stringify(pool)}`
    }
    return undefined
  }

  /** Looks again until there is no problem any more. Throws the last one when that takes too long. */
  async #retryWhileUnavailable(problem: () => Promise<string | undefined>): Promise<void> {
    const deadline = Date.now() + this.#patienceMs
    for (;;) {
      const found = await problem()
      if (found === undefined) return
      if (Date.now() > deadline) throw new Error(found)
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }

  /** `$pool.uid`: that of the only pool of the scenario. */
  #known(value: unknown): unknown {
    const [uid = ''] = this.#uids.values()
    return JSON.parse(JSON.stringify(value).replaceAll('$pool.uid', uid))
  }
}

type Check = (wanted: unknown, seen: Seen, expectation: Expectation) => boolean

const CHECKS: Readonly<Record<string, Check>> = {
  exists: (wanted, { object }) => (object !== undefined) === wanted,
  labels: (wanted, { object }) =>
    Object.entries(wanted as Json).every(([name, value]) => at(object, ['metadata', 'labels', name]) === value),
  annotationsNotContain: (wanted, { object }) => at(object, ['metadata', 'annotations', String(wanted)]) === undefined,
  finalizersContain: (wanted, { object }) => listAt(object, ['metadata', 'finalizers']).includes(wanted),
  finalizersNotContain: (wanted, { object }) => !listAt(object, ['metadata', 'finalizers']).includes(wanted),
  ownerReferencesContain: (wanted, { object }) =>
    listAt(object, ['metadata', 'ownerReferences']).some((owner) =>
      Object.entries(wanted as Json).every(([name, value]) => at(owner, [name]) === value),
    ),
  ownerReferencesCount: (wanted, { object }) => listAt(object, ['metadata', 'ownerReferences']).length === wanted,
  conditions: (wanted, { object }) =>
    (wanted as readonly Json[]).every((one) =>
      listAt(object, ['status', 'conditions']).some((has) => isSuch(has, one)),
    ),
  conditionsCount: (wanted, { object }) => listAt(object, ['status', 'conditions']).length === wanted,
  inPoolStatusClaims: (wanted, { object, pool }) => {
    const [uid, namespace] = [at(object, ['metadata', 'uid']), String(at(object, ['metadata', 'namespace']))]
    if (uid === undefined || pool === undefined) return false
    return listAt(pool, ['status', 'claims', namespace]).some((entry) => at(entry, ['uid']) === uid) === wanted
  },
  'status.namespaces': (wanted, { object }, { namespacesOrderMatters }) => {
    const names = listAt(object, ['status', 'namespaces']).map(String)
    return namespacesOrderMatters === true
      ? isDeepStrictEqual(names, wanted)
      : isDeepStrictEqual(names.toSorted(), (wanted as readonly string[]).toSorted())
  },
  'status.namespacesContains': (wanted, { object }) =>
    (wanted as readonly string[]).every((name) => listAt(object, ['status', 'namespaces']).includes(name)),
  'status.namespaceCount>': (wanted, { object }) => Number(at(object, ['status', 'namespaceCount'])) > Number(wanted),
  // Said of others: amounts are compared as they are written anyway.
  exactQuantityStrings: () => true,
  namespacesOrderMatters: () => true,
}

/** An object or list that is empty says as much as none. */
function fieldCheck(key: string): Check {
  return (wanted, { object }) => {
    const value = at(object, key.split('.'))
    if (object === undefined) return false
    return isNone(wanted) ? isNone(value) : isDeepStrictEqual(value, wanted)
  }
}

const isNone = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

function isSuch(condition: unknown, wanted: Json): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    if (key === 'messagePartsAnyOrder') return hasParts(String(at(condition, ['message'])), value as readonly string[])
    if (!['type', 'status', 'reason'].includes(key))
      throw new Error(`the expectation ${key} of a condition is not known`)
    return at(condition, [key]) === value
  })
}

/** `a: b=c, …` has the parts `a.b=c`. */
function hasParts(message: string, wanted: readonly string[]): boolean {
  const parts = message.split(/[,;]/).map((part) => part.trim().replace(/:\s*/, '.'))
  return wanted.every((part) => parts.includes(part))
}

const isDenial = ({ status, text }: Answer): boolean => status === 403 && text.includes('denied the request')

function collectionOf({ kind, namespace }: Omit<Target, 'name'>): string {
  const found = COLLECTIONS[kind]
  if (found === undefined) throw new Error(`the kind ${kind} is not known`)
  return `${found.api}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${found.resource}`
}

const pathOf = (target: Target): string => `${collectionOf(target)}/${target.name}`

/** `a.b[c.d/e]` is the member `c.d/e` of `a.b`. */
function keysOf(path: string): readonly string[] {
  const [, plain = '', member] = /^([^[]+)(?:\[(.+)\])?$/.exec(path) ?? []
  return [...plain.split('.'), ...(member === undefined ? [] : [member])]
}

function put(object: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) object[key] = value
  else put((object[key] ??= {}) as Record<string, unknown>, rest, value)
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Json)[key] : undefined),
    value,
  )
}

function listAt(value: unknown, keys: readonly string[]): readonly unknown[] {
  const found = at(value, keys)
  return Array.isArray(found) ? found : []
}

const isText = (value: string | undefined): value is string => value !== undefined
