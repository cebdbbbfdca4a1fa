import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema, type SchemaDefinitions } from '../type/compile.ts'
import type { ObjectType } from '../type/type.ts'
import type { ApiError, Status } from '../../machinery/status.ts'
import { strategicMerge } from './strategic-merge.ts'

const file = new URL('../../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const schemas = compileSchema(
  (JSON.parse(readFileSync(file, 'utf8')) as { definitions: SchemaDefinitions }).definitions,
)
const typeOf = (kind: string, group = '', version = 'v1'): ObjectType => schemas.typeOf({ group, version, kind })!
const pod = typeOf('Pod')
const deployment = typeOf('Deployment', 'apps')

type Json = Readonly<Record<string, unknown>>
const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    Object.values(value).forEach(frozen)
  }
  return value
}
const merge = (original: Json, patch: unknown, type = pod): Json =>
  strategicMerge(type, frozen(original), frozen(patch))
const spec = (original: Json, patch: Json): unknown => merge({ spec: original }, { spec: patch })['spec']
const metadata = (original: Json, patch: Json): unknown =>
  merge({ metadata: original }, { metadata: patch })['metadata']
const named = (...names: string[]): Json[] => names.map((name) => ({ name }))
const refusedElement = (item: unknown): Status =>
  statusOf({ spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [item] } })

function statusOf(original: Json, patch: unknown, type = pod): Status {
  try {
    merge(original, patch, type)
  } catch (error) {
    return (error as ApiError).status
  }
  throw new Error('it applied')
}

describe('strategic merge of maps', () => {
  test('sets, merges and deletes members', () => {
    const labels = { a: '1', b: '2' }
    expect(metadata({ name: 'x', labels }, { labels: { b: null, c: '3', d: null } })).toEqual({
      name: 'x',
      labels: { a: '1', c: '3' },
    })
  })

  test('takes a new map without its nulls and directives', () => {
    const patch = { securityContext: { runAsUser: null, runAsGroup: 1, $retainKeys: ['runAsGroup'] } }
    expect(spec({}, patch)).toEqual({ securityContext: { runAsGroup: 1 } })
  })

  test('$patch: replace takes the patch instead', () => {
    expect(metadata({ labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } })).toEqual({ labels: { b: '2' } })
    expect(merge({ spec: { hostname: 'h' }, kind: 'Pod' }, { $patch: 'replace', kind: 'Pod' })).toEqual({ kind: 'Pod' })
  })

  test('$patch: delete empties', () => {
    expect(metadata({ labels: { a: '1' } }, { labels: { $patch: 'delete' } })).toEqual({ labels: {} })
    expect(metadata({}, { labels: { $patch: 'delete', a: '1' } })).toEqual({ labels: {} })
  })

  test('$patch: merge merges', () => {
    expect(metadata({ labels: { a: '1' } }, { labels: { $patch: 'merge', b: '2' } })).toEqual({
      labels: { a: '1', b: '2' },
    })
  })

  test('a field whose strategy is replace is replaced', () => {
    const budget = typeOf('PodDisruptionBudget', 'policy')
    const original = { spec: { selector: { matchLabels: { a: '1' } }, minAvailable: 1 } }
    expect(merge(original, { spec: { selector: { matchLabels: { b: '2' } } } }, budget)).toEqual({
      spec: { selector: { matchLabels: { b: '2' } }, minAvailable: 1 },
    })
  })

  test('merges inside raw extensions as plain JSON', () => {
    const revision = typeOf('ControllerRevision', 'apps')
    expect(merge({ data: { a: [1], b: { c: 1 } } }, { data: { a: [2], b: { d: 2 } } }, revision)).toEqual({
      data: { a: [2], b: { c: 1, d: 2 } },
    })
  })

  test('a value of another type replaces', () => {
    expect(spec({ hostname: 'x' }, { hostname: { a: null } })).toEqual({ hostname: {} })
  })
})

describe('$retainKeys', () => {
  const original = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }, replicas: 1 } }

  test('drops what it does not list', () => {
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }
    expect(merge(original, patch, deployment)).toEqual({ spec: { strategy: { type: 'Recreate' }, replicas: 1 } })
  })

  test('works in the elements of a list', () => {
    const volumes = [{ name: 'v', emptyDir: {} }, ...named('w')]
    const patch = { volumes: [{ $retainKeys: ['name', 'configMap'], name: 'v', configMap: { name: 'c' } }] }
    expect(spec({ volumes }, patch)).toEqual({ volumes: [{ name: 'v', configMap: { name: 'c' } }, { name: 'w' }] })
  })

  test('refuses a patch that sets more than it lists', () => {
    const patch = { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: {} } } }
    expect(statusOf(original, patch, deployment)).toMatchObject({
      code: 400,
      message: 'invalid patch format of retainKeys',
    })
    expect(statusOf(original, { spec: { strategy: { $retainKeys: 'type' } } }, deployment).code).toBe(400)
  })
})

describe('strategic merge of lists with a merge key', () => {
  const containers = [
    { name: 'a', image: 'a:1', ports: [{ containerPort: 80 }] },
    { name: 'b', image: 'b:1' },
  ]

  test('merges the element with the same key where it stands', () => {
    expect(spec({ containers }, { containers: [{ name: 'b', image: 'b:2', tty: true }] })).toEqual({
      containers: [containers[0], { name: 'b', image: 'b:2', tty: true }],
    })
  })

  test('puts new elements before those that only the object holds', () => {
    expect(spec({ containers }, { containers: [{ name: 'c', image: 'c:1' }] })).toEqual({
      containers: [{ name: 'c', image: 'c:1' }, ...containers],
    })
  })

  test('follows the order of the patch', () => {
    expect(spec({ containers: named('a', 'b', 'c', 'd') }, { containers: named('d', 'b') })).toEqual({
      containers: named('a', 'c', 'd', 'b'),
    })
  })

  test('reaches lists inside of elements', () => {
    const patch = { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'http' }, { containerPort: 81 }] }] }
    expect(spec({ containers }, patch)).toEqual({
      containers: [
        { name: 'a', image: 'a:1', ports: [{ containerPort: 80, name: 'http' }, { containerPort: 81 }] },
        containers[1],
      ],
    })
  })

  test('merges the first of several elements with the same key', () => {
    const ports = [
      { containerPort: 53, protocol: 'TCP' },
      { containerPort: 53, protocol: 'UDP' },
    ]
    const patch = { containers: [{ name: 'a', ports: [{ containerPort: 53, name: 'dns' }] }] }
    expect(spec({ containers: [{ name: 'a', ports }] }, patch)).toEqual({
      containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'TCP', name: 'dns' }, ports[1]] }],
    })
  })

  test('$patch: delete removes an element, and does no harm where it is not', () => {
    expect(spec({ containers }, { containers: [{ $patch: 'delete', name: 'a' }] })).toEqual({
      containers: [containers[1]],
    })
    expect(spec({ containers }, { containers: [{ $patch: 'delete', name: 'x' }] })).toEqual({ containers })
    expect(spec({}, { containers: [{ $patch: 'delete', name: 'x' }, { name: 'y' }] })).toEqual({
      containers: named('y'),
    })
  })

  test("$patch: replace takes the patch's elements instead, equal keys included", () => {
    const ports = [
      { containerPort: 53, protocol: 'TCP' },
      { containerPort: 53, protocol: 'UDP' },
    ]
    const patch = { containers: [{ name: 'a', ports: [...ports, { $patch: 'replace' }] }] }
    expect(spec({ containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] }, patch)).toEqual({
      containers: [{ name: 'a', ports }],
    })
  })

  test('a new element comes without nulls and directives', () => {
    const added = { name: 'c', image: null, ports: [{ $patch: 'delete', containerPort: 1 }] }
    expect(spec({ containers: [] }, { containers: [added] })).toEqual({ containers: [{ name: 'c', ports: [] }] })
  })

  test('an empty list changes nothing, null deletes the list', () => {
    expect(spec({ containers }, { containers: [] })).toEqual({ containers })
    expect(spec({ containers }, { containers: null })).toEqual({})
  })

  test('answers 500 to an element without its key', () => {
    expect(
      statusOf({ spec: { containers } }, { spec: { containers: [{ image: 'x', ports: [{ b: 1, a: true }] }] } }),
    ).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'map: map[image:x ports:[map[a:true b:1]]] does not contain declared merge key: name',
      code: 500,
    })
  })

  test('refuses what it cannot do', () => {
    expect(refusedElement({ name: 'a', $patch: 'merge' }).message).toBe(
      'merging lists cannot yet be specified in the patch',
    )
    expect(refusedElement({ name: 'a', $patch: 'x' }).message).toBe(
      'unknown patch type: x in map: map[$patch:x name:a]',
    )
    expect(refusedElement('a').code).toBe(500)
    expect(refusedElement([]).code).toBe(422)
  })

  test('$setElementOrder orders elements of both sides', () => {
    const patch = { '$setElementOrder/containers': named('c', 'a'), containers: [{ name: 'c', image: 'c:1' }] }
    expect(spec({ containers }, patch)).toEqual({ containers: [{ name: 'c', image: 'c:1' }, ...containers] })
    expect(spec({ containers }, { '$setElementOrder/containers': named('b', 'a') })).toEqual({
      containers: containers.toReversed(),
    })
  })

  test('$setElementOrder works with elements to delete and lists that are not there', () => {
    const patch = { '$setElementOrder/containers': named('b'), containers: [{ $patch: 'delete', name: 'a' }] }
    expect(spec({ containers }, patch)).toEqual({ containers: [containers[1]] })
    expect(spec({}, { '$setElementOrder/containers': named('b') })).toEqual({})
    expect(spec({}, { '$setElementOrder/containers': named('b'), containers: named('b') })).toEqual({
      containers: named('b'),
    })
  })

  test('$setElementOrder refuses a patch in another order', () => {
    const patch = { spec: { '$setElementOrder/containers': named('a', 'b'), containers: named('b', 'a') } }
    expect(statusOf({ spec: { containers } }, patch).message).toBe(
      "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    )
    expect(statusOf({}, { $setElementOrder: [] })).toMatchObject({
      code: 400,
      message: 'invalid patch format of setElementOrder list',
    })
  })
})

describe('strategic merge of other lists', () => {
  test('an atomic list is replaced', () => {
    expect(spec({ tolerations: [{ key: 'a' }, { key: 'b' }] }, { tolerations: [{ key: 'c' }] })).toEqual({
      tolerations: [{ key: 'c' }],
    })
    expect(
      spec({ containers: [{ name: 'a', args: ['x', 'y'] }] }, { containers: [{ name: 'a', args: ['z'] }] }),
    ).toEqual({
      containers: [{ name: 'a', args: ['z'] }],
    })
  })

  test('scalars with the strategy merge become a set', () => {
    expect(metadata({ finalizers: ['a', 'b'] }, { finalizers: ['b', 'c'] })).toEqual({ finalizers: ['a', 'b', 'c'] })
    expect(metadata({ finalizers: ['a', 'b'] }, { finalizers: ['c'] })).toEqual({ finalizers: ['c', 'a', 'b'] })
  })

  test('$deleteFromPrimitiveList removes scalars', () => {
    const patch = { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] }
    expect(metadata({ finalizers: ['a', 'b', 'a'] }, patch)).toEqual({ finalizers: ['b'] })
    expect(metadata({}, patch)).toEqual({})
    expect(statusOf({}, { metadata: {}, $deleteFromPrimitiveList: [] })).toMatchObject({
      code: 400,
      message: 'invalid patch format of primitive list',
    })
  })

  test('the three directives of a list of scalars work together', () => {
    const patch = {
      '$deleteFromPrimitiveList/finalizers': ['a'],
      '$setElementOrder/finalizers': ['c', 'b'],
      finalizers: ['c'],
    }
    expect(metadata({ finalizers: ['a', 'b'] }, patch)).toEqual({ finalizers: ['c', 'b'] })
  })
})

test('a field that the struct does not have is refused where both sides hold it', () => {
  expect(statusOf({ spec: { foo: {} } }, { spec: { foo: { a: 1 } } })).toMatchObject({
    code: 500,
    message: 'unable to find api field in struct PodSpec for the json field "foo"',
  })
})

test('a patch that is not an object is refused with 400', () => {
  expect(statusOf({}, [])).toMatchObject({
    code: 400,
    message: 'json: cannot unmarshal array into Go value of type map[string]interface {}',
  })
})

describe('for any pod', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const small = fc.record(
    { image: fc.constantFrom('x:1', 'x:2'), tty: fc.boolean(), args: fc.array(name) },
    { requiredKeys: [] },
  )
  const containers = fc
    .uniqueArray(fc.tuple(name, small), { selector: ([key]) => key })
    .map((pairs) => pairs.map(([key, rest]) => ({ ...rest, name: key })))
  const labels = fc.dictionary(name, fc.option(name), { maxKeys: 3 })
  const finalizers = fc.uniqueArray(name)
  const pods = fc.record({
    metadata: fc.record({ labels, finalizers }, { requiredKeys: [] }),
    spec: fc.record({ containers }),
  })

  test('a patch of {} is the identity', () => {
    fc.assert(
      fc.property(pods, (original) => {
        expect(merge(original, {})).toEqual(original)
      }),
    )
  })

  test('a patch applied again changes nothing more', () => {
    fc.assert(
      fc.property(pods, pods, (original, patch) => {
        const once = merge(original, patch)
        expect(merge(once, patch)).toEqual(once)
      }),
    )
  })

  test('$patch: replace gives the patch', () => {
    fc.assert(
      fc.property(pods, pods, (original, patch) => {
        expect(merge(original, { $patch: 'replace', ...patch })).toEqual(patch)
      }),
    )
  })

  test('the elements of patch and object are all there, once', () => {
    fc.assert(
      fc.property(pods, pods, (original, patch) => {
        const result = (merge(original, patch)['spec'] as { containers: { name: string }[] }).containers.map(
          (one) => one.name,
        )
        const expected = new Set([...original.spec.containers, ...patch.spec.containers].map((one) => one.name))
        expect(result.toSorted()).toEqual([...expected].toSorted())
      }),
    )
  })
})
