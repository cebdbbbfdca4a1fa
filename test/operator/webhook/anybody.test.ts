import { writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { ENFORCEMENT_PATH } from '../../../src/systems/resource-quota/operate/admission/quota-asking.ts'
import { CALCULATIONS_PATH } from '../../../src/systems/custom-quota/operate/admission/calculation-rules.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { KarmadaWorld, kquotasIn } from '../karmada-quota/karmada-world.ts'
import { map, MAPS, ledgersIn, mapsIn, quotasIn, QuotaWorld } from '../custom-quota/quota-world.ts'
import { type Operated, operatedServers } from '../operated.ts'
import { condition } from '../pool-objects.ts'
import { Anybody, type CallAnswer, reviewOf, type StoredHook, storedHooks } from './webhook-caller.ts'

const NAMESPACE = 'anybody'
/** Amounts that nothing else has: an answer that contains one tells it. */
const LIMIT = '73519'
const USED = 42_371
const QUOTA = `${quotasIn(NAMESPACE)}/secluded`
const SYSTEMS = ['resourcepools', 'custom-quotas', 'quantityledgers', 'quotaincreases', 'karmadaquotas', 'probe']
/** Paths that are answered whether or not a rule leads there. */
const ALWAYS = [CALCULATIONS_PATH, `${CALCULATIONS_PATH}/9`, ENFORCEMENT_PATH, '/validate-karmadaquota']
const MOST_LOGGED_BYTES = 4000
const WRONG = '0123456789abcdef'.repeat(2)

const reference = { group: '', version: 'v1' }
/** Reviews that would be charged, close a quota, or be answered with what is left of it. */
const REVIEWS = [
  reviewOf({
    kind: { ...reference, kind: 'ConfigMap' },
    resource: { ...reference, resource: 'configmaps' },
    operation: 'CREATE',
    namespace: NAMESPACE,
    name: 'by-anybody',
    object: { ...map('by-anybody', 20_000), metadata: { ...map('by-anybody').metadata, namespace: NAMESPACE } },
    dryRun: false,
  }),
  reviewOf({
    kind: { group: 'capsule.clastix.io', version: 'v1beta2', kind: 'CustomQuota' },
    resource: { group: 'capsule.clastix.io', version: 'v1beta2', resource: 'customquotas' },
    operation: 'UPDATE',
    namespace: NAMESPACE,
    name: 'secluded',
    object: quotaWith('1'),
    oldObject: quotaWith(LIMIT),
    dryRun: false,
  }),
]

function quotaWith(limit: string) {
  return {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'CustomQuota',
    metadata: { name: 'secluded', namespace: NAMESPACE, uid: 'u', generation: 1 },
    spec: { limit, sources: [MAPS] },
  }
}

for (const { name, available, start } of operatedServers)
  describe(`${name}: anybody who reaches its ports`, { skip: !available }, () => {
    let server: Operated
    let world: QuotaWorld
    let hooks: readonly StoredHook[]
    let origin: string
    const anybody = new Anybody()

    beforeAll(async () => {
      const file = join(temporaryDirectory(), 'definitions.yaml')
      writeFileSync(file, JSON.stringify({ quotas: [] }))
      const enforced = name === 'allot up' ? [] : ['--enforce-resourcequota=both']
      server = await start({ args: ['--quota-definitions', file, ...enforced] })
      const karmada = new KarmadaWorld(server)
      world = new QuotaWorld(server)
      await karmada.define()
      await world.namespace(NAMESPACE)
      await world.quota(NAMESPACE, 'secluded', { limit: LIMIT, sources: [MAPS] })
      await karmada.quota(NAMESPACE, 'secluded', { cpu: LIMIT })
      await world.create(mapsIn(NAMESPACE), map('counted', USED))
      await world.used(QUOTA, String(USED))
      await world.until(
        `${ledgersIn(NAMESPACE)}/secluded`,
        ({ status }) => status.reserved === '0' && status.allocated === String(USED),
      )
      hooks = await storedHooks(world)
      origin = hooks[0]?.origin ?? ''
    })
    afterAll(async () => {
      await anybody[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    /** All that a call could change: what the quotas hold, and whether they are open. */
    const state = async (): Promise<object> => {
      const [ledger, quota, karmada] = await Promise.all(
        [`${ledgersIn(NAMESPACE)}/secluded`, QUOTA, `${kquotasIn(NAMESPACE)}/secluded`].map((path) => world.read(path)),
      )
      const { allocated, reserved } = ledger.status
      const ready = condition(quota, 'Ready')?.status
      return { allocated, reserved, ready, usage: quota.status.usage, karmada: karmada.status.used }
    }
    /** A quota that somebody has closed answers with 429. */
    const isOpen = async (): Promise<void> => {
      const { status, text } = await world.send('POST', `${mapsIn(NAMESPACE)}?dryRun=All`, map('open'))
      expect([status, text]).toEqual([201, expect.any(String)])
    }
    const counts = async (metric: string): Promise<ReadonlyMap<string, number>> => {
      const headers = { authorization: `Bearer ${server.token}` }
      const text = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`, { headers })).text()
      const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`))
      return new Map(lines.map((line) => [line.replace(/ [^ ]*$/, ''), Number(line.split(' ').at(-1))]))
    }
    const turnedAway = async (): Promise<number> =>
      (await counts('allot_admission_refused_calls_total')).get('allot_admission_refused_calls_total{reason="path"}') ??
      NaN

    /** The paths that somebody may try who knows the program, and perhaps the path of another webhook. */
    const guesses = (): readonly string[] => {
      const known = new Set(hooks.map(({ path }) => path))
      const all = hooks.flatMap(({ path, bare }, index) => {
        const part = path.slice(bare.length + 1)
        const other = hooks.find((one) => one.bare !== bare && one !== hooks[index])
        const othersPart = other?.path.slice(other.bare.length + 1) ?? ''
        return [
          bare,
          `${bare}/`,
          `${bare}/${WRONG}`,
          `${bare}/${othersPart}`,
          `${bare}/${part.slice(0, -1)}`,
          `${bare}/${part}0`,
          `${bare}/${part}/`,
          `${bare}/${part.toUpperCase()}`,
          `${bare}/9/${part}`,
          `${bare}%2f${part}`,
          `${bare}/%${part.charCodeAt(0).toString(16)}${part.slice(1)}`,
          `/${part}${bare}`,
          `/${path}`,
          `/x/..${path}`,
          `/.${path}`,
          `${bare}?timeout=10s&part=${part}`,
          `${bare};${part}`,
        ]
      })
      return [...all, ...ALWAYS, ...ALWAYS.map((path) => `${path}/${WRONG}`)].filter((path) => !known.has(path))
    }

    test('charges, closes and learns nothing, whatever path is tried on the port of the webhooks, and fills no log [security/webhook-path]', async () => {
      for (const system of SYSTEMS) expect(hooks.map(({ bare }) => bare.split('/')[1])).toContain(system)
      const [before, refusals, logged] = [await state(), await turnedAway(), server.logs().length]
      const paths = guesses()
      const answers: CallAnswer[] = []
      for (const path of paths) for (const review of REVIEWS) answers.push(await anybody.post(origin, path, review))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect(answers[0]?.text).not.toMatch(new RegExp(`${LIMIT}|${USED}|secluded|allowed`))
      expect(await turnedAway()).toBe(refusals + answers.length)
      expect(await state()).toEqual(before)
      await isOpen()
      const log = server.logs().slice(logged)
      expect(log).not.toMatch(/calculations|by-anybody|0123456789abcdef/)
      expect(log.length).toBeLessThan(MOST_LOGGED_BYTES)

      // Controllers of the cluster write now and then. While they do not, no review is counted.
      const reviews = async (): Promise<string> =>
        JSON.stringify(
          [...(await counts('allot_admission_reviews_total'))].filter(([series]) =>
            /calculations|validate-karmada|custom/.test(series),
          ),
        )
      await eventually(
        async () => {
          const earlier = await reviews()
          for (const path of paths) for (const review of REVIEWS.slice(0, 1)) await anybody.post(origin, path, review)
          return earlier === (await reviews())
        },
        (isSame) => isSame,
        { what: 'no review to be counted while anybody tries all paths' },
      )
    })

    test('is answered before the body is read [security/unread-body]', async () => {
      const { hostname, port } = new URL(origin)
      const status = await new Promise((resolve, reject) => {
        const call = httpsRequest(
          {
            host: hostname,
            port,
            path: CALCULATIONS_PATH,
            method: 'POST',
            rejectUnauthorized: false,
            headers: { 'content-length': '8000000' },
          },
          ({ statusCode }) => {
            resolve(statusCode)
            call.destroy()
          },
        )
        call.on('error', reject)
        call.flushHeaders()
      })
      expect(status).toBe(404)
    })

    test('has no webhook answer on any other port, not even at the path that API servers use', async () => {
      const before = await state()
      const ports = [server.metricsPort, server.healthPort].map((port) => `http://127.0.0.1:${port}`)
      for (const place of [...ports, server.url])
        for (const { path, bare } of hooks)
          for (const tried of [path, bare])
            for (const review of REVIEWS) {
              const { status, text } = await anybody.post(place, tried, review)
              expect([place, tried, status]).toEqual([place, tried, expect.toSatisfy((code: number) => code >= 400)])
              expect(text).not.toMatch(new RegExp(`${LIMIT}|${USED}|secluded|allowed`))
            }
      expect(await state()).toEqual(before)
    })

    test('finds the paths in no metric, health page, log, quota or event [security/untold-path]', async () => {
      const headers = { authorization: `Bearer ${server.token}` }
      const pages = await Promise.all(
        [
          `http://127.0.0.1:${server.metricsPort}/metrics`,
          `http://127.0.0.1:${server.healthPort}/readyz?verbose`,
          `http://127.0.0.1:${server.healthPort}/livez?verbose`,
        ].map(async (page) => await (await fetch(page, { headers })).text()),
      )
      const stored = await Promise.all([QUOTA, '/api/v1/events'].map((path) => world.read(path)))
      const shown = [...pages, ...stored.map((object) => JSON.stringify(object)), server.logs()].join('\n')
      for (const { path, bare } of hooks) expect(shown).not.toContain(path.slice(bare.length + 1))
    })

    test('knows the path of a webhook only as API servers do, and is answered and charged then', async () => {
      const { path } = hooks.find(({ bare }) => bare.startsWith(CALCULATIONS_PATH)) ?? { path: '' }
      const [creation = ''] = REVIEWS
      const { status, text } = await anybody.post(origin, path, creation)
      expect([status, JSON.parse(text).response.allowed]).toEqual([200, true])
      await world.until(`${ledgersIn(NAMESPACE)}/secluded`, (ledger) => ledger.status.reserved !== '0')
    })
  })
