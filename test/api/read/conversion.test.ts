import { beforeAll, describe, expect, test } from 'vitest'
import { apiServer, namesOf } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})
const inGroup = (group: string): string => ns.replace('/api/v1', `/apis/${group}`)

describe('events', () => {
  const event = (name: string, reason = 'Tested'): unknown => ({
    metadata: { name },
    involvedObject: { kind: 'Pod', namespace: 'ns-1', name: 'p' },
    reason,
    message: 'it happened',
    type: 'Normal',
    count: 2,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    source: { component: 'tester' },
  })

  test('of the core group are seen in events.k8s.io', async () => {
    await api.create(`${ns}/events`, event('core'))
    expect(await api.get(`${inGroup('events.k8s.io/v1')}/events/core`)).toMatchObject({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Pod', name: 'p' },
      note: 'it happened',
      deprecatedCount: 2,
      deprecatedSource: { component: 'tester' },
    })
  })

  test('of events.k8s.io are seen in the core group', async () => {
    await api.create(`${inGroup('events.k8s.io/v1')}/events`, {
      metadata: { name: 'newer' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding: { kind: 'Pod', namespace: 'ns-1', name: 'q' },
      note: 'noted',
      reason: 'Tested',
      action: 'Testing',
      type: 'Warning',
      reportingController: 'a.test/tester',
      reportingInstance: 'one',
    })
    expect(await api.get(`${ns}/events/newer`)).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { name: 'q' },
      message: 'noted',
      reportingComponent: 'a.test/tester',
    })
  })

  test('are listed and watched in both groups', async () => {
    const { resourceVersion } = (await api.get(`${ns}/events`)).metadata
    await using watch = await api.watch(
      `${inGroup('events.k8s.io/v1')}/events?watch=1&resourceVersion=${resourceVersion}`,
    )
    await api.create(`${ns}/events`, event('both'))
    expect((await watch.next())?.object).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'it happened' })
    expect(namesOf(await api.get(`${inGroup('events.k8s.io/v1')}/events`))).toContain('both')
    await api.send('DELETE', `${inGroup('events.k8s.io/v1')}/events/both`)
    expect(namesOf(await api.get(`${ns}/events`))).not.toContain('both')
  })

  test('are found by what they are about', async () => {
    await api.create(`${ns}/events`, event('about', 'Unusual'))
    expect(namesOf(await api.get(`${ns}/events?fieldSelector=involvedObject.name%3Dp,reason%3DUnusual`))).toEqual([
      'about',
    ])
  })

  describe('are selected in both groups, by their object and by their reporter', () => {
    const core = (): string => `${ns}/events`
    const newer = (): string => `${inGroup('events.k8s.io/v1')}/events`
    const regarding = {
      kind: 'Pod',
      namespace: 'ns-1',
      name: 'chosen',
      uid: 'u-1',
      apiVersion: 'v1',
      resourceVersion: '7',
      fieldPath: 'spec.containers{c}',
    }
    const chosen = {
      metadata: { name: 'chosen' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding,
      reason: 'Chosen',
      action: 'Testing',
      type: 'Warning',
      reportingController: 'a.test/chooser',
      reportingInstance: 'one',
    }
    const selected = (where: string, selector: string): string =>
      `${where}?fieldSelector=${encodeURIComponent(selector)}`
    beforeAll(async () => {
      await api.create(newer(), chosen)
      await api.create(newer(), {
        ...chosen,
        metadata: { name: 'other' },
        regarding: { kind: 'Node', namespace: 'ns-1', name: 'other' },
        reason: 'Other',
        type: 'Normal',
        reportingController: 'a.test/other',
      })
    })

    const terms: readonly (readonly [newer: string, core: string, value: string])[] = [
      ...Object.entries(regarding)
        .filter(([field]) => field !== 'namespace')
        .map(([field, value]) => [`regarding.${field}`, `involvedObject.${field}`, value] as const),
      ['reportingController', 'reportingComponent', 'a.test/chooser'],
      ['reason', 'reason', 'Chosen'],
      ['metadata.name', 'metadata.name', 'chosen'],
    ]
    test.each(terms)('%s is %s of the core group', async (newName, coreName, value) => {
      // `newer`, of a test above, is a warning about a pod too.
      const fits = (name: string): string => `${name}=${value},type=Warning,metadata.name!=newer`
      expect(namesOf(await api.get(selected(newer(), fits(newName))))).toEqual(['chosen'])
      expect(namesOf(await api.get(selected(core(), fits(coreName))))).toEqual(['chosen'])
      const others = namesOf(await api.get(selected(newer(), `${newName}!=${value}`)))
      expect(others).toContain('other')
      expect(others).not.toContain('chosen')
    })

    test('the namespace of what they are about and their own too', async () => {
      const terms = 'regarding.namespace=ns-1,metadata.namespace=ns-1,regarding.name=chosen'
      expect(namesOf(await api.get(selected(newer(), terms)))).toEqual(['chosen'])
      expect(namesOf(await api.get(selected(newer(), 'regarding.namespace=elsewhere')))).toEqual([])
    })

    test.each([
      ['events.k8s.io/v1', 'regarding.name', 'involvedObject.name'],
      ['the core group', 'involvedObject.name', 'regarding.name'],
    ])('watches of %s see by %s what they see without, and are refused %s', async (group, field, unknown) => {
      const where = group === 'the core group' ? core() : newer()
      const query = `&watch=1&resourceVersion=${(await api.get(where)).metadata.resourceVersion}`
      await using watch = await api.watch(selected(where, `${field}=watched`) + query)
      await api.create(newer(), { ...chosen, metadata: { generateName: 'unseen-' } })
      const { metadata } = await api.create(newer(), {
        ...chosen,
        metadata: { generateName: 'seen-' },
        regarding: { ...regarding, name: 'watched' },
      })
      await api.send('DELETE', `${core()}/${metadata.name}`)
      expect(await watch.lines(2)).toEqual([`ADDED ${metadata.name}`, `DELETED ${metadata.name}`])
      const refused = await api.send('GET', selected(where, `${unknown}=watched`) + query)
      expect([refused.status, refused.body.message]).toEqual([
        400,
        expect.stringContaining(`field label not supported: ${unknown}`),
      ])
    })
  })

  test('count towards no quota', async () => {
    await api.create(`${ns}/resourcequotas`, { metadata: { name: 'none' }, spec: { hard: { 'count/events': '0' } } })
    expect((await api.send('POST', `${ns}/events`, event('free'))).status).toBe(201)
  })
})

describe('horizontal pod autoscalers', () => {
  const v1 = (): string => `${inGroup('autoscaling/v1')}/horizontalpodautoscalers`
  const v2 = (): string => `${inGroup('autoscaling/v2')}/horizontalpodautoscalers`
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }

  test('of version 1 have their CPU target among the metrics of version 2', async () => {
    await api.create(v1(), {
      metadata: { name: 'old' },
      spec: { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 70 },
    })
    expect((await api.get(`${v2()}/old`)).spec).toMatchObject({
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      ],
    })
  })

  test('of version 2 keep in version 1 what that cannot say', async () => {
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 } },
    }
    const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }
    await api.create(v2(), {
      metadata: { name: 'new' },
      spec: { scaleTargetRef, maxReplicas: 5, metrics: [cpu, memory] },
    })
    const old = await api.get(`${v1()}/new`)
    expect([old.apiVersion, old.spec.targetCPUUtilizationPercentage]).toEqual(['autoscaling/v1', 60])
    expect(JSON.parse(old.metadata.annotations['autoscaling.alpha.kubernetes.io/metrics'])).toMatchObject([
      { type: 'Resource' },
    ])
    await api.send('PUT', `${v1()}/new`, { ...old, spec: { ...old.spec, maxReplicas: 9 } })
    const { spec, metadata } = await api.get(`${v2()}/new`)
    expect([
      spec.maxReplicas,
      spec.metrics.map((one: typeof cpu) => one.resource.name).toSorted(),
      metadata.annotations,
    ]).toEqual([9, ['cpu', 'memory'], undefined])
  })

  test('keep their version when an update through the other changes nothing', async () => {
    const created = await api.create(v2(), { metadata: { name: 'same' }, spec: { scaleTargetRef, maxReplicas: 5 } })
    const old = await api.get(`${v1()}/same`)
    const { body } = await api.send('PUT', `${v1()}/same`, old)
    expect(body.metadata.resourceVersion).toBe(created.metadata.resourceVersion)
  })
})
