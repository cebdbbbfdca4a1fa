import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { SeededRandom, seed, soak, tellingSeed } from '../seeded-random.ts'
import { comparable } from './comparable.ts'
import { differences } from './differences.ts'
import { Pair } from './pair.ts'
import { GADGETS } from './random-definition.ts'
import { RANDOM_KINDS } from './random-kinds.ts'
import { RandomRequests } from './random-requests.ts'
import { assets } from './real-server.ts'
import type { Answered, Step } from './scenario.ts'

const REQUESTS = Number(process.env['ALLOT_RANDOM_REQUESTS'] ?? (soak ? 50_000 : 1_000))
const A_SEQUENCE = 25
const AT_ONCE = 6
/** So many are printed; the rest is usually of the same kind. */
const MOST_PRINTED = Number(process.env['ALLOT_RANDOM_PRINTED'] ?? 5)
/** Only this one, to look into what it found. */
const only = process.env['ALLOT_SEQUENCE']

describe.skipIf(assets === undefined)('a real API server and allot answer any requests the same', () => {
  let pair: Pair
  let word: string
  beforeAll(async () => {
    pair = await Pair.start({ controllers: 'namespace,serviceaccount,serviceaccount-token,garbagecollector' })
    word = pair.freshWord()
    for (const name of [word, `${word}-limits`])
      await pair.both({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } }, word, [{}, {}])
    await pair.both(
      { method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: GADGETS },
      word,
      [{}, {}],
    )
    await pair.furnished(word)
    const served: Step = { method: 'GET', path: `/apis/random.test/v1/namespaces/${word}/gadgets` }
    await vi.waitFor(
      async () => {
        const answers = await pair.both(served, word, [{}, {}])
        if (answers.some(({ code }) => code !== 200)) throw new Error('the kind is not served yet')
      },
      { timeout: 60_000, interval: 50 },
    )
  })
  afterAll(() => pair[Symbol.asyncDispose]())

  test(`${REQUESTS} of them`, async () => {
    await tellingSeed('random requests', async () => {
      const found: string[] = []
      const sequences =
        only === undefined ? Array.from({ length: Math.ceil(REQUESTS / A_SEQUENCE) }, (_, n) => n) : [Number(only)]
      const rest = sequences.values()
      const worker = async (): Promise<void> => {
        for (const sequence of rest) {
          if (found.length >= MOST_PRINTED) return
          const difference = await play(sequence)
          if (difference !== undefined) found.push(difference)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      expect(found.join('\n\n')).toBe('')
    })
  })

  /** Sends the requests of one sequence; tells the first difference, with all that is needed to see it again. */
  async function play(sequence: number): Promise<string | undefined> {
    const random = new SeededRandom(seed * 100_003 + sequence)
    const kind = random.pick(RANDOM_KINDS)
    // Limits and quotas would change what becomes of the pods beside them.
    const namespace = /limitranges|resourcequotas/.test(kind.resource) ? 'WORD-limits' : 'WORD'
    const requests = new RandomRequests(random, kind, namespace, `s${sequence}`)
    const answers: [Record<string, Answered>, Record<string, Answered>] = [{}, {}]
    for (let index = 0; index < A_SEQUENCE; index++) {
      const step = requests.next()
      const sent = [bodyOf(step, answers[0]), bodyOf(step, answers[1])]
      const both = await pair.both(step, word, answers)
      const [real, allot] = both.map((answer) => comparable(answer, word)) as [Answered, Answered]
      const lines = differences(real, allot, step)
      if (lines.length > 0)
        return [
          `ALLOT_SEED=${seed} ALLOT_SEQUENCE=${sequence} #${index} ${step.method} ${step.path} ${step.type ?? ''}`,
          ...lines,
          `sent to the real server: ${sent[0]}`,
          `sent to allot: ${sent[1]}`,
          `real: ${real.code} ${JSON.stringify(real.body)}`,
          `allot: ${allot.code} ${JSON.stringify(allot.body)}`,
        ].join('\n')
      // After a listed difference in what was done the two are no longer in the same state; and who owns the replicas
      // that were set through a Scale is worded differently since 1.22.
      if (real.code !== allot.code || (step.path.endsWith('/scale') && step.method !== 'GET')) return undefined
      if (step.name !== undefined && !step.path.includes('dryRun'))
        for (const [at, { code, body }] of both.entries()) {
          const held = answers[at === 0 ? 0 : 1]
          if (code < 300 && body.kind === kind.kind) held[step.name] = both[at === 0 ? 0 : 1]
          if (step.method === 'DELETE' && code < 300) delete held[step.name]
        }
    }
    return undefined
  }
})

function bodyOf({ body }: Step, answers: Readonly<Record<string, Answered>>): string {
  const made: unknown = typeof body === 'function' ? (body as (answers: unknown) => unknown)(answers) : body
  return JSON.stringify(made)
}
