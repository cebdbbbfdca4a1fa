import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScopeRequirement } from '../../api/resource-quota/resource-quota.ts'
import { validateResourceQuotaSpec } from '../../api/resource-quota/validate-resource-quota.ts'
import { amountOf } from '../../kinds/rule/quantity-field.ts'
import { strategies } from '../../kinds/strategies.ts'
import { podStrategies } from '../../kinds/core/pod/pod-strategy.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { QUOTA_EVALUATORS } from '../evaluators/evaluator-table.ts'
import { countName } from '../evaluators/object-count.ts'
import { matchingScopes } from '../evaluators/scopes.ts'
import { idleLimits } from './idle-limits.ts'
import { OfferedResources, type OfferedResource } from './offered-resources.ts'

const behaviours = strategies({
  requestProblem: () => undefined,
  issuedProblem: () => undefined,
  keyPairProblem: () => undefined,
})
const offers = servedKinds()
const offered = new OfferedResources(offers)
const countable = offers.filter(
  (one) =>
    one.namespaced &&
    QUOTA_EVALUATORS.of(one) !== undefined &&
    ['create', 'list', 'watch', 'delete'].every((verb) => one.verbs.includes(verb)),
)

function servedKinds(): readonly OfferedResource[] {
  const file = new URL('../../../schemas/kubernetes-1.36-resources.json', import.meta.url)
  const { resources } = JSON.parse(readFileSync(file, 'utf8')) as { resources: Record<string, OfferedResource> }
  return Object.values(resources)
    .filter(({ resource }) => !resource.includes('/'))
    .map(({ group, resource, kind, namespaced, verbs }) => {
      const { shortNames = [], singular = '' } = behaviours[qualified({ group, resource })] ?? {}
      return { group, resource, kind, namespaced, verbs, shortNames, singular }
    })
}

const idle = (names: readonly string[], requirements: readonly ScopeRequirement[] = []) =>
  idleLimits(names, { evaluators: QUOTA_EVALUATORS, offered, requirements })
const textOf = (name: string): string | undefined => idle([name])[0]?.text
const meant = (name: string): string | undefined => /(\S+) was probably meant$/.exec(textOf(name) ?? '')?.[1]

/** Names of which no kind is one, nor any name of a quota. */
const word = fc.stringMatching(/^[a-z]{9,12}$/).filter((text) => meant(text) === undefined)

describe('limits on the number of objects', () => {
  test.each(countable.map((one) => [countName(one), one] as const))('by %s limit something', (name) => {
    expect(idle([name])).toEqual([])
  })

  test('whose resource has the name of its kind, its singular, a short name, another case or no group name the right one', () => {
    const wrong = countable.flatMap((one) => {
      const right = countName(one)
      const { group, resource, kind, singular, shortNames = [] } = one
      const forms = new Set([kind, kind.toLowerCase(), singular ?? '', ...shortNames, resource.toUpperCase()])
      return [...forms]
        .filter((form) => form !== '' && form !== resource)
        .map((form) => [group === '' ? `count/${form}` : `count/${form}.${group}`, right] as const)
    })
    expect(wrong.length).toBeGreaterThan(countable.length)
    expect(wrong.filter(([name, right]) => meant(name) !== right)).toEqual([])
  })

  test('whose group is missing, gone or another name a resource of this name that is served', () => {
    for (const { group, resource } of countable) {
      const same = offers.filter((one) => one.resource === resource).map(countName)
      for (const other of ['', 'extensions', `${group}.old`, 'gone.example.com', `v1.${group}`]) {
        const name = countName({ group: other, resource })
        if (same.includes(name)) continue
        expect(same, name).toContain(meant(name))
      }
    }
  })

  test('without their prefix, or with a misspelled one, name the right one', () => {
    for (const one of countable) {
      const right = [countName(one), one.resource]
      if (one.group !== '') {
        expect(right).toContain(meant(qualified(one)))
        expect(right).toContain(meant(`${one.group}/${one.resource}`))
      }
      expect(right).toContain(meant(`counts/${qualified(one)}`))
      expect(right).toContain(meant(`conut/${qualified(one)}`))
    }
  })

  test('of resources that no quota counts say why', () => {
    for (const one of offers.filter((each) => !countable.includes(each)))
      expect(textOf(countName(one)), countName(one)).toMatch(
        /limits nothing: .* (in no namespace|never charged|lack of the verb)/,
      )
  })

  test('of a group with a dot may limit something later, of another one on another server, and of another name of a kind that is served never', () => {
    const outlook = (name: string) => idle([name])[0]?.outlook
    expect(outlook('count/widgets.example.com')).toBe('notYet')
    expect(outlook('count/services.serving.knative.dev')).toBe('notYet')
    expect(outlook('count/services.loadbalancers')).toBe('never')
    expect(outlook('count/deployment.apps')).toBe('never')
    expect(outlook('count/ingresses.extensions')).toBe('notHere')
    expect(outlook('count/ingress.networking.k8s.io')).toBe('never')
    expect(outlook('count/Widgets.example.com')).toBe('never')
    expect(outlook('count/nodes')).toBe('never')
  })
})

describe('limits by other names', () => {
  test.each([
    ['count/services.loadbalancers', 'services.loadbalancers'],
    ['count/services.nodeports', 'services.nodeports'],
    ['count/requests.cpu', 'requests.cpu'],
    ['nvidia.com/gpu', 'requests.nvidia.com/gpu'],
    ['limits.nvidia.com/gpu', 'requests.nvidia.com/gpu'],
    ['request.nvidia.com/gpu', 'requests.nvidia.com/gpu'],
    ['limit.nvidia.com/gpu', 'requests.nvidia.com/gpu'],
    ['requests.requests.nvidia.com/gpu', undefined],
    ['storageclass.storage.k8s.io/requests.storage', undefined],
    ['fast.storageclass.storage.k8s.io/requests.io', 'fast.storageclass.storage.k8s.io/requests.storage'],
    ['fast.storageclass.storage.k8s.io/storage', 'fast.storageclass.storage.k8s.io/requests.storage'],
    ['fast.storageclass.storage.k8s.io/pvc', 'fast.storageclass.storage.k8s.io/persistentvolumeclaims'],
    [
      'fast.storageclass.storage.k8s.io/persistentvolumeclaim',
      'fast.storageclass.storage.k8s.io/persistentvolumeclaims',
    ],
    ['fast.storageclass.k8s.io/requests.storage', 'fast.storageclass.storage.k8s.io/requests.storage'],
    ['a.b.storageclasses.storage.k8s.io/requests.storage', 'a.b.storageclass.storage.k8s.io/requests.storage'],
    ['gpu.deviceclass.resource.k8s.io/device', 'gpu.deviceclass.resource.k8s.io/devices'],
    ['gpu.deviceclass.resource.kubernetes.io/devices', 'gpu.deviceclass.resource.k8s.io/devices'],
    ['cpus', 'cpu'],
    ['request.cpu', 'requests.cpu'],
    ['limits.cpus', 'limits.cpu'],
    ['limit.memory', 'limits.memory'],
    ['Memory', 'memory'],
    ['Pods', 'pods'],
    ['pod', 'pods'],
    ['pvc', 'persistentvolumeclaims'],
    ['storage', 'requests.storage'],
    ['loadbalancers', 'services.loadbalancers'],
    ['deployments.apps', 'count/deployments.apps'],
    ['deployments', 'count/deployments.apps'],
    ['count/deployments.v1.apps', 'count/deployments.apps'],
    ['count/deploymets.apps', 'count/deployments.apps'],
    ['hugepages-2MB', undefined],
    ['requests.hugepages-big', undefined],
    ['kubernetes.io/batch-cpu', undefined],
    ['example.com/volume-attributes', 'requests.example.com/volume-attributes'],
  ])('%s is idle, and %s was meant', (name, right) => {
    expect(textOf(name)).toMatch(/^limits nothing/)
    expect(meant(name)).toBe(right)
  })

  test('of classes that only scopes know name the scope', () => {
    expect(textOf('high.priorityclass.kubernetes.io/pods')).toMatch(/; the scope PriorityClass was probably meant$/)
    expect(textOf('gold.volumeattributesclass.kubernetes.io/requests.storage')).toMatch(
      /the scope VolumeAttributesClass was/,
    )
  })

  test('that are like no other name nothing', () => {
    fc.assert(
      fc.property(word, (text) => {
        expect(textOf(text)).toBe('limits nothing: no object is charged under this name')
      }),
      { numRuns: 30 },
    )
  })
})

describe('limits under scopes', () => {
  const exists = (...names: readonly string[]) => names.map((scopeName) => ({ scopeName, operator: 'Exists' }))
  const className = (operator: string, ...values: readonly string[]) => ({
    scopeName: 'PriorityClass',
    operator,
    values,
  })

  test.each([
    ['count/secrets', exists('NotTerminating')],
    ['count/persistentvolumeclaims', exists('BestEffort')],
    ['count/pods', exists('VolumeAttributesClass')],
    ['x.deviceclass.resource.k8s.io/devices', exists('Terminating')],
    ['pods', exists('BestEffort', 'NotBestEffort')],
    ['pods', exists('Terminating', 'NotTerminating')],
    ['pods', exists('Terminating', 'VolumeAttributesClass')],
    ['pods', [className('In', 'a'), className('In', 'b')]],
    ['pods', [className('In', 'a'), className('NotIn', 'a', 'b')]],
    ['pods', [className('Exists'), className('DoesNotExist')]],
    ['pods', [className('In', 'a'), className('DoesNotExist')]],
  ])('that %s never meets are idle', (name, requirements) => {
    expect(idle([name], requirements)[0]).toMatchObject({ name, outlook: 'never' })
    expect(idle([name], requirements)[0]?.text).toMatch(
      /no object that it counts can be in (the scope|all of the scopes) /,
    )
  })

  test.each([
    ['count/pods', exists('NotTerminating')],
    ['requests.nvidia.com/gpu', exists('BestEffort', 'Terminating', 'CrossNamespacePodAffinity')],
    ['pods', [className('In', 'a', 'b'), className('NotIn', 'a')]],
    ['pods', [className('NotIn', 'a', 'other')]],
    ['pods', [className('DoesNotExist'), ...exists('NotBestEffort')]],
    ['fast.storageclass.storage.k8s.io/requests.storage', exists('VolumeAttributesClass')],
    [
      'persistentvolumeclaims',
      ['a', 'b'].map((value) => ({ scopeName: 'VolumeAttributesClass', operator: 'In', values: [value] })),
    ],
  ])('that objects of %s can meet are not', (name, requirements) => {
    expect(idle([name], requirements)).toEqual([])
  })
})

describe('compared with what objects are charged', () => {
  const measuring = { now: 0 }

  /** An object of the kind that is charged whatever may be charged under the name, if any is; its kind must take it. */
  function chargedTo(name: string): readonly KubeObject[] {
    const bare = name.replace(/^(requests|limits)\./, '')
    const resources = ['cpu', bare, name].map((one) => ({
      limits: {
        cpu: '1',
        memory: '1Gi',
        [one]: amountFor(one),
      },
    }))
    const pods = resources
      .map((one) => podWith(one))
      .filter((pod) => podStrategies['pods']?.validate?.(pod).length === 0)
    const [className = ''] = name.split(/\.(?:storage|device)class\./)
    const claim = objectOf('v1', 'PersistentVolumeClaim', {
      storageClassName: className,
      resources: { requests: { storage: '1' } },
    })
    const service = objectOf('v1', 'Service', { type: 'LoadBalancer', ports: [{ port: 1 }] })
    const devices = objectOf('resource.k8s.io/v1', 'ResourceClaim', {
      devices: { requests: [{ name: 'a', exactly: { deviceClassName: className } }] },
    })
    return [...pods, claim, service, devices]
  }

  /** Huge pages are requested as whole ones. */
  function amountFor(name: string): string {
    const size = name.startsWith('hugepages-') ? name.slice('hugepages-'.length) : ''
    return amountOf(size) === undefined ? '1' : size
  }

  function podWith({ limits }: { readonly limits: JsonObject }): KubeObject {
    const pod = objectOf('v1', 'Pod', {
      containers: [{ name: 'c', image: 'i', resources: { limits, requests: limits } }],
    })
    return behaviours['pods']?.defaults?.(pod) ?? pod
  }

  const objectOf = (apiVersion: string, kind: string, spec: JsonObject): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: 'o', namespace: 'n', uid: 'u' },
    spec,
  })

  function isCharged(name: string): boolean {
    const byKind = countable.some((one) => {
      const object = objectOf(one.group, one.kind, {})
      return (
        QUOTA_EVALUATORS.of(one)?.isUniform === true &&
        QUOTA_EVALUATORS.of(one)?.usage(object, measuring)[name] !== undefined
      )
    })
    if (byKind) return true
    return chargedTo(name).some((object) => {
      const resource = countable.find(({ kind }) => kind === object.kind)
      if (resource === undefined) throw new Error(`nothing of the kind ${object.kind} is counted`)
      const amount = QUOTA_EVALUATORS.of(resource)?.usage(object, measuring)[name]
      return amount !== undefined && amount.sign() > 0
    })
  }

  const parts = [
    'pods',
    'cpu',
    'memory',
    'storage',
    'services',
    'hugepages-2Mi',
    'hugepages-2MB',
    'hugepages-',
    'nodeports',
    'loadbalancers',
    'ephemeral-storage',
    'devices',
    'persistentvolumeclaims',
    'gpu',
    'secrets',
    'events',
    'nodes',
    'deployments',
    'deployment',
    'ingresses',
    'apps',
    'extensions',
    'networking.k8s.io',
    'requests',
    'limits',
    'nvidia.com',
    'kubernetes.io',
    'storageclass',
    'storage.k8s.io',
    'deviceclass',
    'resource.k8s.io',
    'resource.kubernetes.io',
    'fast',
    'count',
    'example.com',
  ] as const
  const dotted = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }).map((some) => some.join('.'))
  const anyName = fc.oneof(
    dotted,
    fc.tuple(dotted, dotted).map((sides) => sides.join('/')),
    dotted.map((name) => `count/${name}`),
    dotted.map((name) => `requests.${name}/gpu`),
    fc.constantFrom(...countable.map(countName)),
    fc
      .constantFrom(...QUOTA_EVALUATORS.entries.flatMap(({ names }) => names))
      .map((name) => name.replaceAll('*', 'fast')),
  )

  test('a name is idle exactly if nothing is charged under it', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        if (validateResourceQuotaSpec({ hard: { [name]: '1' } }).length > 0) return
        expect([name, idle([name]).length === 0]).toEqual([name, isCharged(name)])
      }),
      { numRuns: 2000 },
    )
  })

  test('a name that was probably meant is charged', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const right = meant(name)
        if (right !== undefined && !textOf(name)?.includes('scope'))
          expect([name, right, isCharged(right)]).toEqual([name, right, true])
      }),
      { numRuns: 1000 },
    )
  })

  test('requirements of scopes make a limit idle exactly if no pod and no claim of a large set meets them', () => {
    const scopeName = fc.constantFrom(
      'Terminating',
      'NotTerminating',
      'BestEffort',
      'NotBestEffort',
      'CrossNamespacePodAffinity',
    )
    const values = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
    const requirement = fc.oneof(
      scopeName.map((one) => ({ scopeName: one, operator: 'Exists' })),
      fc.record({ scopeName: fc.constant('PriorityClass'), operator: fc.constantFrom('In', 'NotIn'), values }),
      fc.record({ scopeName: fc.constant('PriorityClass'), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    )
    const pods = [undefined, 'a', 'b', 'c', 'd'].flatMap((priorityClassName) =>
      [undefined, 5].flatMap((activeDeadlineSeconds) =>
        [{}, { requests: { memory: '1' } }].flatMap((resources) =>
          [
            undefined,
            { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ['x'] }] } },
          ].map((affinity) =>
            objectOf('v1', 'Pod', {
              ...(priorityClassName && { priorityClassName }),
              ...(activeDeadlineSeconds && { activeDeadlineSeconds }),
              ...(affinity && { affinity }),
              containers: [{ resources }],
            }),
          ),
        ),
      ),
    )
    const evaluator = QUOTA_EVALUATORS.of({ group: '', resource: 'pods' })
    if (evaluator === undefined) throw new Error('pods are not charged')
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 1, maxLength: 4 }), (requirements) => {
        const isMet = pods.some((pod) => matchingScopes(evaluator, requirements, pod).length === requirements.length)
        expect(idle(['pods'], requirements).length === 0).toBe(isMet)
      }),
      { numRuns: 500 },
    )
  })

  test('every name that an evaluator counts is one of its names', () => {
    for (const { names, counts } of QUOTA_EVALUATORS.entries)
      for (const name of names) expect([name, counts(name.replaceAll('*', 'x.y'))]).toEqual([name, true])
  })
})

test('a bound on how many are found holds', () => {
  const names = Array.from({ length: 50 }, (_, at) => `nonsense${at}.example.com/x`)
  expect(idleLimits(names, { evaluators: QUOTA_EVALUATORS, offered, most: 3 })).toHaveLength(3)
})
