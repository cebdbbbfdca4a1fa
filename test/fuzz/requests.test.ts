import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustCreate } from '../arena.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'
import { FuzzClient } from './fuzz-client.ts'
import { type FuzzRequest, RequestGenerator, RESOURCES } from './request-generator.ts'
import { sweep } from './sweep.ts'
import { answerProblem, WatchObserver } from './watch-observer.ts'

const REQUESTS = Number(process.env['ALLOT_FUZZ_REQUESTS'] ?? (soak ? 1_000_000 : 2500))
const BATCH = 250
/** Created objects are deleted after so many requests, or a million would fill any memory. */
const SWEEP_EVERY = soak ? 20_000 : 1250
const AT_ONCE = 8
/**
 * The allowed log lines: a webhook without a server failed, be it one that is to be ignored or one that kept a
 * controller from its work, and that a schema refuses what a controller wants of an object that is older. An administrator wants to know.
 */
const EXPECTED_LOG =
  /"msg":"a webhook failed; its policy is to be ignored"|failed calling webhook|"msg":"a write of a controller was rejected/
let observer: WatchObserver
let client: FuzzClient

beforeAll(async () => {
  observer = await WatchObserver.start(EXPECTED_LOG)
  client = new FuzzClient(observer.allot)
  for (const name of ['fuzz-a', 'fuzz-b'])
    await mustCreate(observer.client, '/api/v1/namespaces', { metadata: { name } })
  await limit()
})

afterAll(async () => {
  await client.close()
  await observer.stop()
})

test(
  `${REQUESTS} random requests are answered properly, and the server goes on`,
  { timeout: 60_000 + REQUESTS * 20 },
  async () => {
    await tellingSeed('fuzz', async () => {
      const generator = new RequestGenerator(new SeededRandom(seed))
      const codes: Record<string, number> = {}
      for (let sent = 0; sent < REQUESTS; sent += BATCH) {
        if (sent > 0 && sent % SWEEP_EVERY === 0) {
          await sweep(observer.client, RESOURCES)
          await limit()
        }
        // Made before they are sent, so that the same seed sends the same as far as the server answers the same.
        const requests = Array.from({ length: BATCH }, () => generator.next())
        const problems = await sendAll(requests, generator, codes)
        expect(problems.slice(0, 5)).toEqual([])
        expect(await observer.complaint()).toBeUndefined()
      }
      if (process.env['ALLOT_VERBOSE'] !== undefined) console.log(JSON.stringify(codes), observer.memoryMb())
      expect(Object.keys(codes)).toEqual(expect.arrayContaining(['200', '201', '400', '404', '409', '415', '422']))
    })
  },
)

const limit = (): Promise<void> =>
  mustCreate(observer.client, '/api/v1/namespaces/fuzz-a/resourcequotas', {
    metadata: { name: 'limits' },
    spec: {
      hard: {
        pods: '50',
        'requests.cpu': '500',
        services: '40',
        'services.nodeports': '20',
        'count/configmaps': '60',
        'requests.storage': '1Ti',
      },
    },
  })

async function sendAll(
  requests: readonly FuzzRequest[],
  generator: RequestGenerator,
  codes: Record<string, number>,
): Promise<readonly string[]> {
  const problems: string[] = []
  const waiting = requests.values()
  const worker = async (): Promise<void> => {
    for (const request of waiting) {
      const problem = await send(request, generator, codes)
      const { method, path, headers, body = '' } = request
      if (problem !== undefined)
        problems.push(`${problem} to ${method} ${path} ${JSON.stringify(headers)} ${String(body).slice(0, 3000)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return problems
}

async function send(
  request: FuzzRequest,
  generator: RequestGenerator,
  codes: Record<string, number>,
): Promise<string | undefined> {
  const { method } = request
  try {
    const reply = await client.send(request)
    if (reply === undefined) return undefined
    codes[reply.code] = (codes[reply.code] ?? 0) + 1
    if (reply.code < 300 && method !== 'GET' && method !== 'HEAD' && reply.text.startsWith('{')) {
      const { object } = reply
      if (object.kind === request.resource.kind && object.metadata?.name !== undefined) generator.learn(request, object)
    }
    return answerProblem(reply, method)
  } catch (error) {
    return String(error)
  }
}
