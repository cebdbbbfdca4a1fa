/** A workload that does not come about, with all that its namespace has, and what `allot explain` is to say of it. */
export interface Stuck {
  readonly title: string
  /** The namespace is filled with these, one after the other, each once the one before has settled. */
  readonly given: readonly Given[]
  readonly asked: readonly [kind: string, name: string]
  /** All causes, and nothing else. */
  readonly causes: readonly string[]
  /** Texts of the answer, such as what fits. */
  readonly says?: readonly string[]
  /** What remedies are offered, in no order. */
  readonly remedies: readonly string[]
  /** Nodes would end its pods. */
  readonly isEndedByNodes?: true
  /** Does the first remedy of this type, done as it is printed, lead to this number of pods? */
  readonly solvedBy?: {
    readonly type: string
    readonly pods: number
    readonly containing?: string
    /** Pods of the revision before may come first. They go once the next ones are ready. */
    readonly needsNodes?: true
  }
}

export interface Given {
  readonly path: string
  readonly object: object
  /** How many pods there are then; unchanged where it is left out. */
  readonly pods?: number
  /** Replaces the object of this name. */
  readonly patch?: string
}

type Amounts = Readonly<Record<string, string>>
const CORE = '/api/v1'
const APPS = '/apis/apps/v1'
const BATCH = '/apis/batch/v1'

export const quota = (name: string, hard: Amounts, spec: object = {}): Given => ({
  path: `${CORE}:resourcequotas`,
  object: { metadata: { name }, spec: { hard, ...spec } },
})

const container = (name: string, requests: Amounts = {}, limits: Amounts = {}): object => ({
  name,
  image: 'registry.example/app',
  resources: { requests, limits },
})

const template = (app: string, containers: readonly object[], spec: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 0, containers, ...spec },
})

export const deployment = (
  name: string,
  replicas: number,
  containers: readonly object[],
  { pods, spec = {} }: { readonly pods?: number; readonly spec?: object } = {},
): Given => ({
  path: `${APPS}:deployments`,
  object: {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, containers), ...spec },
  },
  ...(pods === undefined ? {} : { pods }),
})

const limitRange = (name: string, limits: readonly object[]): Given => ({
  path: `${CORE}:limitranges`,
  object: { metadata: { name }, spec: { limits } },
})

/** Each with other names and amounts than any public report has. */
export const STUCK: readonly Stuck[] = [
  {
    title: 'a Deployment of which the last pod lacks a thousandth of a core',
    given: [
      quota('compute', { 'requests.cpu': '1199m', pods: '9' }),
      deployment('cart', 3, [container('cart', { cpu: '400m' })], { pods: 2 }),
    ],
    asked: ['deployment', 'cart'],
    causes: ['quota compute: requests.cpu 800m of 1199m used, 400m more requested'],
    says: [
      '2 of 3 Pods exist, 0 more fit',
      'at most 199m',
      'at most 399m',
      'compute, requests.cpu: 800m by Deployment cart (2 objects)',
    ],
    remedies: ['lower', 'lower', 'scale', 'raise'],
    solvedBy: { type: 'raise', pods: 3 },
  },
  {
    title: 'a Deployment that asks for less, as much as fits while its rollout makes pods first',
    given: [
      quota('compute', { 'requests.cpu': '1199m' }),
      deployment('cart', 3, [container('cart', { cpu: '400m' })], { pods: 2 }),
    ],
    asked: ['deploy', 'cart'],
    causes: ['quota compute: requests.cpu 800m of 1199m used, 400m more requested'],
    remedies: ['lower', 'lower', 'scale', 'raise'],
    solvedBy: { type: 'lower', pods: 3, containing: 'at most 199m' },
  },
  {
    title: 'a Deployment that asks for less, as much as fits once its rollout deletes pods first',
    given: [
      quota('compute', { 'limits.memory': '1000Mi' }),
      deployment('cart', 3, [container('cart', {}, { memory: '400Mi' })], { pods: 2 }),
    ],
    asked: ['deployments.apps', 'cart'],
    causes: ['quota compute: limits.memory 800Mi of 1000Mi used, 400Mi more requested'],
    remedies: ['lower', 'lower', 'scale', 'raise'],
    solvedBy: { type: 'lower', pods: 3, containing: 'maxSurge 0' },
  },
  {
    title: 'a rollout that has no room for one more pod than there are',
    given: [
      quota('count', { pods: '2' }),
      deployment('front', 2, [container('front')], { pods: 2 }),
      {
        ...deployment('front', 2, [{ ...container('front'), image: 'registry.example/app:2' }], { pods: 2 }),
        patch: 'front',
      },
    ],
    asked: ['deployment', 'front'],
    causes: ['quota count: pods 2 of 2 used, 1 more requested'],
    says: ['0 of 1 new Pods exist beside 2 old ones', 'a rollout of Deployment front waits'],
    remedies: ['rollout', 'raise'],
    solvedBy: { type: 'rollout', pods: 2 },
  },
  {
    title: 'a rollout of which no pod fits, nor one of the revision before',
    given: [
      quota('compute', { 'requests.cpu': '100m' }),
      deployment('raft', 4, [container('raft', { cpu: '200m' })], { pods: 0 }),
      {
        ...deployment('raft', 4, [{ ...container('raft', { cpu: '200m' }), image: 'registry.example/app:2' }], {
          pods: 0,
        }),
        patch: 'raft',
      },
    ],
    asked: ['deployment', 'raft'],
    causes: ['quota compute: requests.cpu 0 of 100m used, 800m more requested'],
    says: ['0 of 4 Pods exist, 0 more fit', 'raised to requests.cpu 800m'],
    remedies: ['lower', 'raise'],
    solvedBy: { type: 'raise', pods: 4, needsNodes: true },
  },
  {
    title: 'a Deployment whose containers leave out what a quota demands',
    given: [
      quota('strict', { 'limits.memory': '1Gi', 'requests.cpu': '1' }),
      deployment('plain', 2, [container('plain', { cpu: '100m' }), container('helper')], { pods: 0 }),
    ],
    asked: ['deployment', 'plain'],
    causes: [
      'quota strict: each container must specify limits.memory (missing in helper, plain); requests.cpu (missing in helper)',
    ],
    remedies: ['set', 'limit-range'],
    solvedBy: { type: 'set', pods: 2 },
  },
  {
    title: 'a Deployment whose requests come from a LimitRange and do not fit',
    given: [
      quota('compute', { 'requests.cpu': '700m' }),
      limitRange('defaults', [{ type: 'Container', defaultRequest: { cpu: '300m' } }]),
      deployment('silent', 3, [container('silent')], { pods: 2 }),
    ],
    asked: ['deployment', 'silent'],
    causes: ['quota compute: requests.cpu 600m of 700m used, 300m more requested'],
    says: ['requests.cpu 300m = silent 300m (LimitRange)', 'at most 50m'],
    remedies: ['lower', 'lower', 'scale', 'raise'],
  },
  {
    title: 'a Deployment that two quotas refuse at once',
    given: [
      quota('compute', { 'requests.memory': '300Mi' }),
      quota('count', { pods: '1', 'count/replicasets.apps': '5' }),
      deployment('twice', 2, [container('twice', { memory: '200Mi' })], { pods: 1 }),
    ],
    asked: ['deployment', 'twice'],
    causes: [
      'quota compute: requests.memory 200Mi of 300Mi used, 200Mi more requested',
      'quota count: pods 1 of 1 used, 1 more requested',
    ],
    remedies: ['scale', 'raise', 'raise'],
  },
  {
    title: 'a pod without requests under a quota of such pods, beside one that counts others',
    given: [
      quota('leftovers', { pods: '1' }, { scopes: ['BestEffort'] }),
      quota('others', { pods: '1' }, { scopes: ['NotBestEffort'] }),
      deployment('idle', 2, [container('idle')], { pods: 1 }),
    ],
    asked: ['deployment', 'idle'],
    causes: ['quota leftovers: pods 1 of 1 used, 1 more requested'],
    remedies: ['scale', 'raise'],
    solvedBy: { type: 'raise', pods: 2 },
  },
  {
    title: 'a Deployment that may have no ReplicaSet',
    given: [quota('sets', { 'count/replicasets.apps': '0' }), deployment('none', 1, [container('none')], { pods: 0 })],
    asked: ['deployment', 'none'],
    causes: ['quota sets: count/replicasets.apps 0 of 0 used, 1 more requested'],
    remedies: ['raise'],
    solvedBy: { type: 'raise', pods: 1 },
  },
  {
    title: 'a Deployment whose containers are above what a LimitRange allows',
    given: [
      limitRange('bounds', [{ type: 'Container', max: { memory: '128Mi' } }]),
      deployment('large', 1, [container('large', {}, { memory: '256Mi' })], { pods: 0 }),
    ],
    asked: ['deployment', 'large'],
    causes: ['LimitRange bounds: maximum memory usage per Container is 128Mi, but limit is 256Mi'],
    says: ['set memory limits of large to 128Mi, memory requests of large to 128Mi, which the LimitRanges allow'],
    remedies: ['within', 'limit-range'],
    solvedBy: { type: 'within', pods: 1 },
  },
  {
    title: 'a Deployment whose limit is too far above its request for a LimitRange',
    given: [
      limitRange('bounds', [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }]),
      deployment('bursting', 1, [container('bursting', { cpu: '100m' }, { cpu: '500m' })], { pods: 0 }),
    ],
    asked: ['deployment', 'bursting'],
    causes: ['LimitRange bounds: cpu max limit to request ratio per Container is 2, but provided ratio is 5.000000'],
    says: ['have LimitRange bounds changed: maxLimitRequestRatio cpu per Container 5'],
    remedies: ['within', 'limit-range'],
    solvedBy: { type: 'limit-range', pods: 1 },
  },
  {
    title: 'a StatefulSet whose claims of volumes do not fit',
    given: [
      quota('disks', { 'requests.storage': '5Gi' }),
      {
        path: `${APPS}:statefulsets`,
        pods: 1,
        object: {
          metadata: { name: 'db' },
          spec: {
            replicas: 2,
            podManagementPolicy: 'Parallel',
            serviceName: 'db',
            selector: { matchLabels: { app: 'db' } },
            template: template('db', [container('db')]),
            volumeClaimTemplates: [
              {
                metadata: { name: 'data' },
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
              },
            ],
          },
        },
      },
    ],
    asked: ['sts', 'db'],
    causes: ['quota disks: requests.storage 3Gi of 5Gi used, 3Gi more requested'],
    says: ['PersistentVolumeClaims: 1 of 2 exist'],
    remedies: ['raise', 'scale'],
  },
  {
    title: 'a Job of which some pods do not fit',
    given: [
      quota('compute', { 'requests.cpu': '1' }),
      {
        path: `${BATCH}:jobs`,
        pods: 2,
        object: {
          metadata: { name: 'crunch' },
          spec: {
            parallelism: 4,
            completions: 4,
            template: template('crunch', [container('crunch', { cpu: '450m' })], {
              restartPolicy: 'Never',
            }),
          },
        },
      },
    ],
    asked: ['job', 'crunch'],
    isEndedByNodes: true,
    causes: ['quota compute: requests.cpu 900m of 1 used, 900m more requested'],
    remedies: ['lower', 'raise'],
  },
  {
    title: 'a Deployment that its autoscaler has scaled beyond a quota',
    given: [
      quota('compute', { 'requests.cpu': '2', 'limits.cpu': '9' }),
      {
        path: '/apis/autoscaling/v1:horizontalpodautoscalers',
        object: {
          metadata: { name: 'peak' },
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shopfront' },
            minReplicas: 1,
            maxReplicas: 12,
          },
        },
      },
      deployment('shopfront', 5, [container('shopfront', { cpu: '600m' }, { cpu: '700m' })], { pods: 3 }),
    ],
    asked: ['deployment', 'shopfront'],
    causes: ['quota compute: requests.cpu 1800m of 2 used, 1200m more requested'],
    says: ['HorizontalPodAutoscaler peak may ask for 12 pods, and the quotas have room for 3'],
    // The autoscaler would undo a scale.
    remedies: ['lower', 'lower', 'raise'],
  },
  {
    title: 'a Job under a quota that allows no pods',
    given: [
      quota('compute', { pods: '0' }),
      {
        path: `${BATCH}:jobs`,
        object: {
          metadata: { name: 'resting' },
          spec: { parallelism: 1, template: template('resting', [container('resting')], { restartPolicy: 'Never' }) },
        },
      },
    ],
    asked: ['job', 'resting'],
    isEndedByNodes: true,
    causes: ['quota compute: pods 0 of 0 used, 1 more requested'],
    remedies: ['raise'],
  },
  {
    title: 'a first revision that does not fit, with none to go back to',
    given: [
      quota('quay', { 'requests.memory': '870Mi' }),
      deployment('crane', 3, [container('crane', { memory: '330Mi' })], { pods: 2, spec: { revisionHistoryLimit: 0 } }),
    ],
    asked: ['deployment', 'crane'],
    causes: ['quota quay: requests.memory 660Mi of 870Mi used, 330Mi more requested'],
    says: ['at most 105Mi', 'at most 290Mi', 'run fewer pods: 2 fit'],
    remedies: ['lower', 'lower', 'scale', 'raise'],
    solvedBy: { type: 'lower', pods: 3, containing: 'at most 290Mi' },
  },
  {
    title: 'a rollout whose earlier revision does not fit any more either',
    given: [
      quota('quay', { 'requests.cpu': '630m' }),
      deployment('buoy', 3, [container('buoy', { cpu: '210m' })], { pods: 3 }),
      { ...quota('quay', { 'requests.cpu': '510m' }), patch: 'quay' },
      { ...deployment('buoy', 3, [container('buoy', { cpu: '360m' })], { pods: 3 }), patch: 'buoy' },
    ],
    asked: ['deployment', 'buoy'],
    causes: ['quota quay: requests.cpu 630m of 510m used, 360m more requested'],
    says: ['at most 170m'],
    remedies: ['lower', 'raise'],
    solvedBy: { type: 'lower', pods: 3, containing: 'at most 170m' },
  },
  {
    title: 'a Deployment of which another object says the amounts that are approved',
    given: [
      quota('quay', { 'limits.memory': '550Mi', 'requests.cpu': '440m' }),
      {
        path: `${CORE}:configmaps`,
        object: { metadata: { name: 'approved' }, data: { pilot: 'limits.memory=275Mi, requests.cpu=220m' } },
      },
      deployment('pilot', 2, [container('pilot', { cpu: '260m' }, { memory: '310Mi' })], {
        pods: 1,
        spec: { strategy: { type: 'Recreate' } },
      }),
    ],
    asked: ['deployment', 'pilot'],
    causes: [
      'quota quay: limits.memory 310Mi of 550Mi used, 310Mi more requested; requests.cpu 260m of 440m used, 260m more requested',
    ],
    says: ['limits of pilot at most 275Mi', 'requests of pilot at most 220m'],
    remedies: ['lower', 'scale', 'raise'],
    solvedBy: { type: 'lower', pods: 2 },
  },
  {
    title: 'a Deployment whose room another one holds',
    given: [
      quota('quay', { 'requests.cpu': '1300m' }),
      deployment('barge', 4, [container('barge', { cpu: '270m' })], { pods: 4 }),
      deployment('launch', 2, [container('launch', { cpu: '190m' })], { pods: 5 }),
    ],
    asked: ['deployment', 'launch'],
    causes: ['quota quay: requests.cpu 1270m of 1300m used, 190m more requested'],
    says: ['run 3 instead of 4 pods of Deployment barge', 'Deployment barge (requests.cpu 1080m)'],
    remedies: ['lower', 'lower', 'scale', 'raise', 'free'],
    solvedBy: { type: 'free', pods: 5 },
  },
  {
    title: 'a Deployment whose room two others hold together',
    given: [
      quota('quay', { 'requests.cpu': '1050m' }),
      deployment('barge', 1, [container('barge', { cpu: '340m' })], { pods: 1 }),
      deployment('ferry', 2, [container('ferry', { cpu: '160m' })], { pods: 3 }),
      deployment('launch', 1, [container('launch', { cpu: '960m' })], { pods: 3 }),
    ],
    asked: ['deployment', 'launch'],
    causes: ['quota quay: requests.cpu 660m of 1050m used, 960m more requested'],
    says: [
      'run 0 instead of 1 pods of Deployment barge and run 0 instead of 2 pods of Deployment ferry, if their owners can do with that',
    ],
    remedies: ['lower', 'raise', 'free'],
    solvedBy: { type: 'free', pods: 1 },
  },
]
