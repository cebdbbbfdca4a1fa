import { isDNS1123Label } from '../../machinery/names.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { compareText } from '../../machinery/text/compare.ts'
import { badRequest } from '../../machinery/status.ts'
import type { Viewer } from '../viewer/viewer.ts'
import type { RecordedUsage } from './recorded-usage.ts'

/** A request of a viewer, as what answers it sees it. */
export interface Question {
  readonly viewer: Viewer
  /** The viewer's client for this request: what it reads is bounded. */
  readonly client: KubeClient
  /** Lists with it that are too large have of each namespace the same share. */
  readonly fairLists: Pick<KubeClient, 'list'>
  readonly parameters: Parameters
  /** What the operator has recorded. */
  readonly usage: RecordedUsage
  /** Empty where the method has none. */
  readonly body: Buffer
  /** Resolves when the next step of a long answer may begin: viewers have their turns one after the other. */
  readonly turn: () => Promise<void>
  /** Has the answer warn of this, too. */
  readonly warn: (text: string) => void
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** An answer, which goes out as JSON. */
export interface Answer {
  readonly code: 200 | 201
  readonly value: unknown
}

export type Responder = (question: Question) => Promise<Answer>

/** The parameters of a request, each of which it may give once. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>

  /** Throws 400 for a parameter that is not in `known`, or comes twice. */
  constructor(query: URLSearchParams, known: readonly string[]) {
    const values = new Map<string, string>()
    for (const [name, value] of query) {
      if (!known.includes(name)) throw badRequest(`a parameter is not known here: ${listed(known)}`)
      if (values.has(name)) throw badRequest(`the parameter ${name} may be given once`)
      values.set(name, value)
    }
    this.#values = values
  }

  /** The same text for the same values, however they are spelled. */
  get text(): string {
    const given = [...this.#values].filter(([, value]) => value !== '')
    return JSON.stringify(given.toSorted(([a], [b]) => compareText(a, b)))
  }

  /** The value; undefined where it is left out or empty. */
  get(name: string): string | undefined {
    const value = this.#values.get(name)
    return value === '' ? undefined : value
  }

  /** Throws 400 where it is left out or empty. */
  need(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw badRequest(`the parameter ${name} is missing`)
    return value
  }

  /** The namespace; empty where it is left out. Throws 400 for what is no name of one. */
  namespace(): string {
    return namespaceNamed(this.get('namespace') ?? '')
  }
}

const listed = (known: readonly string[]): string =>
  known.length === 0 ? 'there is none' : `there is ${known.join(', ')}`

/** Throws 400 for what is neither empty nor the name of a namespace. */
export function namespaceNamed(text: string): string {
  if (text !== '' && isDNS1123Label(text).length > 0) throw badRequest('the namespace must be the name of a namespace')
  return text
}
