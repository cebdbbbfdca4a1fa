import { isDeepStrictEqual } from 'node:util'
import type { Answer } from '../../start-allot.ts'
import { withManagerLog } from '../../bare-server.ts'
import type { BareServer } from '../operated.ts'
import type { Expectation, Scenario, Step, Target } from './pool-scenario.ts'
import { at, type Json, unmet } from './scenario-checks.ts'
import { collectionOf, pathOf, put } from './scenario-objects.ts'

/** A real garbage collector hears of new kinds every 30 s; what nobody else has to do takes far less. */
const PATIENCE_MS = 60_000
const LOOK_AGAIN_MS = 100

/** The fields of a step. */
const STEP: ReadonlySet<string> = new Set([
  'apply',
  'patch',
  'delete',
  'expect',
  'wait',
  'outcome',
  'waitUntil',
  'concurrent',
  'errorContains',
  // For people: only what is to be `updated` is tried again, and what the server asks to try again.
  'note',
  'retry',
])

/**
 * Plays the steps of a scenario against a server, and resolves when all that is expected in the end holds at once. Throws
 * with the step and what was found instead, also for a step or an expectation that it does not know.
 */
export class ScenarioPlayer {
  readonly #server: Pick<BareServer, 'send' | 'managerLog'>
  readonly #patienceMs: number
  readonly #created: Target[] = []
  readonly #uids = new Map<string, string>()
  #lastCreated: Json = {}
  #lastOutcome = ''
  #lastMessage = ''

  constructor(server: Pick<BareServer, 'send' | 'managerLog'>, patienceMs = PATIENCE_MS) {
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
    const namespaces = clusterWide.filter(({ kind }) => kind === 'Namespace')
    const quotas = clusterWide.filter(({ kind }) => kind !== 'Namespace')
    for (const targets of [quotas, namespaces]) {
      for (const target of targets) await this.#server.send('DELETE', pathOf(target))
      for (const target of targets) await this.#retryWhileUnavailable(() => this.#isThere(target))
    }
  }

  async #step(step: Step): Promise<void> {
    const { apply, patch, delete: deletion, expect, wait } = step
    const unknown = Object.keys(step).find((key) => !STEP.has(key))
    if (unknown !== undefined) throw new Error(`${unknown} of a step is not known`)
    if (apply !== undefined) await this.#create(apply, step)
    else if (step.concurrent !== undefined) await this.#createMany(step.concurrent, expect ?? {})
    else if (patch !== undefined) await this.#change(patch, step.outcome)
    else if (deletion !== undefined) await this.#delete(deletion, step)
    else if (wait?.['status.phase'] !== undefined) await this.#report(wait)
    else if (expect !== undefined || wait !== undefined) await this.#expect(expect ?? wait ?? {})
    else throw new Error('what is to be done is not known')
  }

  async #create(given: NonNullable<Step['apply']>, { outcome = 'created', errorContains = '' }: Step): Promise<void> {
    const object = withGeneratedName(given)
    const { kind, metadata } = object
    const target: Target = { kind, ...metadata }
    const answer = await this.#posted(collectionOf(target), object)
    const isError = answer.status >= 400 && messageOf(answer).includes(errorContains)
    this.#tell(outcome, { created: answer.status === 201, denied: isError && isDenial(answer), error: isError }, answer)
    if (answer.status !== 201) return
    this.#created.push(target)
    this.#lastCreated = answer.json
    if (kind === 'ResourcePool') this.#uids.set(metadata.name, answer.json.metadata.uid)
  }

  /** Creates many objects at once, each with one attempt but for what the server asks to try again. */
  async #createMany({ count, apply }: NonNullable<Step['concurrent']>, expected: Expectation): Promise<void> {
    const path = collectionOf({ kind: apply.kind, ...apply.metadata })
    const objects = Array.from({ length: count }, (_, at) =>
      JSON.parse(JSON.stringify(apply).replaceAll('{i:02d}', String(at).padStart(2, '0'))),
    )
    const answers = await Promise.all(objects.map((object: object) => this.#posted(path, object)))
    const other = answers.find((answer) => answer.status !== 201 && !isDenial(answer))
    if (other !== undefined) throw new Error(`neither created nor denied: ${other.text}`)
    const succeededTotal = answers.filter(({ status }) => status === 201).length
    if (!isDeepStrictEqual(expected, { succeededTotal }))
      throw new Error(`${succeededTotal} succeeded, not ${JSON.stringify(expected)}`)
  }

  /**
   * One attempt, unless the answer asks to try again: a quota was created just now, or a real server has yet to make the token
   * of a new namespace's account.
   */
  async #posted(path: string, object: object): Promise<Answer> {
    let answer = await this.#server.send('POST', path, object)
    await this.#retryWhileUnavailable(async () => {
      if (!asksAgain(answer)) return undefined
      answer = await this.#server.send('POST', path, object)
      return answer.text
    })
    return answer
  }

  /** A request that is to be accepted is sent again; one that is to be refused must be refused at once. */
  async #change({ set, ...target }: NonNullable<Step['patch']>, outcome = 'updated'): Promise<void> {
    await this.#retryWhileUnavailable(async () => {
      const { json } = await this.#server.send('GET', pathOf(target))
      const object = structuredClone(json)
      for (const [path, value] of Object.entries(set)) put(object, path, value)
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

  /** Says of a pod what a kubelet would say, where a scenario waits for that. */
  async #report(expectation: Expectation): Promise<void> {
    const { 'status.phase': phase, note: _note, ...target } = expectation
    const path = `${pathOf(target as unknown as Target)}/status`
    const headers = { 'content-type': 'application/merge-patch+json' }
    const answer = await this.#server.send('PATCH', path, { status: { phase } }, headers)
    if (answer.status !== 200) throw new Error(`the phase was not stored: ${answer.status} ${answer.text}`)
  }

  #tell(outcome: string | undefined, outcomes: Readonly<Record<string, boolean>>, answer: Answer): void {
    const { status, text } = answer
    if (outcome === undefined || !Object.hasOwn(outcomes, outcome)) throw new Error(`outcome ${outcome} is not known`)
    if (outcomes[outcome] !== true) throw new Error(`it was to be ${outcome}, but the answer was ${status} ${text}`)
    this.#lastOutcome = outcome
    this.#lastMessage = messageOf(answer)
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
    const { outcome, errorContains = '' } = expectation
    if (outcome !== undefined) {
      const isSuch = outcome === this.#lastOutcome && this.#lastMessage.includes(String(errorContains))
      return isSuch ? undefined : `the last outcome was ${this.#lastOutcome}: ${this.#lastMessage}`
    }
    const { name } = expectation
    const object = name === undefined ? undefined : await this.#found(expectation as unknown as Target)
    return await this.#judge(expectation, object)
  }

  async #judge(expectation: Expectation, object: Json | undefined): Promise<string | undefined> {
    const wanted = structuredClone(expectation) as Record<string, unknown>
    const of = wanted['pool'] ?? at(wanted['status.pool'], ['name'])
    delete wanted['pool']
    const isAsked = wanted['inPoolStatusClaims'] !== undefined && typeof of === 'string'
    const pool = isAsked ? await this.#found({ kind: 'ResourcePool', name: of }) : undefined
    const ledger =
      wanted['ledger'] === undefined
        ? undefined
        : await this.#found({ ...(wanted['ledger'] as Target), kind: 'QuantityLedger' })
    return unmet(this.#known(wanted), { object, pool, ledger, count: await this.#count(wanted) })
  }

  async #found(target: Target): Promise<Json | undefined> {
    const { status, json } = await this.#server.send('GET', pathOf(target))
    return status === 404 ? undefined : json
  }

  /** How many objects have the labels of an expectation; 0 where it has none. */
  async #count({ labelSelector, kind, namespace }: Json): Promise<number> {
    if (labelSelector === undefined) return 0
    const labels = Object.entries(labelSelector as Json).map(([name, value]) => `${name}=${String(value)}`)
    const query = `labelSelector=${encodeURIComponent(labels.join(','))}`
    const path = collectionOf({ kind, namespace } as Target)
    const { json } = await this.#server.send('GET', `${path}?${query}`)
    return (json.items as readonly unknown[]).length
  }

  /** Looks again until there is no problem any more. Throws the last one when that takes too long. */
  async #retryWhileUnavailable(problem: () => Promise<string | undefined>): Promise<void> {
    const deadline = Date.now() + this.#patienceMs
    for (;;) {
      const found = await problem()
      if (found === undefined) return
      if (Date.now() > deadline) throw new Error(withManagerLog(found, this.#server))
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }

  /** `$pool.uid`: that of the only pool of the scenario. */
  #known(value: Json): Json {
    const [uid = ''] = this.#uids.values()
    return JSON.parse(JSON.stringify(value).replaceAll('$pool.uid', uid))
  }
}

/** `denied-<generated>` stands for a name that the server makes. */
function withGeneratedName(object: NonNullable<Step['apply']>): NonNullable<Step['apply']> {
  const { name, ...metadata } = object.metadata
  const [generateName = '', rest] = name.split(GENERATED)
  if (rest === undefined) return object
  const unnamed = { ...metadata, generateName }
  return { ...object, metadata: unnamed as unknown as typeof object.metadata }
}

const GENERATED = '<generated>'

const messageOf = ({ json }: Answer): string => String(json?.message ?? '')

/** Of a new namespace real servers say that its account is not there yet, in one way or the other. */
const asksAgain = ({ status, json }: Answer): boolean =>
  status === 429 ||
  json?.reason === 'ServerTimeout' ||
  (status === 403 && /serviceaccount "default" not found/.test(json?.message))

const isDenial = ({ status, text }: Answer): boolean => status === 403 && text.includes('denied the request')

const isText = (value: string | undefined): value is string => value !== undefined
