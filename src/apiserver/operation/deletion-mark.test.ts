import { describe, expect, test } from 'vitest'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import { markDeleted } from './deletion-mark.ts'

const NOW = Date.parse('2026-01-01T00:01:00.500Z')
const MARKED = { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 0 }

const object = (metadata: ObjectMeta, more: Readonly<Record<string, unknown>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...more,
})

const mark = (old: KubeObject, asked: Parameters<typeof markDeleted>[2] = {}, bucket = 'configmaps') =>
  markDeleted(old, bucket, asked, NOW)

describe('an object', () => {
  test('that nothing keeps is gone as it was', () => {
    const old = object({ generation: 1 })
    expect(mark(old)).toEqual({ object: old, gone: true })
  })

  test('with finalizers is marked, which counts as a change of it', () => {
    expect(mark(object({ finalizers: ['a.test/x'], generation: 4 })).object.metadata).toEqual({
      name: 'a',
      generation: 5,
      ...MARKED,
      finalizers: ['a.test/x'],
    })
  })

  test('whose dependents are waited for is marked', () => {
    const { object: marked, gone } = mark(object({}), { propagationPolicy: 'Foreground' })
    expect([marked.metadata, gone]).toEqual([{ name: 'a', ...MARKED, finalizers: ['foregroundDeletion'] }, false])
  })

  test('that is marked stays the very same when nothing else is asked', () => {
    const old = object({ ...MARKED, finalizers: ['foregroundDeletion', 'a.test/x'] })
    expect(mark(old).object).toBe(old)
    expect(mark(old, { propagationPolicy: 'Foreground', gracePeriodSeconds: 9 }).object).toBe(old)
  })

  test('that is marked can be deleted in another way', () => {
    const old = object({ ...MARKED, finalizers: ['foregroundDeletion', 'a.test/x'] })
    expect(mark(old, { propagationPolicy: 'Orphan' })).toEqual({
      object: object({ ...MARKED, finalizers: ['a.test/x', 'orphan'] }),
      gone: false,
    })
    const waiting = object({ ...MARKED, finalizers: ['foregroundDeletion'] })
    expect(mark(waiting, { propagationPolicy: 'Background' }).gone).toBe(true)
  })
})

describe('a pod', () => {
  const pod = (metadata: ObjectMeta, nodeName = 'n'): KubeObject =>
    object(metadata, { spec: { nodeName, terminationGracePeriodSeconds: 30 } })

  test('gets its time', () => {
    expect(mark(pod({ generation: 1 }), {}, 'pods')).toEqual({
      object: pod({ generation: 2, deletionTimestamp: '2026-01-01T00:01:30Z', deletionGracePeriodSeconds: 30 }),
      gone: false,
    })
  })

  test('that runs nowhere is gone, and its last state says when', () => {
    expect(mark(pod({}, ''), {}, 'pods')).toEqual({ object: pod(MARKED, ''), gone: true })
  })

  test.each([
    [undefined, 30, '00:01:20'],
    [30, 30, '00:01:20'],
    [31, 30, '00:01:20'],
    [10, 10, '00:01:00'],
    [-7, 1, '00:00:51'],
  ])('that has 30 seconds left since 00:00:50 and is to go in %j has %i until %s', (asked, grace, end) => {
    const old = pod({ generation: 2, deletionTimestamp: '2026-01-01T00:01:20Z', deletionGracePeriodSeconds: 30 })
    const { object: marked, gone } = mark(old, asked === undefined ? {} : { gracePeriodSeconds: asked }, 'pods')
    expect([
      marked.metadata.deletionGracePeriodSeconds,
      marked.metadata.deletionTimestamp,
      marked.metadata.generation,
      gone,
    ]).toEqual([grace, `2026-01-01T${end}Z`, 2, false])
  })

  test('that has time left goes at once when asked', () => {
    const old = pod({ deletionTimestamp: '2026-01-01T00:01:20Z', deletionGracePeriodSeconds: 30 })
    expect(mark(old, { gracePeriodSeconds: 0 }, 'pods').gone).toBe(true)
  })

  test('whose time runs takes no other finalizers', () => {
    const old = pod({ deletionTimestamp: '2026-01-01T00:01:20Z', deletionGracePeriodSeconds: 30 })
    expect(mark(old, { propagationPolicy: 'Orphan' }, 'pods').object).toBe(old)
  })

  test('whose time is through waits for finalizers only', () => {
    const old = pod({ ...MARKED, finalizers: ['orphan'] })
    expect(mark(old, { propagationPolicy: 'Background' }, 'pods').gone).toBe(true)
    expect(mark(old, {}, 'pods')).toEqual({ object: old, gone: false })
  })
})

describe('a namespace', () => {
  const namespace = (metadata: ObjectMeta, finalizers: readonly string[], phase: string): KubeObject =>
    object(metadata, { spec: { finalizers }, status: { phase } })

  test('is marked as ending, and stays', () => {
    expect(mark(namespace({}, ['kubernetes'], 'Active'), {}, 'namespaces')).toEqual({
      object: namespace({ deletionTimestamp: MARKED.deletionTimestamp }, ['kubernetes'], 'Terminating'),
      gone: false,
    })
  })

  test('is marked once', () => {
    const old = namespace({ deletionTimestamp: MARKED.deletionTimestamp }, ['kubernetes'], 'Terminating')
    expect(mark(old, { propagationPolicy: 'Foreground' }, 'namespaces')).toEqual({ object: old, gone: false })
  })

  test('without contents goes like any object', () => {
    const emptied = { deletionTimestamp: MARKED.deletionTimestamp }
    expect(mark(namespace(emptied, [], 'Terminating'), {}, 'namespaces').gone).toBe(true)
    expect(mark(namespace({ ...emptied, finalizers: ['a.test/x'] }, [], 'Terminating'), {}, 'namespaces').gone).toBe(
      false,
    )
  })
})
