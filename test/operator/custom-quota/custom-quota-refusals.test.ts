import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { inParallel } from '../../../src/runtime/tasks/in-parallel.ts'
import { RefusingWebhook } from '../holding-webhook.ts'
import { operatedServers } from '../operated.ts'
import { podsIn } from '../pool-objects.ts'
import { COUNTED_MAPS, forQuotas, GLOBAL_QUOTAS, ledgersIn, map, MAPS, mapsIn, quotasIn } from './quota-world.ts'

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
/** After `v2.` and so on where quotas count in several sets of namespaces. */
const HOOK = 'calculation.custom-quotas.validating.projectcapsule.dev\\" denied the request: '

/** Hundreds of writes of a long ledger are enough on one server. */
const [LONG] = operatedServers
  .filter((one) => one.available)
  .map((one) => one.name)
  .toReversed()

for (const { name, available, share } of operatedServers)
  describe(`${name}: refusing`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)

    test('an object that is one too many is refused with the amounts, until another goes', async () => {
      const { world } = suite
      await world.namespace('cq-refuse')
      await world.quota('cq-refuse', 'two', { limit: '2', sources: [COUNTED_MAPS], scopeSelectors })
      await world.create(mapsIn('cq-refuse'), map('a'))
      await world.create(mapsIn('cq-refuse'), map('b'))
      const refused = await world.send('POST', mapsIn('cq-refuse'), map('c'))
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining(
          `${HOOK}creating resource exceeds limit for CustomQuota \\"two\\" (requested=1, currentUsed=2, available=0, limit=2, inflightReserved=`,
        ),
      ])
      const dry = await world.send('POST', `${mapsIn('cq-refuse')}?dryRun=All`, map('c'))
      expect(dry.status).toBe(403)
      // An object that does not count is not refused.
      await world.create(mapsIn('cq-refuse'), map('other', 1, { counted: 'no' }))
      await world.delete(`${mapsIn('cq-refuse')}/a`)
      await world.create(mapsIn('cq-refuse'), map('c'))
      await world.used(`${quotasIn('cq-refuse')}/two`, '2')
    })

    test('an update that costs more is refused where it does not fit, one that costs less never', async () => {
      const { world } = suite
      await world.namespace('cq-update')
      await world.create(mapsIn('cq-update'), map('big', 8))
      await world.quota('cq-update', 'five', { limit: '5', sources: [MAPS], scopeSelectors })
      const big = `${mapsIn('cq-update')}/big`
      expect(await world.refused('PATCH', big, { data: { size: '9' } })).toContain(
        'updating resource exceeds limit for CustomQuota "five" (requested=9, currentUsed=8, available=0, limit=5',
      )
      // Over its limit still, and smaller than before.
      await world.patch(big, { data: { size: '7' } })
      await world.patch(big, { data: { size: '1' } })
      await world.patch(big, { data: { size: '5' } })
      expect(await world.refused('PATCH', big, { data: { size: '6' } })).toContain('at most 5 would fit')
    })

    test('a label that brings an object in is refused where it does not fit, one that takes it out never', async () => {
      const { world } = suite
      await world.namespace('cq-label')
      await world.quota('cq-label', 'one', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
      await world.create(mapsIn('cq-label'), map('in'))
      await world.create(mapsIn('cq-label'), map('out', 1, { counted: 'no' }))
      const label = (counted: string) => ({ metadata: { labels: { counted } } })
      expect(await world.refused('PATCH', `${mapsIn('cq-label')}/out`, label('yes'))).toContain('exceeds limit')
      await world.patch(`${mapsIn('cq-label')}/in`, label('no'))
      await world.patch(`${mapsIn('cq-label')}/out`, label('yes'))
      expect(await world.refused('PATCH', `${mapsIn('cq-label')}/in`, label('yes'))).toContain('exceeds limit')
    })

    test('a refusal that reserved room alone causes says how much may be given back', async () => {
      const { world } = suite
      await world.namespace('cq-reserved')
      await world.quota('cq-reserved', 'one', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
      // Another webhook refuses beside allot's, so that the reservation stays.
      await using refusing = await RefusingWebhook.start(world)
      const create = (query: string) =>
        world.send('POST', `${mapsIn('cq-reserved')}${query}`, map('a', 1, { held: refusing.name }))
      await eventually(
        () => create('?dryRun=All'),
        ({ status }) => status === 400,
      )
      expect((await create('')).status).toBe(400)
      expect((await world.send('POST', mapsIn('cq-reserved'), map('b'))).text).toContain(
        'inflightReserved=1); at most 0 would fit; 1 is reserved by requests that are not stored yet, and may be given back',
      )
    })

    if (name === LONG)
      test('requests that another webhook refuses fill their part of a global ledger and no more, and others are let in', async () => {
        const { world } = suite
        const [own, late] = ['cq-full', 'cq-full-late']
        const crowd = ['a', 'b', 'c'].map((of) => `cq-full-${of}`.padEnd(63, 'x'))
        for (const namespace of [own, late, ...crowd]) await world.namespace(namespace)
        const labels = { counted: own }
        const spec = { limit: '100k', sources: [COUNTED_MAPS], scopeSelectors: [{ matchLabels: labels }] }
        await world.quota(undefined, own, spec)
        await using refusing = await RefusingWebhook.start(world)
        const long = (text: string): string => text.padEnd(253, 'x')
        await inParallel(Array.from({ length: 256 * crowd.length }).keys(), 128, async (at) => {
          const metadata = { name: long(`m${at}`), labels: { ...labels, held: refusing.name } }
          await world.send('POST', mapsIn(crowd[Math.floor(at / 256)] ?? ''), { metadata })
        })
        const { status } = await world.read(`${ledgersIn('allot-system')}/${own}`)
        expect(status.outstanding.length).toBeGreaterThan(200_000)
        expect(status.outstanding.length).toBeLessThan(300_000)
        // A namespace that has its share gets no more …
        const held = { ...labels, held: refusing.name }
        await inParallel(Array.from({ length: 24 }).keys(), 24, async (at) => {
          await world.send('POST', mapsIn(late), { metadata: { name: long(`late-${at}`), labels: held } })
        })
        const more = await world.send('POST', mapsIn(late), { metadata: { name: long('more'), labels } })
        expect([more.status, more.json.message]).toEqual([
          429,
          expect.stringContaining(`the ledger of GlobalCustomQuota "${own}" is full`),
        ])
        // … and each of the others has a share of its own.
        for (let at = 0; at < 8; at++)
          await world.create(mapsIn(own), { metadata: { name: long(`own-${at}`), labels } })
        await world.delete(`${GLOBAL_QUOTAS}/${own}`)
      })

    test('of a hundred creates at once exactly as many succeed as fit, and the ledger settles', async () => {
      const { world } = suite
      await world.namespace('cq-rush')
      await world.quota('cq-rush', 'ten', { limit: '10', sources: [COUNTED_MAPS], scopeSelectors })
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => world.send('POST', mapsIn('cq-rush'), map(`m${index}`))),
      )
      const statuses = answers.map(({ status }) => status)
      expect([statuses.filter((one) => one === 201).length, statuses.filter((one) => one === 403).length]).toEqual([
        10, 90,
      ])
      await world.used(`${quotasIn('cq-rush')}/ten`, '10')
      const ledger = await world.until(`${ledgersIn('cq-rush')}/ten`, ({ status }) => status.reserved === '0')
      expect(ledger.status).toMatchObject({ allocated: '10', reservations: [] })
    })

    test('a create of what is there already says so and reserves nothing, unless the quota refuses it', async () => {
      const { world } = suite
      await world.namespace('cq-taken')
      await world.quota('cq-taken', 'two', { limit: '2', sources: [COUNTED_MAPS], scopeSelectors })
      await world.create(mapsIn('cq-taken'), map('a'))
      const path = `${quotasIn('cq-taken')}/two`
      await world.used(path, '1')
      const again = await world.send('POST', mapsIn('cq-taken'), map('a'))
      expect([again.status, again.text]).toEqual([409, expect.stringContaining('"reason":"AlreadyExists"')])
      expect((await world.read(`${ledgersIn('cq-taken')}/two`)).status).toMatchObject({
        reserved: '0',
        reservations: [],
      })
      await world.create(mapsIn('cq-taken'), map('b'))
      await world.used(path, '2')
      expect((await world.send('POST', mapsIn('cq-taken'), map('a'))).text).toContain('exceeds limit')
    })

    test('all quotas that count an object are charged or none, and all that refuse are named, the smallest first', async () => {
      const { world } = suite
      await world.namespace('cq-all', 'cq-all')
      await world.quota('cq-all', 'wide', { limit: '9', sources: [MAPS], scopeSelectors })
      await world.quota('cq-all', 'small', { limit: '2', sources: [COUNTED_MAPS], scopeSelectors })
      await world.quota(undefined, 'cq-all', {
        limit: '8',
        sources: [MAPS],
        scopeSelectors,
        namespaceSelectors: [{ matchLabels: { pool: 'cq-all' } }],
      })
      await world.create(mapsIn('cq-all'), map('a', 5))
      const refused = await world.send('POST', mapsIn('cq-all'), map('b', 5))
      expect(refused.text).toContain('exceeds limit for GlobalCustomQuota \\"cq-all\\" (requested=5')
      expect(refused.text).toContain('; also refused by CustomQuota \\"wide\\"')
      await world.create(mapsIn('cq-all'), map('c', 3))
      expect((await world.send('POST', mapsIn('cq-all'), map('d', 0))).text).toContain('CustomQuota \\"small\\"')
      await world.used(`${GLOBAL_QUOTAS}/cq-all`, '8')
      for (const [path, reserved] of [
        [`${ledgersIn('cq-all')}/wide`, '8'],
        [`${ledgersIn('cq-all')}/small`, '2'],
      ] as const)
        await world.until(path, ({ status }) => status.reserved === '0' && status.allocated === reserved)
    })

    test('the pods of a ReplicaSet are refused when its controller creates them', async () => {
      const { world, server } = suite
      await world.namespace('cq-replicas')
      await world.quota('cq-replicas', 'pods', {
        limit: '1',
        sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }],
      })
      const controller = { 'impersonate-user': 'system:serviceaccount:kube-system:replicaset-controller' }
      const pod = (of: string) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: of },
        spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
      })
      await world.pod('cq-replicas', 'first', {})
      const refused = await server.send('POST', podsIn('cq-replicas'), pod('second'), controller)
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('CustomQuota \\"pods\\"')])
    })

    test('a quota on a field that a scale changes refuses the scale', async () => {
      const { world } = suite
      await world.namespace('cq-scale')
      await world.quota('cq-scale', 'replicas', {
        limit: '3',
        sources: [{ apiVersion: 'apps/v1', kind: 'Deployment', op: 'add', path: '.spec.replicas' }],
      })
      const deployments = '/apis/apps/v1/namespaces/cq-scale/deployments'
      const labels = { app: 'a' }
      await world.create(deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          replicas: 2,
          paused: true,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      })
      const scale = `${deployments}/web/scale`
      await world.patch(scale, { spec: { replicas: 3 } })
      expect(await world.refused('PATCH', scale, { spec: { replicas: 4 } })).toContain(
        'updating resource exceeds limit for CustomQuota "replicas" (requested=4, currentUsed=3',
      )
      await world.patch(scale, { spec: { replicas: 1 } })
      await world.used(`${quotasIn('cq-scale')}/replicas`, '1')
    })

    test('an object outside namespaces is refused by a global quota, and a CustomQuota on its kind says that it cannot count it', async () => {
      const { world } = suite
      await world.namespace('cq-cluster')
      const source = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', op: 'count' }
      const only = [{ matchLabels: { quota: 'cq-cluster' } }]
      await world.quota(undefined, 'cq-cluster', { limit: '1', sources: [source], scopeSelectors: only })
      const create = (of: string) =>
        world.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
          metadata: { name: of, labels: { quota: 'cq-cluster' } },
          value: 1,
        })
      expect((await create('cq-cluster-a')).status).toBe(201)
      const refused = await create('cq-cluster-b')
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('exceeds limit for GlobalCustomQuota \\"cq-cluster\\" (requested=1, currentUsed=1'),
      ])
      const path = `${GLOBAL_QUOTAS}/cq-cluster`
      await world.used(path, '1')
      const { status } = await world.read(path)
      expect(status.claims).toMatchObject([{ kind: 'PriorityClass', name: 'cq-cluster-a', usage: '1' }])
      await world.delete('/apis/scheduling.k8s.io/v1/priorityclasses/cq-cluster-a')
      await world.used(path, '0')
      await world.create(quotasIn('cq-cluster'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'classes' },
        spec: { limit: '1', sources: [source], scopeSelectors: only },
      })
      const words = 'GVK scheduling.k8s.io/v1, Kind=PriorityClass is not namespaced'
      expect(await world.notReady(`${quotasIn('cq-cluster')}/classes`, words)).toBe('Failed')
      // It keeps nobody from anything: no object of the kind is in its namespace.
      expect((await create('cq-cluster-c')).status).toBe(201)
      await world.delete('/apis/scheduling.k8s.io/v1/priorityclasses/cq-cluster-c')
      await world.delete(path)
    })

    test('writers are warned when a quota passes 80 and 95 percent', async () => {
      const { world } = suite
      await world.namespace('cq-warn')
      await world.quota('cq-warn', 'hundred', { limit: '100', sources: [MAPS], scopeSelectors })
      const warning = async (of: string, size: number): Promise<unknown> => {
        const answer = await world.send('POST', mapsIn('cq-warn'), map(of, size))
        expect(answer.status).toBe(201)
        return answer.headers['warning']
      }
      expect(await warning('a', 79)).toBeUndefined()
      expect(await warning('b', 2)).toContain('CustomQuota cq-warn/hundred has reached 81 % of its limit')
      expect(await warning('c', 2)).toBeUndefined()
      expect(await warning('d', 13)).toContain('has reached 96 %')
    })
  })
