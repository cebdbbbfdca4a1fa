import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { quotaIncrease } from '../../../src/systems/quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from '../../../src/systems/quota-increase/api/quota-service-config.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { eventually } from '../../eventually.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import {
  bareServers,
  launchOperator,
  type OperatorProcess,
  type RestartableServer,
  startOperator,
  representative,
} from '../operated.ts'
import { removeCrds } from '../remove-crds.ts'
import { BASE, increasesIn, IncreaseWorld, MODE, PROBLEM, quotasIn } from './increase-world.ts'

const CONFIGS = '/apis/openmcp.cloud/v1alpha1/quotaserviceconfigs'
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/allot'
const RECORD = '/api/v1/namespaces/allot-system/configmaps/allot-quota-definitions'

const definition = (name: string, label: string, pods: number, more: object = {}) => ({
  name,
  selector: { matchLabels: { follows: label } },
  mode: 'cumulative',
  template: { spec: { hard: { pods } } },
  ...more,
})
/** Limits pods of one PriorityClass. */
const chosen = {
  template: {
    spec: {
      hard: { pods: 5 },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    },
  },
}
const yaml = (...quotas: readonly object[]): string => JSON.stringify({ quotas })

for (const { name: server, start } of representative(bareServers))
  describe(`${server}: definitions of base quotas`, () => {
    let bare: RestartableServer
    let world: IncreaseWorld
    let operator: OperatorProcess | undefined
    const directory = temporaryDirectory()
    const file = join(directory, 'definitions.yaml')

    beforeAll(async () => {
      bare = await start()
      await removeCrds(bare, quotaIncrease, quotaServiceConfig)
      world = new IncreaseWorld(bare)
    })
    afterAll(async () => {
      await bare?.[Symbol.asyncDispose]()
    })
    const end = async (): Promise<void> => {
      await operator?.[Symbol.asyncDispose]()
      operator = undefined
    }
    afterEach(end)

    const run = async (...args: readonly string[]): Promise<OperatorProcess> => {
      operator = await startOperator(bare.kubeconfig, ['--no-leader-elect', ...args])
      return operator
    }
    const withFile = (...args: readonly string[]): Promise<OperatorProcess> => run('--quota-definitions', file, ...args)
    /** Waits until the operator says why it does not follow the definitions. */
    const held = (why: string): Promise<unknown> =>
      eventually(
        () => operator?.logs() ?? '',
        (logs) => logs.split('\n').some((line) => line.includes('are not followed') && line.includes(why)),
        { what: `the log with ${why}` },
      )

    test('every error of a file is reported with its line and field path, before anything is touched', async () => {
      writeFileSync(
        file,
        `quotas:\n- name: UPPER\n  mode: maximum\n  template: {spec: {hard: {pods: "1"}}}\n- name: ${'x'.repeat(64)}\n  mode: sometimes\n  template:\n    spec:\n      hard: {pods: -1, foo: 1}\n- name: capsule-pool-x\n  mode: maximum\n  template: {spec: {hard: {pods: "1"}}}\n`,
      )
      await using refused = launchOperator(bare.kubeconfig, ['--quota-definitions', file])
      expect(await refused.exited).toBe(1)
      const logs = refused.logs()
      expect(logs).toContain(
        `invalid config: ${file}:2:3: quotas[0].name: Invalid value: "UPPER": Name must be a valid`,
      )
      expect(logs).toContain(
        `${file}:5:3: quotas[1].name: Invalid value: "${'x'.repeat(64)}": Name is the value of a label`,
      )
      expect(logs).toContain(
        `${file}:6:3: quotas[1].mode: Unsupported value: "sometimes": supported values: "cumulative", "maximum", "singular"`,
      )
      expect(logs).toContain('quotas[1].template.spec.hard[pods]: Invalid value: "-1"')
      expect(logs).toContain('quotas[1].template.spec.hard[foo]')
      // Pools and definitions would take a quota of such a name from each other.
      expect(logs).toContain(`${file}:10:3: quotas[2].name: Invalid value: "capsule-pool-x": Name must not be one`)
      expect((await bare.send('GET', '/apis/openmcp.cloud/v1alpha1')).status).toBe(404)
      rmSync(file)
      await using missing = launchOperator(bare.kubeconfig, ['--quota-definitions', file])
      expect(await missing.exited).toBe(1)
      expect(missing.logs()).toContain('error reading config file: ')
    })

    test('a file is followed as it changes, and what is unreadable, empty or cut off changes nothing', async () => {
      await world.namespace('north', { follows: 'a' })
      await world.namespace('south', { follows: 'b' })
      writeFileSync(file, yaml(definition('a', 'a', 1), definition('b', 'b', 2)))
      await withFile()
      await world.increase('south', 'more', { pods: 5 })
      await world.quota('north', 'a', { pods: 1 })
      await world.quota('south', 'b', { pods: 7 })
      writeFileSync(file, yaml(definition('a', 'a', 3), definition('b', 'b', 2)))
      await world.quota('north', 'a', { pods: 3 })

      writeFileSync(file, 'quotas: [')
      await held('error parsing config file')
      writeFileSync(file, yaml(definition('a', 'a', 9), { name: 'b' }))
      await held('quotas[1].mode: Required value')
      rmSync(file)
      await held('error reading config file')
      writeFileSync(file, '')
      await held('the definition a is missing; it is in use in north')
      writeFileSync(file, yaml(definition('a', 'a', 9)))
      await held('the definition b is missing; it is in use in south')
      // Nothing of a held file is followed, and increases go on to count.
      await world.increase('north', 'more', { pods: 1 })
      await world.quota('north', 'a', { pods: 4 })
      expect(await world.quotas('south', 'b')).toEqual(['b'])
    })

    test('a restart with a file that was cut off goes on with what was followed before, until --prune says that it is meant', async () => {
      writeFileSync(file, yaml(definition('a', 'a', 9)))
      await withFile()
      await held('the definition b is missing; it is in use in south')
      await world.patch(`${increasesIn('south')}/more`, { spec: { hard: { pods: 6 } } })
      await world.quota('south', 'b', { pods: 8 })
      await world.quota('north', 'a', { pods: 4 })
      await end()
      await withFile('--prune')
      await world.quota('north', 'a', { pods: 10 })
      expect(await world.quotas('south')).toEqual([])
      await world.labels('south', { [BASE]: null, [MODE]: null })
      await bare.until(`${increasesIn('south')}/more`, ({ text }) => !text.includes('quota.openmcp.cloud/effect'))
    })

    test('a renamed definition keeps its namespaces limited, and its old quota goes', async () => {
      await withFile()
      await world.quota('north', 'a', { pods: 10 })
      writeFileSync(file, yaml(definition('renamed', 'a', 4)))
      await world.quotas('north', 'renamed')
      await world.quota('north', 'renamed', { pods: 5 })
      await world.labels('north', { [BASE]: 'renamed' })
      expect(operator?.logs()).not.toContain('are not followed')
      const { json } = await bare.send('GET', RECORD)
      expect(JSON.stringify(json)).toContain('renamed')
    })

    test('quotas that were changed while no webhook answered get their limits and labels back when the operator starts', async () => {
      await world.namespace('east', { follows: 'a' })
      await withFile()
      await world.quota('north', 'renamed', { pods: 5 })
      const { metadata } = await world.quota('east', 'renamed', { pods: 4 })
      await end()
      // The webhook fails closed: only where its configuration is gone too does a change get in.
      await world.delete(HOOKS)
      const spec = { hard: { pods: '1000', services: '9' } }
      await world.patch(`${quotasIn('north')}/renamed`, { spec })
      const labels = Object.fromEntries(Object.keys(metadata.labels ?? {}).map((name) => [name, null]))
      await world.patch(`${quotasIn('east')}/renamed`, { spec, metadata: { labels } })
      await withFile()
      await world.quota('north', 'renamed', { pods: 5 })
      const back = await world.quota('east', 'renamed', { pods: 4 })
      expect([back.metadata.uid, back.metadata.labels]).toEqual([metadata.uid, metadata.labels])
    })

    test('other scopes of a definition replace the quota', async () => {
      await withFile()
      const scoped = (scopes: readonly string[]) =>
        definition('renamed', 'a', 4, { template: { spec: { hard: { pods: 4 }, scopes } } })
      writeFileSync(file, yaml(scoped(['NotTerminating'])))
      await bare.until(`${quotasIn('north')}/renamed`, ({ text }) => text.includes('NotTerminating'))
      const { spec } = await world.quota('north', 'renamed', { pods: 5 })
      expect(spec.scopes).toEqual(['NotTerminating'])
      await world.effects('north', { more: 'pods: 1' })
    })

    test('a quota of somebody else that has the name of a definition stays, and the namespace says so', async () => {
      writeFileSync(file, yaml(definition('renamed', 'a', 4)))
      await withFile('--prune')
      await world.namespace('taken')
      // The garbage collector would take a quota whose owner is not there.
      const { json: owner } = await bare.send('POST', '/api/v1/namespaces/taken/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'x' },
      })
      const { uid } = (owner as KubeObject).metadata
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid, controller: true }]
      await world.makeQuota('taken', 'renamed', { hard: { services: '1' } }, { ownerReferences })
      await world.label('taken', { follows: 'a' })
      expect(await world.eventOfNamespace('taken', 'QuotaBlocked')).toContain('belongs to ConfigMap x')
      expect(await world.blocked('taken')).toContain('belongs to ConfigMap x')
      await world.delete(`${quotasIn('taken')}/renamed`)
      await world.quota('taken', 'renamed', { pods: 4 })
      await world.labels('taken', { 'quota.openmcp.cloud/base': 'renamed' })
      await world.server.until('/api/v1/namespaces/taken', ({ text }) => !text.includes(PROBLEM))
    })

    test('a quota that nobody owns and that has the name of a definition makes way, whatever its scopes and finalizers are', async () => {
      writeFileSync(file, yaml(definition('renamed', 'a', 4), definition('chosen', 'b', 5, chosen)))
      await withFile('--prune')
      const finalizers = ['example.com/stay']
      const own = {
        'quota.openmcp.cloud/managed-by': 'quota-controller',
        'quota.openmcp.cloud/quota-definition': 'renamed',
      }
      const quotas: Readonly<Record<string, { metadata?: object; spec: object }>> = {
        'found-scoped': { spec: { hard: { pods: '9' }, scopes: ['NotTerminating'] } },
        'found-finalized': { metadata: { finalizers }, spec: { hard: { pods: '9' }, scopes: ['NotTerminating'] } },
        'found-labelled': {
          metadata: { labels: own, finalizers },
          spec: { hard: { pods: '9' }, scopes: ['Terminating'] },
        },
        'found-selecting': { spec: { hard: { pods: '9' }, scopeSelector: chosen.template.spec.scopeSelector } },
      }
      for (const [namespace, { metadata, spec }] of Object.entries(quotas)) {
        await world.namespace(namespace)
        await world.makeQuota(namespace, 'renamed', spec, metadata)
      }
      await world.namespace('found-ending')
      await world.makeQuota('found-ending', 'renamed', { hard: { pods: '9' } }, { finalizers })
      await world.delete(`${quotasIn('found-ending')}/renamed`)
      const limited = async (namespace: string): Promise<void> => {
        await world.label(namespace, { follows: 'a' })
        const { spec, metadata } = await world.quota(namespace, 'renamed', { pods: 4 })
        expect([spec, metadata.finalizers]).toEqual([{ hard: { pods: '4' } }, undefined])
      }
      for (const namespace of [...Object.keys(quotas), 'found-ending']) await limited(namespace)
      // It is kept like any other from now on.
      await world.increase('found-ending', 'more', { pods: 2 })
      await world.quota('found-ending', 'renamed', { pods: 6 })
      await world.namespace('found-unscoped')
      await world.makeQuota('found-unscoped', 'chosen', { hard: { services: '9' } })
      await world.label('found-unscoped', { follows: 'b' })
      const { spec } = await world.quota('found-unscoped', 'chosen', { pods: 5 })
      expect(spec).toMatchObject({ scopeSelector: chosen.template.spec.scopeSelector })
    })

    test('a quota that a pool marks as its own is neither written over nor deleted, also while nobody owns it', async () => {
      writeFileSync(file, yaml(definition('renamed', 'a', 4)))
      await withFile('--prune')
      await world.namespace('pooled')
      const labels = { 'projectcapsule.dev/pool': 'shared' }
      const spec = { hard: { pods: '9' }, scopes: ['NotTerminating'] }
      const { metadata } = await world.makeQuota('pooled', 'renamed', spec, { labels })
      await world.label('pooled', { follows: 'a' })
      expect(await world.eventOfNamespace('pooled', 'QuotaBlocked')).toContain('belongs to ResourcePool shared')
      const still = await world.read(`${quotasIn('pooled')}/renamed`)
      expect([still.metadata.uid, still.spec]).toEqual([metadata.uid, spec])
    })

    test('an increase without room for annotations keeps neither the others nor a move to another definition from going on', async () => {
      writeFileSync(file, yaml(definition('renamed', 'a', 4), definition('next', 'b', 7)))
      await withFile('--prune')
      await world.namespace('full', { follows: 'a' })
      // An object may have 256 KiB of annotations.
      const annotations = { full: 'x'.repeat(256 * 1024 - 10) }
      await world.increase('full', 'a-full', { pods: 1 }, {}, { annotations })
      await world.increase('full', 'beside', { pods: 2 })
      await world.quota('full', 'renamed', { pods: 7 })
      await world.effects('full', { beside: 'pods: 2' })
      expect(await world.event('a-full', 'NotWritten')).toContain('cannot say what it contributes')
      await world.label('full', { follows: 'b' })
      await world.quota('full', 'next', { pods: 10 })
      expect(await world.quotas('full', 'next')).toEqual(['next'])
    })

    test('a QuotaServiceConfig is followed instead, by the first definition that matches', async () => {
      const config = (...quotas: readonly object[]) => ({
        apiVersion: 'openmcp.cloud/v1alpha1',
        kind: 'QuotaServiceConfig',
        metadata: { name: 'landscape' },
        spec: { quotas },
      })
      await world.namespace('west', { follows: 'c' })
      const labels = { 'quota.openmcp.cloud/managed-by': 'other', 'quota.openmcp.cloud/quota-definition': 'beside' }
      const beside = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'beside', labels }, spec: {} }
      expect((await bare.send('POST', quotasIn('west'), beside)).status).toBe(201)
      await run('--quota-service-config', 'landscape')
      await held('the QuotaServiceConfig landscape does not exist')
      const first = definition('first', 'c', 1)
      const made = await bare.send('POST', CONFIGS, config(first, definition('second', 'c', 2)))
      expect(made.status, made.text).toBe(201)
      await world.quotas('west', 'beside', 'first')
      await world.labels('west', { [BASE]: 'first', 'quota.openmcp.cloud/managed-by': 'landscape' })
      const { metadata } = await world.read(`${quotasIn('west')}/first`)
      expect(metadata.labels).toMatchObject({ 'quota.openmcp.cloud/managed-by': 'landscape' })
      // As the suite of the quota operator 1.0 demands of the mode `maximum`: of three, two decide; one that is below the base goes.
      const most = { mode: 'maximum', deleteIneffectiveQuotas: true, template: { spec: { hard: { pods: 3 } } } }
      const quotas = [definition('second', 'c', 2), first, definition('most', 'm', 3, most)]
      await world.patch(`${CONFIGS}/landscape`, { spec: { quotas } })
      await world.quotas('west', 'beside', 'second')
      await world.namespace('most', { follows: 'm' })
      await world.namespace('least', { follows: 'm' })
      await world.increase('most', 'med', { pods: 10 })
      await world.increase('most', 'max', { pods: 30, services: 10 })
      await world.increase('most', 'sa', { pods: 10, secrets: 5 })
      await world.increase('least', 'min', { pods: 1 })
      expect(await world.left('most', 'max', 'sa')).toEqual(['max', 'sa'])
      expect(await world.left('least')).toEqual([])
      await world.quota('most', 'most', { pods: 30, services: 10, secrets: 5 })
      const twice = await bare.send(
        'PATCH',
        `${CONFIGS}/landscape`,
        { spec: { quotas: [first, first] } },
        { 'content-type': 'application/merge-patch+json' },
      )
      expect([twice.status, twice.text]).toEqual([
        422,
        expect.stringContaining('spec.quotas[1].name: Duplicate value: \\"first\\"'),
      ])
      await world.delete(`${CONFIGS}/landscape`)
      await held('the QuotaServiceConfig landscape does not exist')
      await world.increase('west', 'more', { pods: 1 })
      await world.quota('west', 'second', { pods: 3 })
      // The quota of another provider is not touched.
      await world.quotas('west', 'beside', 'second')
    })
  })
