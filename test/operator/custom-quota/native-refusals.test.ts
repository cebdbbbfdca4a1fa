import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { operatedServers } from '../operated.ts'
import { podsIn, quotasIn as resourceQuotasIn } from '../pool-objects.ts'
import { COUNTED_MAPS, forQuotas, GLOBAL_QUOTAS, ledgersIn, map, MAPS, mapsIn, quotasIn } from './quota-world.ts'

const PODS = { apiVersion: 'v1', kind: 'Pod', op: 'count' } as const
/** After `v2.` and so on where quotas count in several sets of namespaces. */
const HOOK =
  /^admission webhook "(v\d+\.)?calculation\.custom-quotas\.validating\.projectcapsule\.dev" denied the request: /
const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
/** For so long a request waits to see what those before it got (decision 020). */
const FORESEEN_WITHIN_MS = 2_000
/** Objects of the kinds that ResourceQuotas measure, and limits that each of them exceeds. */
const KINDS: readonly {
  readonly kind: string
  readonly apiVersion?: string
  readonly path: string
  readonly hard: Readonly<Record<string, string>>
  readonly more: object
}[] = [
  {
    kind: 'Pod',
    path: 'api/v1',
    hard: { 'requests.cpu': '1', 'limits.memory': '1Gi', 'requests.example.com/gpu': '1', 'count/pods': '0' },
    more: {
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'c',
            image: 'i',
            resources: {
              requests: { cpu: '2', memory: '1Gi', 'example.com/gpu': '2' },
              limits: { memory: '2Gi', 'example.com/gpu': '2' },
            },
          },
        ],
      },
    },
  },
  {
    kind: 'Service',
    path: 'api/v1',
    hard: { services: '0', 'services.nodeports': '1', 'services.loadbalancers': '0' },
    more: {
      spec: {
        type: 'LoadBalancer',
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    },
  },
  {
    kind: 'PersistentVolumeClaim',
    path: 'api/v1',
    hard: {
      persistentvolumeclaims: '0',
      'requests.storage': '1Gi',
      'fast.storageclass.storage.k8s.io/requests.storage': '1Gi',
    },
    more: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast',
        resources: { requests: { storage: '3Gi' } },
      },
    },
  },
  { kind: 'ConfigMap', path: 'api/v1', hard: { configmaps: '0', 'count/configmaps': '0' }, more: {} },
  { kind: 'Secret', path: 'api/v1', hard: { secrets: '0' }, more: {} },
  {
    kind: 'ReplicationController',
    path: 'api/v1',
    hard: { replicationcontrollers: '0' },
    more: { spec: { replicas: 0, selector: { a: 'b' }, template: template() } },
  },
  {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    path: 'apis/apps/v1',
    hard: { 'count/deployments.apps': '0' },
    more: { spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template: template() } },
  },
]

function template(): object {
  return { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
}

const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { counted: 'yes' } },
  spec: {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
  },
})

for (const { name, available, share } of operatedServers)
  describe(`${name}: requests that ResourceQuotas refuse`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)

    /** Makes a namespace in which pods can be made. */
    async function place(name: string, pool = name): Promise<void> {
      await suite.world.namespace(name, pool)
      await suite.world.until(`/api/v1/namespaces/${name}/serviceaccounts/default`, () => true)
    }

    /** Makes a ResourceQuota and waits until it is in force. */
    async function limit(namespace: string, quota: string, hard: Readonly<Record<string, string>>, more: object = {}) {
      const { world } = suite
      await world.create(resourceQuotasIn(namespace), {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: quota },
        spec: { hard, ...more },
      })
      const isInForce = ({ status = {} }: { status?: { hard?: object } }): boolean =>
        Object.keys(hard).every((one) => Object.hasOwn(status.hard ?? {}, one))
      await world.until(`${resourceQuotasIn(namespace)}/${quota}`, isInForce)
    }

    test('a burst that its own pool blocks holds no room of a global quota, and its neighbour gets all of it at once [security/blocked-burst]', async () => {
      const { world } = suite
      const burst = (namespace: string, count: number) =>
        Promise.all(
          Array.from({ length: count }, (_, index) => world.send('POST', podsIn(namespace), pod(`p${index}`))),
        )
      /** Gives what did not hold; undefined where the machine was too slow for allot to know what the requests before got. */
      const tried = async (word: string): Promise<readonly unknown[] | undefined> => {
        const named = (one: string): string => `nr-${one}-${word}`
        const [blocking, free, shared, few] = [named('blocked'), named('free'), named('shared'), named('few')]
        for (const namespace of [blocking, free]) await place(namespace, shared)
        await world.pool(few, { pods: '6' }, {}, shared)
        await world.claim(blocking, 'all', { pods: '6' }, few)
        const generated = `${resourceQuotasIn(blocking)}/capsule-pool-${few}`
        await world.until(generated, ({ status }) => status?.hard?.pods === '6')
        const namespaceSelectors = [{ matchLabels: { pool: shared } }]
        await world.quota(undefined, shared, { limit: '40', sources: [PODS], scopeSelectors, namespaceSelectors })
        let longestMs = 0
        const timed = async (count: number) => {
          const began = performance.now()
          const answers = await burst(blocking, count)
          longestMs = Math.max(longestMs, performance.now() - began)
          return answers
        }
        const blocked = await timed(60)
        // A controller tries again and again.
        for (let round = 0; round < 3; round++) await timed(20)
        const neighbours = await burst(free, 34)
        const words = `exceeded quota: capsule-pool-${few}, requested: pods=1, used: pods=6, limited: pods=6`
        const wrong = [
          ...blocked.filter(({ status, text }) => status !== 201 && !(status === 403 && text.includes(words))),
          ...neighbours.filter(({ status }) => status !== 201),
        ].map(({ status, text }) => [status, text])
        const admitted = blocked.filter(({ status }) => status === 201).length
        if (admitted !== 6) wrong.push([201, `${admitted} times`])
        if (wrong.length > 0) return admitted > 6 || longestMs < FORESEEN_WITHIN_MS ? wrong : undefined
        await world.used(`${GLOBAL_QUOTAS}/${shared}`, '40')
        const { status } = await world.until(
          `${ledgersIn('allot-system')}/${shared}`,
          (one) => one.status.reserved === '0',
        )
        return status.allocated === '40' ? [] : [status]
      }
      let tries = 0
      const problems = await eventually(
        () => tried(String(tries++)),
        (found) => found !== undefined,
        { what: 'a burst that the machine answers in time' },
      )
      expect(problems).toEqual([])
    })

    test('a refusal names the quotas of all systems that refuse, and holds nothing', async () => {
      const { world } = suite
      await world.namespace('nr-both')
      await limit('nr-both', 'none', { 'count/configmaps': '0' })
      await limit('nr-both', 'nothing', { configmaps: '0' })
      await world.quota('nr-both', 'one', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
      const create = (query = '') => world.send('POST', `${mapsIn('nr-both')}${query}`, map('a'))
      const words = (quota: string, resource: string): string =>
        `exceeded quota: ${quota}, requested: ${resource}=1, used: ${resource}=`
      for (const query of ['', '?dryRun=All']) {
        const { status, text, json } = await create(query)
        expect([status, (json as { reason: string }).reason]).toEqual([403, 'Forbidden'])
        expect(text).toContain('configmaps \\"a\\" is forbidden: ')
        expect(text).toContain(words('none', 'count/configmaps'))
        expect(text).toContain(words('nothing', 'configmaps'))
      }
      expect((await world.read(`${ledgersIn('nr-both')}/one`)).status).toMatchObject({ reserved: '0' })
      await world.quota('nr-both', 'small', { limit: '1', sources: [MAPS], scopeSelectors })
      const { text } = await world.send('POST', mapsIn('nr-both'), map('a', 2))
      expect(text).toContain(
        'creating resource exceeds limit for CustomQuota \\"small\\" (requested=2, currentUsed=0, available=1, limit=1, inflightReserved=0); also refused by ResourceQuotas: exceeded quota: ',
      )
      expect(text).toContain(words('none', 'count/configmaps'))
      expect(text).toContain(words('nothing', 'configmaps'))
      expect(text).toContain('; at most 1 would fit')
    })

    test('a limit that is raised, or an object that goes, makes room at once', async () => {
      const { world } = suite
      await place('nr-room')
      await limit('nr-room', 'one', { pods: '1' })
      await world.quota('nr-room', 'many', { limit: '9', sources: [PODS], scopeSelectors })
      await world.create(podsIn('nr-room'), pod('a'))
      expect((await world.send('POST', podsIn('nr-room'), pod('b'))).text).toContain('exceeded quota: one')
      await world.patch(`${resourceQuotasIn('nr-room')}/one`, { spec: { hard: { pods: '2' } } })
      await world.until(`${resourceQuotasIn('nr-room')}/one`, ({ status }) => status.hard.pods === '2')
      await world.create(podsIn('nr-room'), pod('b'))
      expect((await world.send('POST', podsIn('nr-room'), pod('c'))).text).toContain('exceeded quota: one')
      await world.delete(`${podsIn('nr-room')}/a`)
      await world.until(`${resourceQuotasIn('nr-room')}/one`, ({ status }) => status.used.pods === '1')
      await world.create(podsIn('nr-room'), pod('c'))
      await world.used(`${quotasIn('nr-room')}/many`, '2')
    })

    test('a refusal that is foreseen says of each kind what the API server says itself', async () => {
      const { world } = suite
      await place('nr-kinds')
      for (const { kind, hard } of KINDS) await limit('nr-kinds', kind.toLowerCase(), hard)
      // Each ResourceQuota refuses one kind.
      for (const { kind, apiVersion = 'v1' } of KINDS)
        await world.quota('nr-kinds', kind.toLowerCase(), {
          limit: '9',
          sources: [{ apiVersion, kind, op: 'count' }],
          scopeSelectors,
        })
      for (const { kind, apiVersion = 'v1', path, more } of KINDS) {
        const send = (counted: string) =>
          world.send('POST', `/${path}/namespaces/nr-kinds/${kind.toLowerCase()}s`, {
            apiVersion,
            kind,
            metadata: { name: 'one', labels: { counted } },
            ...more,
          })
        const [said, foreseen] = [await send('no'), await send('yes')]
        const own = (said.json as { message: string }).message
        expect([said.status, foreseen.status], own).toEqual([403, 403])
        expect(own).toContain('exceeded quota')
        const { message } = foreseen.json as { message: string }
        expect(message).toMatch(HOOK)
        expect(message.replace(HOOK, '')).toBe(own)
        const ledger = (await world.read(`${ledgersIn('nr-kinds')}/${kind.toLowerCase()}`)).status
        expect(ledger).toMatchObject({ reserved: '0', allocated: '0' })
      }
    })

    test('a quota that demands a value is named as well, and quotas of other scopes are not', async () => {
      const { world } = suite
      await place('nr-scopes')
      await limit('nr-scopes', 'limits', { 'limits.memory': '1Gi' })
      await limit('nr-scopes', 'best-effort', { pods: '0' }, { scopes: ['BestEffort'] })
      await world.quota('nr-scopes', 'many', { limit: '9', sources: [PODS], scopeSelectors })
      const { text } = await world.send('POST', podsIn('nr-scopes'), pod('a'))
      expect(text).toContain('failed quota: limits: must specify limits.memory')
      expect(text).not.toContain('best-effort')
      expect((await world.read(`${ledgersIn('nr-scopes')}/many`)).status).toMatchObject({ reserved: '0' })
    })
  })
