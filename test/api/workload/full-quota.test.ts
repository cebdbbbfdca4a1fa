import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { eventually } from '../../eventually.ts'
import { ApiServer } from '../api-server.ts'
import { FullWorld, type Order } from './full-world.ts'

const MINUTE = 60_000
const labels = { app: 'a' }
const container = { name: 'c', image: 'i' }

/** A namespace in which a workload runs, and what makes its controller want less although it is refused more. */
interface Situation {
  readonly controller: string
  /** Makes what there is, and gives the change of the workload that needs room and another that makes room. */
  readonly prepare: (scene: Scene) => Promise<Want>
  /** Bounds of the two random numbers of `prepare`. */
  readonly bounds?: readonly [number, number]
}

interface Want {
  /** Path of the workload. */
  readonly path: string
  /** Has the controller make something, which is refused. */
  readonly ask: () => Promise<unknown>
  /** Has the controller delete or shrink something. */
  readonly free: () => Promise<unknown>
  /** Is deleted and shrunk all that this demands? */
  readonly isFreed: () => Promise<boolean>
}

class Scene {
  readonly api: ApiServer
  /** Path of the namespace. */
  readonly core: string
  readonly clock: { now: number }
  /** Random: how much there is, and how much of it stays. */
  readonly many: number
  readonly few: number

  constructor(api: ApiServer, core: string, clock: { now: number }, many: number, few: number) {
    this.api = api
    this.core = core
    this.clock = clock
    this.many = many
    this.few = few
  }

  at(group: string, resource: string): string {
    return `${this.core.replace('/api/v1', `/apis/${group}/v1`)}/${resource}`
  }

  /** The objects of a list. */
  async of(path: string): Promise<readonly Answer['body'][]> {
    return (await this.api.get(path)).items
  }

  /** How many pods there are that are not on their way out. */
  async pods(): Promise<number> {
    return (await this.of(`${this.core}/pods`)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .length
  }

  async untilPods(count: number): Promise<void> {
    await eventually(
      async () => (await this.of(`${this.core}/pods`)).map(({ status }) => status.phase),
      (phases) => phases.length === count && phases.every((phase) => phase === 'Running'),
      { everyMs: 5, what: `${count} running pods` },
    )
  }
}

const template = (spec: object = {}, annotations: object = {}): object => ({
  metadata: { labels, annotations },
  spec: { containers: [container], ...spec },
})
const scale = (replicas: number): object => ({ spec: { replicas } })

/** ReplicaSets and ReplicationControllers: more pods are refused, fewer are wanted. */
const replicated = (controller: string, group: string, resource: string, selector: object): Situation => ({
  controller,
  prepare: async (scene) => {
    const { api, core, many, few } = scene
    const list = group === '' ? `${core}/${resource}` : scene.at(group, resource)
    await api.create(list, { metadata: { name: 'w' }, spec: { replicas: many, selector, template: template() } })
    await scene.untilPods(many)
    return {
      path: `${list}/w`,
      ask: () => api.patch(`${list}/w`, scale(many + 2)),
      free: () => api.patch(`${list}/w`, scale(few)),
      isFreed: async () => (await scene.pods()) === few,
    }
  },
})

/** A pod of the set goes and cannot come back; the set is to have fewer, and to keep less of its history. */
const stateful = (podManagementPolicy: string): Situation => ({
  controller: 'statefulset-controller',
  prepare: async (scene) => {
    const { api, core, many, few } = scene
    const path = `${scene.at('apps', 'statefulsets')}/w`
    const revisions = scene.at('apps', 'controllerrevisions')
    await api.create(scene.at('apps', 'statefulsets'), {
      metadata: { name: 'w' },
      spec: {
        podManagementPolicy,
        replicas: many,
        serviceName: 's',
        selector: { matchLabels: labels },
        updateStrategy: { type: 'OnDelete' },
        template: template(),
      },
    })
    await scene.untilPods(many)
    for (const round of ['1', '2']) {
      await api.patch(path, { spec: { template: template({}, { round }) } })
      await api.until(revisions, ({ items }) => items.length === Number(round) + 1)
    }
    return {
      path,
      ask: () => api.send('DELETE', `${core}/pods/w-0?gracePeriodSeconds=0`),
      free: () =>
        api.patch(path, { spec: { replicas: few, revisionHistoryLimit: 0, template: template({}, { last: '' }) } }),
      isFreed: async () => (await scene.pods()) === few - 1 && (await scene.of(revisions)).length <= 2,
    }
  },
  bounds: [3, 4],
})

const situations: Readonly<Record<string, Situation>> = {
  'a CronJob whose history is shortened': {
    controller: 'cronjob-controller',
    prepare: async (scene) => {
      const { api, clock, many, few } = scene
      const path = `${scene.at('batch', 'cronjobs')}/w`
      await api.create(scene.at('batch', 'cronjobs'), {
        metadata: { name: 'w' },
        spec: {
          schedule: '* * * * *',
          successfulJobsHistoryLimit: 9,
          jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
        },
      })
      const tick = async (): Promise<void> => {
        clock.now += MINUTE
        await api.patch(path, { metadata: { annotations: { tick: String(clock.now) } } })
      }
      for (let job = 1; job <= many; job++) {
        await tick()
        await api.until(path, ({ status }) => status.lastSuccessfulTime !== undefined && status.active === undefined)
        await api.until(scene.at('batch', 'jobs'), ({ items }) => items.length === job)
      }
      return {
        path,
        ask: tick,
        free: () => api.patch(path, { spec: { successfulJobsHistoryLimit: few } }),
        isFreed: async () => (await scene.of(scene.at('batch', 'jobs'))).length === few,
      }
    },
  },
  'a Job that is to run fewer pods at a time': {
    controller: 'job-controller',
    prepare: async (scene) => {
      const { api, core, many, few } = scene
      const path = `${scene.at('batch', 'jobs')}/w`
      await api.create(scene.at('batch', 'jobs'), {
        metadata: { name: 'w' },
        spec: {
          parallelism: many,
          completions: 20,
          // There is no such node, so that none ends.
          template: { spec: { restartPolicy: 'Never', nodeName: 'nowhere', containers: [container] } },
        },
      })
      await api.until(`${core}/pods`, ({ items }) => items.length === many)
      return {
        path,
        ask: () => api.patch(path, { spec: { parallelism: many + 2 } }),
        free: () => api.patch(path, { spec: { parallelism: few } }),
        isFreed: async () => (await scene.pods()) === few && (await api.get(path)).status.active === few,
      }
    },
  },
  'a ReplicaSet that is scaled down': replicated('replicaset-controller', 'apps', 'replicasets', {
    matchLabels: labels,
  }),
  'a ReplicationController that is scaled down': replicated(
    'replication-controller',
    '',
    'replicationcontrollers',
    labels,
  ),
  'a Deployment that is scaled down and keeps less history': {
    controller: 'deployment-controller',
    prepare: async (scene) => {
      const { api, many, few } = scene
      const path = `${scene.at('apps', 'deployments')}/w`
      const sets = scene.at('apps', 'replicasets')
      await api.create(scene.at('apps', 'deployments'), {
        metadata: { name: 'w' },
        spec: { replicas: many, selector: { matchLabels: labels }, template: template() },
      })
      for (const round of ['1', '2']) {
        await scene.untilPods(many)
        await api.patch(path, { spec: { template: template({}, { round }) } })
        await api.until(sets, ({ items }) => items.length === Number(round) + 1)
      }
      await api.until(sets, ({ items }) => items.filter((set: Answer['body']) => set.status.replicas > 0).length === 1)
      await scene.untilPods(many)
      return {
        path,
        ask: () => api.patch(path, { spec: { template: template({}, { last: '' }) } }),
        free: () => api.patch(path, { spec: { replicas: few, revisionHistoryLimit: 0 } }),
        isFreed: async () => (await scene.pods()) === few && (await scene.of(sets)).length === 1,
      }
    },
  },
  'a StatefulSet that is scaled down in order': stateful('OrderedReady'),
  'a StatefulSet that is scaled down in parallel': stateful('Parallel'),
  'a DaemonSet that leaves a node and keeps less history': {
    controller: 'daemon-set-controller',
    prepare: async (scene) => {
      const { api, many } = scene
      const path = `${scene.at('apps', 'daemonsets')}/w`
      const revisions = scene.at('apps', 'controllerrevisions')
      const name = scene.core.slice('/api/v1/namespaces/'.length)
      const nodes = Array.from({ length: many + 2 }, (_, at) => ({
        name: `${name}-${at}`,
        place: `${name}-${at === many ? 'new' : 'old'}`,
      }))
      for (const node of nodes.slice(0, many + 1))
        await api.create('/api/v1/nodes', { metadata: { name: node.name, labels: { place: node.place } } })
      const on = (place: string): object => ({ nodeSelector: { place: `${name}-${place}` } })
      await api.create(scene.at('apps', 'daemonsets'), {
        metadata: { name: 'w' },
        spec: {
          selector: { matchLabels: labels },
          updateStrategy: { type: 'OnDelete' },
          template: template(on('old')),
        },
      })
      await scene.untilPods(many)
      for (const round of ['1', '2']) {
        await api.patch(path, { spec: { template: template(on('old'), { round }) } })
        await api.until(revisions, ({ items }) => items.length === Number(round) + 1)
      }
      const late = nodes[many + 1]
      return {
        path,
        ask: () => api.create('/api/v1/nodes', { metadata: { name: late?.name, labels: { place: late?.place } } }),
        free: () => api.patch(path, { spec: { revisionHistoryLimit: 0, template: template(on('new')) } }),
        isFreed: async () => (await scene.pods()) === 0 && (await scene.of(revisions)).length <= 1,
      }
    },
  },
}

function worldOf(order: Order) {
  const clock = { now: Date.parse('2026-01-01T00:00:30Z') }
  const world = new FullWorld(order)
  const api = new ApiServer()
  beforeAll(() => api.start({ workloads: world.start, now: () => clock.now }))
  afterAll(() => api.stop())

  /** Brings a namespace where a controller was refused, and then has it make room. */
  async function closed({ controller, prepare }: Situation, many: number, few: number) {
    const core = await api.namespace()
    const namespace = core.slice('/api/v1/namespaces/'.length)
    const want = await prepare(new Scene(api, core, clock, many, few))
    world.close(namespace)
    await want.ask()
    await eventually(
      async () => world.hasRefused(namespace, controller),
      (isRefused) => isRefused,
      { everyMs: 5, what: `a refusal of ${controller}` },
    )
    await want.free()
    return { namespace, want }
  }
  return { api, world, closed }
}

describe('where every create is refused', { concurrent: true }, () => {
  const { api, closed } = worldOf('as it is')
  test.each(Object.keys(situations))('%s gives all back that it does not want, and reports so', async (name) => {
    const situation = situations[name] as Situation
    const [least, most] = situation.bounds ?? [2, 4]
    const numbers = fc
      .integer({ min: least, max: most })
      .chain((many) => fc.tuple(fc.constant(many), fc.integer({ min: 1, max: many - 1 })))
    await fc.assert(
      fc.asyncProperty(numbers, async ([many, few]) => {
        const { want } = await closed(situation, many, few)
        await eventually(want.isFreed, (isFreed) => isFreed, { everyMs: 5, what: name })
        const { generation } = (await api.get(want.path)).metadata
        await api.until(want.path, ({ status }) => (status.observedGeneration ?? generation) === generation)
      }),
      { numRuns: 2 },
    )
  })
})

describe('a controller that first makes and then deletes', { concurrent: true }, () => {
  const { world, closed } = worldOf('makes first')
  test.each(Object.keys(situations))('is found by %s', async (name) => {
    const { namespace, want } = await closed(situations[name] as Situation, 3, 1)
    await eventually(
      async () => world.omissions.get(namespace) ?? 0,
      (omissions) => omissions > 0,
      { everyMs: 5, what: 'something that was left as it is' },
    )
    expect(await want.isFreed()).toBe(false)
  })
})
