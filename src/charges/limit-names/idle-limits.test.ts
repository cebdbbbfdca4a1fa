import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countable, idle, meant, offered, offers, textOf } from '../../../test/charges/limits-of-kinds.ts'
import { qualified } from '../../machinery/status.ts'
import { QUOTA_EVALUATORS } from '../evaluators/table.ts'
import { countName } from '../evaluators/object-count.ts'
import { idleLimits } from './idle-limits.ts'

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

test('a bound on how many are found holds', () => {
  const names = Array.from({ length: 50 }, (_, at) => `nonsense${at}.example.com/x`)
  expect(idleLimits(names, { evaluators: QUOTA_EVALUATORS, offered, most: 3 })).toHaveLength(3)
})
