import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { behaviours, countable, idle, meant, textOf } from '../../../test/charges/limits-of-kinds.ts'
import { validateResourceQuotaSpec } from '../../kinds/resource-quota/validate.ts'
import { amountOf } from '../../kinds/rule/quantity-field.ts'
import { podStrategies } from '../../kinds/core/pod/strategy.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { QUOTA_EVALUATORS } from '../evaluators/table.ts'
import { countName } from '../evaluators/object-count.ts'
import { matchingScopes } from '../evaluators/scopes.ts'

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
    // The name of a class may hold such a word itself.
    const className = /^(.*)\.(?:storage|device)class\./.exec(name)?.[1] ?? ''
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
      { numRuns: 2000, examples: [['a.deviceclass.storageclass.storage.k8s.io/requests.storage']] },
    )
  })

  test('a name that was probably meant is charged', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const right = meant(name)
        if (right !== undefined && !textOf(name)?.includes('scope'))
          expect([name, right, isCharged(right)]).toEqual([name, right, true])
      }),
      { numRuns: 1000, examples: [['pods.deviceclass.storageclass/persistentvolumeclaims']] },
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
