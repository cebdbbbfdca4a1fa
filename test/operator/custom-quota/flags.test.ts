import { describe, expect, test } from 'vitest'
import { operatedServers } from '../operated.ts'
import {
  COUNTED_MAPS,
  DEFINITIONS,
  forQuotas,
  map,
  MAPS,
  mapsIn,
  openDefinition,
  openVersions,
  quotasIn,
  type QuotaWorld,
} from './quota-world.ts'

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/allot'
const [up] = operatedServers

const quota = (name: string, spec: object) => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'CustomQuota',
  metadata: { name },
  spec,
})

/** Creates a map of one and gives the warning of the answer. */
async function warning(world: QuotaWorld, namespace: string, name: string): Promise<unknown> {
  const answer = await world.send('POST', mapsIn(namespace), map(name))
  expect(answer.status, answer.text).toBe(201)
  return answer.headers['warning']
}

describe('allot up: custom quotas with --until-ready=allow and an empty --warn-at', { concurrent: true }, () => {
  const suite = forQuotas(() => up!.start({ args: ['--until-ready=allow', '--warn-at='] }))

  test('requests that concern a quota which is not ready are allowed, and counted afterwards', async () => {
    const { world } = suite
    await world.namespace('cq-early')
    const path = `${quotasIn('cq-early')}/one`
    const early = { apiVersion: 'early.allot.test/v1', kind: 'Early', op: 'count' }
    await world.create(
      quotasIn('cq-early'),
      quota('one', { limit: '1', sources: [COUNTED_MAPS, early], scopeSelectors }),
    )
    await world.notReady(path, 'early.allot.test/v1, Kind=Early')
    await world.until(HOOKS, ({ webhooks }) => JSON.stringify(webhooks).includes('"resources":["configmaps"]'))
    for (const name of ['a', 'b']) await world.create(mapsIn('cq-early'), map(name))
    await world.create(DEFINITIONS, openDefinition('early.allot.test', 'Early', openVersions(['v1'])))
    await world.ready(path)
    await world.used(path, '2')
    const { status, text } = await world.send('POST', mapsIn('cq-early'), map('c'))
    expect([status, text]).toEqual([403, expect.stringContaining('currentUsed=2, available=0, limit=1')])
  })

  test('nobody is warned', async () => {
    const { world } = suite
    await world.namespace('cq-silent')
    await world.quota('cq-silent', 'one', { limit: '1', sources: [MAPS], scopeSelectors })
    expect(await warning(world, 'cq-silent', 'a')).toBeUndefined()
  })
})

const BOUNDS = [
  [
    '--custom-quota-sources=2',
    { sources: [COUNTED_MAPS, MAPS, MAPS] },
    'spec.sources: Too many: 3: must have at most 2 items',
  ],
  [
    '--custom-quota-selectors=1',
    { sources: [{ ...MAPS, selectors: [...scopeSelectors, ...scopeSelectors] }] },
    'spec.sources[0].selectors: Too many: 2: must have at most 1 items',
  ],
  [
    '--custom-quota-expressions=1',
    { sources: [{ ...MAPS, selectors: [{ fieldSelectors: ['.data.size', '.data.class'] }] }] },
    'spec.sources: Too many: 2: must have at most 1 field selectors and CEL expressions together',
  ],
] as const

describe('allot up: custom quotas with bounds and a percentage of their own', { concurrent: true }, () => {
  const suite = forQuotas(() => up!.start({ args: [...BOUNDS.map(([flag]) => flag), '--warn-at=50'] }))

  test.each(BOUNDS)('%s refuses a quota beyond it with the field', async (flag, spec, problem) => {
    const { world } = suite
    const path = quotasIn('default')
    const { status, text } = await world.send('POST', path, quota('beyond', { limit: '1', ...spec }))
    expect([status, text]).toEqual([403, expect.stringContaining(problem)])
    const within = { sources: spec.sources.slice(0, 1).map(() => MAPS), scopeSelectors }
    await world.create(path, quota(flag.slice(2).replace(/=.*/, ''), { limit: '100', ...within }))
  })

  test('writers are warned at the percentage of --warn-at, and nowhere else', async () => {
    const { world } = suite
    await world.namespace('cq-half')
    await world.quota('cq-half', 'four', { limit: '4', sources: [MAPS], scopeSelectors })
    expect(await warning(world, 'cq-half', 'a')).toBeUndefined()
    expect(await warning(world, 'cq-half', 'b')).toContain('CustomQuota cq-half/four has reached 50 % of its limit')
    expect(await warning(world, 'cq-half', 'c')).toBeUndefined()
    expect(await warning(world, 'cq-half', 'd')).toBeUndefined()
  })
})
