import type { SeededRandom } from '../seeded-random.ts'
import type { RandomKind } from './random-kinds.ts'
import { type Answers, APPLY_PATCH, JSON_PATCH, MERGE_PATCH, type Step, STRATEGIC_PATCH } from './scenario.ts'
import { type Edits, edited as withEdits } from './variants.ts'

/** The fields that are hardly ever valid. */
const WRONG: readonly unknown[] = ['', 'x y', -1, 1.5, true, null, [], {}, 2 ** 31, 2 ** 53, 'A'.repeat(64)]

/** Requests for objects of one kind under two names, each on top of what came of those before. */
export class RandomRequests {
  readonly #random: SeededRandom
  readonly #kind: RandomKind
  readonly #path: string
  readonly #names: readonly string[]
  readonly #label: string

  /** @param word stands in all names, and in the value of the label `run` */
  constructor(random: SeededRandom, kind: RandomKind, namespace: string, word: string) {
    this.#random = random
    this.#kind = kind
    const parts = kind.resource.split('/')
    const plural = parts.pop() ?? ''
    const root = parts.length === 0 ? '/api/v1' : `/apis/${parts.join('/')}`
    this.#path = `${root}/namespaces/${namespace}/${plural}`
    this.#names = [`${word}-a`, `${word}-b`]
    this.#label = word
  }

  /** The next request; its `name` is that of the object, under which the answer is kept. */
  next(): Step {
    const name = this.#random.pick(this.#names)
    const verb = this.#random.weighted({
      create: 22,
      put: 14,
      merge: 12,
      json: 10,
      strategic: 8,
      apply: this.#hasMap() ? 0 : 10,
      status: this.#kind.status === undefined ? 0 : 7,
      scale: this.#kind.scale === true ? 5 : 0,
      get: 4,
      list: 4,
      delete: 7,
      clear: 1,
    })
    return this[verb](name)
  }

  create(name: string): Step {
    return { method: 'POST', path: this.#path + this.#query(), body: this.#object(name), name }
  }

  put(name: string): Step {
    const [edits, query] = [this.#edits(), this.#query()]
    const version = query === '' || this.#kind.contended === true ? this.#version() : {}
    const whole = this.#object(name)
    return {
      method: 'PUT',
      path: `${this.#path}/${name}${query}`,
      body: (answers: Answers) => edited(answers[name]?.body ?? whole, { ...edits, ...version }),
      name,
    }
  }

  merge(name: string): Step {
    return { ...this.#patch(name, MERGE_PATCH), body: this.#change() }
  }

  strategic(name: string): Step {
    const edits = Object.entries(this.#nulls(this.#edits()))
    // Until 1.27 a null in a map that is not there became an empty text, and numbers that are too large were cut.
    const sound = edits.filter(
      ([path, value]) => (value !== null || !/^(?:data|spec\.hard)\./.test(path)) && !(Number(value) > 2 ** 30),
    )
    return { ...this.#patch(name, STRATEGIC_PATCH), body: edited({}, Object.fromEntries(sound)) }
  }

  json(name: string): Step {
    const operations = Object.entries(this.#edits()).map(([path, value]) => {
      const pointer = `/${path.split('.').join('/')}`
      if (value === undefined) return { op: 'remove', path: pointer }
      // A replaced object must exist since 1.22; only the servers know whether it does.
      return { op: this.#random.weighted({ add: 10, test: 1 }), path: pointer, value }
    })
    return { ...this.#patch(name, JSON_PATCH), body: operations }
  }

  apply(name: string): Step {
    const manager = this.#random.pick(['one', 'two'])
    const force = this.#random.chance(0.4) ? '&force=true' : ''
    const { kind, apiVersion } = this.#kind
    return {
      ...this.#patch(name, APPLY_PATCH, `?fieldManager=${manager}${force}`),
      // Type errors of an applied configuration are worded differently since 1.25.
      body: { apiVersion, kind, ...this.#object(name, 0) },
    }
  }

  status(name: string): Step {
    const edits = this.#pickOf(this.#kind.status ?? {})
    const path = `${this.#path}/${name}/status`
    if (this.#random.chance(0.5))
      return { method: 'PATCH', path, type: MERGE_PATCH, body: edited({}, this.#nulls(edits)), name }
    const whole = this.#object(name)
    return {
      method: 'PUT',
      path,
      body: (answers: Answers) => edited(answers[name]?.body ?? whole, edits),
      name,
    }
  }

  scale(name: string): Step {
    const path = `${this.#path}/${name}/scale`
    const replicas = this.#random.pick([0, 1, 2, 5, -1])
    if (this.#random.chance(0.3)) return { method: 'GET', path }
    if (this.#random.chance(0.5)) return { method: 'PATCH', path, type: MERGE_PATCH, body: { spec: { replicas } } }
    const metadata = { name, namespace: this.#path.split('/namespaces/')[1]?.split('/')[0] }
    return { method: 'PUT', path, body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } } }
  }

  get(name: string): Step {
    return { method: 'GET', path: `${this.#path}/${name}`, name }
  }

  list(name: string): Step {
    const more = this.#random.pick([
      '',
      '&limit=1',
      `&fieldSelector=metadata.name=${name}`,
      '&fieldSelector=metadata.name!=x',
    ])
    return { method: 'GET', path: `${this.#path}?labelSelector=run=${this.#label}${more}` }
  }

  delete(name: string): Step {
    const options = this.#random.pick([
      this.#background(),
      { propagationPolicy: 'Background' },
      { gracePeriodSeconds: 0, ...this.#background() },
    ])
    const dry = this.#random.chance(0.1) ? '?dryRun=All' : ''
    const preconditions = this.#random.chance(0.1) ? { preconditions: { uid: 'x' } } : {}
    const body =
      options === undefined ? undefined : { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...preconditions }
    const step: Step = { method: 'DELETE', path: `${this.#path}/${name}${body === undefined ? dry : ''}`, name }
    return body === undefined ? step : { ...step, body }
  }

  clear(): Step {
    const body = this.#background()
    const step: Step = { method: 'DELETE', path: `${this.#path}?labelSelector=run=${this.#label}` }
    return body === undefined ? step : { ...step, body: { kind: 'DeleteOptions', apiVersion: 'v1', ...body } }
  }

  #background(): object | undefined {
    return this.#kind.orphans === true ? { propagationPolicy: 'Background' } : undefined
  }

  /** A new object, now and then with a mistake. */
  #object(name: string, wrong = 0.3): object {
    const metadata = { name, labels: { run: this.#label } }
    return edited({ metadata, ...this.#kind.base }, this.#edits(wrong)) as object
  }

  /** A patch that makes one or two of the changes. */
  #change(): unknown {
    return edited({}, this.#nulls(this.#edits()))
  }

  #patch(name: string, type: string, query = this.#query()): Step {
    return { method: 'PATCH', path: `${this.#path}/${name}${query}`, type, name }
  }

  #query(): string {
    return this.#random.chance(0.08) ? '?dryRun=All' : ''
  }

  /** The version that the object is known by, none, or one that is long gone. */
  #version(): Edits {
    if (this.#kind.contended === true) return { 'metadata.resourceVersion': undefined }
    // Until 1.23 services were never updated without one.
    if (this.#kind.resource === 'services') return {}
    return this.#random.weighted({ known: 6, none: 3, old: 1 }) === 'known'
      ? {}
      : { 'metadata.resourceVersion': this.#random.chance(0.8) ? undefined : '1' }
  }

  /** One to three places and what is to stand there; `wrong` is the probability of a mistake. */
  #edits(wrong = 0.25): Edits {
    const edits: Record<string, unknown> = { ...this.#pickOf(this.#kind.values) }
    if (this.#random.chance(0.4)) Object.assign(edits, this.#pickOf(this.#kind.values))
    if (!this.#random.chance(wrong)) return edits
    const place = this.#random.pick(Object.keys(this.#kind.values))
    const mistake = this.#random.weighted({ value: 6, unknown: 2, name: 1 })
    if (mistake === 'value')
      edits[place] = this.#random.pick(WRONG.filter((value) => !isEmpty(value) || this.#isScalar(place)))
    else if (mistake === 'unknown') edits['spec.unknown'] = 1
    else edits['metadata.name'] = 'Bad_Name'
    return edits
  }

  /** A manager that loses a map to another as a whole gets it back at the next write, from the real server only. */
  #hasMap(): boolean {
    return Object.keys(this.#kind.values).some((path) => /^(?:data|spec\.hard)$/.test(path) || path.startsWith('data.'))
  }

  /** An empty list or map is valid where one belongs, and Go distinguishes it from an absent one in some places only. */
  #isScalar(place: string): boolean {
    return (this.#kind.values[place] ?? []).every((value) => typeof value !== 'object')
  }

  #pickOf(values: Readonly<Record<string, readonly unknown[]>>): Edits {
    const place = this.#random.pick(Object.keys(values))
    return { [place]: this.#random.pick(values[place] ?? []) }
  }

  /** A patch takes away what it sets to null; of a place in a list it can only speak by the whole list. */
  #nulls(edits: Edits): Edits {
    return Object.fromEntries(
      Object.entries(edits)
        .filter(([path]) => !/\.\d/.test(path))
        .map(([path, value]) => [path, value ?? null]),
    )
  }
}

/** The object with the edits, and without what holds nothing any more: nobody would own that in 1.20. */
function edited(object: unknown, edits: Edits): unknown {
  let result = withEdits(object, edits)
  for (const [path, value] of Object.entries(edits)) {
    if (value !== undefined) continue
    for (let parent = path.split('.').slice(0, -1); parent.length > 0; parent = parent.slice(0, -1))
      if (isEmpty(at(result, parent))) result = withEdits(result, { [parent.join('.')]: undefined })
  }
  return result
}

const at = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((here, key) => (here as Readonly<Record<string, unknown>> | undefined)?.[key], object)

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
