import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { eventually } from '../eventually.ts'
import { makeAuthority, makeServerCertificate } from '../../src/runtime/certificate/certificates.ts'
import { comparable } from './comparable.ts'
import { differences } from './differences.ts'
import type { Pair } from './pair.ts'
import type { Answered, Answers, Step } from './scenario.ts'

/** A request of an API server to a webhook. */
export interface HookRequest {
  readonly kind: string
  readonly apiVersion: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into reviews of any shape
  readonly request: any
}

/** Text is answered as it is, `hang` never, anything else as the `response` of a review, its uid filled in. */
export interface HookReply {
  readonly status?: number
  readonly text?: string
  readonly hang?: boolean
  readonly response?: Readonly<Record<string, unknown>>
  /** Members of the review that differ from what is right. */
  readonly review?: Readonly<Record<string, unknown>>
}

export interface TestHook {
  /** Of the webhook; its configuration is named after it, so that the order of names is the order of calls. */
  readonly name: string
  readonly kind: 'validating' | 'mutating'
  readonly reply?: (asked: HookRequest) => HookReply
  /** Members of the webhook beside the usual ones; a function gets the URL that it would have. */
  readonly more?: object | ((url: string) => object)
}

/** Requests in a namespace `WORD` that is labelled `hooked: WORD`, while webhooks are there. */
export interface HookScenario {
  readonly name: string
  readonly hooks: readonly TestHook[]
  /** Done before the webhooks are there; those that are to work eventually are repeated until they do. */
  readonly before?: readonly Step[]
  readonly steps: readonly Step[]
  /**
   * Is the time of each write over while its webhook is asked? On a busy machine it may be over before that, and the question may come
   * late: such a step is repeated until both sides have asked in time and answer the same.
   */
  readonly outlasts?: boolean
}

const GROUP = '/apis/admissionregistration.k8s.io/v1'
const SIDES = ['real', 'allot'] as const
type Side = (typeof SIDES)[number]
const PROBE = 'probe'
const PATIENCE_MS = 60_000
const OPERATIONS: Readonly<Partial<Record<Step['method'], string>>> = {
  POST: 'CREATE',
  PUT: 'UPDATE',
  PATCH: 'UPDATE',
  DELETE: 'DELETE',
}

interface Seen {
  readonly hook: string
  readonly review: HookRequest
}

/** A webhook server that a real API server and allot call alike, and what it was asked by each. */
export class HookPair implements AsyncDisposable {
  readonly #pair: Pair
  readonly #server: Server
  readonly #ca: string
  readonly #seen: Record<Side, Seen[]> = { real: [], allot: [] }
  #hooks: readonly TestHook[] = []

  private constructor(pair: Pair, server: Server, ca: string) {
    this.#pair = pair
    this.#server = server
    this.#ca = ca
  }

  static async start(pair: Pair): Promise<HookPair> {
    const authority = await makeAuthority(Date.now())
    const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
    const server = createServer({ key, cert: certificate })
    const hooks = new HookPair(pair, server, Buffer.from(authority.certificate).toString('base64'))
    server.on('request', (request, response) => {
      let text = ''
      request.on('data', (chunk) => (text += String(chunk)))
      request.on('end', () => {
        const reply = hooks.#answer(request.url ?? '', text)
        if (reply === undefined) return
        response.writeHead(reply.status, { 'content-type': 'application/json' })
        response.end(reply.text)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return hooks
  }

  /** One line for each difference between what the two answered, and between what they asked the webhooks. */
  async play({ name, hooks, before = [], steps, outlasts = false }: HookScenario): Promise<readonly string[]> {
    const word = this.#pair.freshWord()
    const answers: [Record<string, Answered>, Record<string, Answered>] = [{}, {}]
    const metadata = { name: word, labels: { hooked: word } }
    await this.#pair.both({ method: 'POST', path: '/api/v1/namespaces', body: { metadata } }, word, answers)
    await this.#pair.furnished(word)
    for (const step of before) {
      let done: readonly Answered[]
      do done = await this.#both(step, word, answers)
      while (step.eventually === true && done.some(({ code }) => code > 299))
    }
    this.#hooks = hooks
    const lines: string[] = []
    try {
      await Promise.all(SIDES.map((side) => this.#register(side, word)))
      for (const [index, step] of steps.entries()) {
        const deadline = performance.now() + (outlasts ? PATIENCE_MS : 0)
        let found: readonly string[]
        do found = await this.#step(step, word, answers, outlasts)
        while (found.length > 0 && performance.now() < deadline)
        lines.push(...found.map((line) => `${name} #${index} ${step.method} ${step.path}: ${line}`))
      }
    } finally {
      await this.#unregister(word)
    }
    return lines
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** The differences of one step. `outlasts`: only questions about what it does count, and there must be one. */
  async #step(
    step: Step,
    word: string,
    answers: [Record<string, Answered>, Record<string, Answered>],
    outlasts: boolean,
  ): Promise<readonly string[]> {
    for (const side of SIDES) this.#seen[side] = []
    const [real, allot] = await this.#both(step, word, answers)
    const operation = OPERATIONS[step.method]
    if (outlasts)
      for (const side of SIDES)
        this.#seen[side] = this.#seen[side].filter(({ review }) => review.request.operation === operation)
    const isAsked = !outlasts || operation === undefined || SIDES.every((side) => this.#seen[side].length > 0)
    return [
      ...(isAsked ? [] : ['not both have asked a webhook in time']),
      ...differences(this.#plain(real, 'real', word), this.#plain(allot, 'allot', word), step),
      ...differences(this.#asked('real', word), this.#asked('allot', word), step),
    ]
  }

  async #both(
    step: Step,
    word: string,
    answers: [Record<string, Answered>, Record<string, Answered>],
  ): Promise<readonly [Answered, Answered]> {
    const [real, allot] = await this.#pair.both(step, word, answers)
    if (step.name !== undefined) {
      answers[0][step.name] = real
      answers[1][step.name] = allot
    }
    return [real, allot]
  }

  /** Warnings are compared with the body, and the side's own URLs are one. */
  #plain(answered: Answered, side: Side, word: string): Answered {
    const { body, ...rest } = comparable(answered, word)
    const texts = answered.warnings.map((text) => text.replaceAll(word, 'WORD'))
    const all = typeof body === 'object' && texts.length > 0 ? { ...body, warnings: texts } : body
    return { ...rest, body: this.#neutral(all, side) as Answered['body'] }
  }

  /**
   * The requests to the webhooks, in the order of their names, as if they were an answer. A request that is repeated word
   * for word counts once: until 1.21, a refused update was tried again with what is stored.
   */
  #asked(side: Side, word: string): Answered {
    const reviews = this.#seen[side].toSorted((a, b) => (a.hook < b.hook ? -1 : a.hook > b.hook ? 1 : 0))
    const plain = (body: unknown): Answered => comparable({ code: 0, type: '', warnings: [], body }, word)
    const texts = reviews.map((review) => JSON.stringify(this.#neutral(plain(withoutRandom(review)).body, side)))
    const distinct = texts.filter((text, at) => text !== texts[at - 1]).map((text): unknown => JSON.parse(text))
    return plain({ asked: distinct })
  }

  #neutral(value: unknown, side: Side): unknown {
    return JSON.parse(
      JSON.stringify(value).replaceAll(this.#url(side), 'https://SIDE').replaceAll(`${side}/WORD`, 'SIDE/WORD'),
    ) as unknown
  }

  #url(side: Side): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${side}`
  }

  /** Creates one configuration a webhook, and waits until each is asked. */
  async #register(side: Side, word: string): Promise<void> {
    const probes = new Set<string>()
    for (const hook of this.#hooks) {
      const path = `${this.#url(side)}/${word}/${hook.name}`
      const more = typeof hook.more === 'function' ? hook.more(path) : (hook.more ?? {})
      const usual = { admissionReviewVersions: ['v1'], sideEffects: 'None', namespaceSelector: selector(word) }
      const probe = `${hook.name}.probe`
      probes.add(probe)
      await this.#send(side, word, {
        method: 'POST',
        path: `${GROUP}/${hook.kind}webhookconfigurations`,
        body: {
          metadata: { name: `${hook.name}-WORD` },
          webhooks: [
            {
              name: hook.name,
              clientConfig: { url: path, caBundle: this.#ca },
              rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps'] }],
              objectSelector: { matchExpressions: [{ key: PROBE, operator: 'DoesNotExist' }] },
              ...usual,
              ...more,
            },
            {
              name: probe,
              clientConfig: { url: `${this.#url(side)}/${word}/${probe}`, caBundle: this.#ca },
              rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
              ...usual,
              objectSelector: { matchLabels: { [PROBE]: 'yes' } },
            },
          ],
        },
      })
    }
    const body = { metadata: { name: PROBE, labels: { [PROBE]: 'yes' } } }
    const seen = new Set<string>()
    const probe = async (): Promise<number> => {
      await this.#send(side, word, { method: 'POST', path: `/api/v1/namespaces/WORD/configmaps?dryRun=All`, body })
      for (const { hook } of this.#seen[side]) seen.add(hook)
      return probes.difference(seen).size
    }
    await eventually(probe, (left) => left === 0, { what: 'webhooks that are asked' })
  }

  async #unregister(word: string): Promise<void> {
    for (const { name, kind } of this.#hooks)
      await this.#pair.both({ method: 'DELETE', path: `${GROUP}/${kind}webhookconfigurations/${name}-WORD` }, word, [
        {},
        {},
      ])
  }

  async #send(side: Side, word: string, step: Step): Promise<Answered> {
    const answered = await this.#pair.send(this.#pair[side], step, word, {} satisfies Answers)
    if (answered.code > 299) throw new Error(`${side}: ${JSON.stringify(answered.body)}`)
    return answered
  }

  #answer(url: string, text: string): { readonly status: number; readonly text: string } | undefined {
    const [, place = '', , hook = ''] = (url.split('?')[0] ?? '').split('/')
    const side = SIDES.find((one) => one === place)
    const review = JSON.parse(text) as HookRequest
    // The requests of controllers are not compared.
    if (side !== undefined && review.request.userInfo.username === 'admin') this.#seen[side].push({ hook, review })
    const reply = this.#hooks.find(({ name }) => name === hook)?.reply?.(review) ?? {}
    if (reply.hang === true) return undefined
    const response = { uid: review.request.uid as unknown, allowed: true, ...reply.response }
    return {
      status: reply.status ?? 200,
      text:
        reply.text ??
        JSON.stringify({ kind: 'AdmissionReview', apiVersion: review.apiVersion, response, ...reply.review }),
    }
  }
}

/** A generated name stands in the request too, where `comparable` does not look for one. */
function withoutRandom({ hook, review }: Seen): Seen {
  const generated: unknown = review.request.object?.metadata?.generateName
  const { name } = review.request
  if (typeof generated !== 'string' || typeof name !== 'string') return { hook, review }
  return { hook, review: { ...review, request: { ...review.request, name: `${generated}RANDOM` } } }
}

const selector = (word: string): object => ({ matchLabels: { hooked: word } })
