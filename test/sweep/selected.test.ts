import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/machinery/object.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { excess } from '../growth.ts'

const NAMESPACE = 'selected'
const CORE = `/api/v1/namespaces/${NAMESPACE}`
const BUDGETS = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`
/** So many terms for each pod: where both grow eightfold, their product grows 64-fold. */
const TERMS = 10

let plane: InProcess
/** A pod on a node that nobody runs, as the server completes it. */
let pod: JsonObject
beforeAll(async () => {
  plane = await startInProcess({ store: { freeze: false }, workloads: true })
  await must('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  const spec = { nodeName: 'elsewhere', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] }
  pod = (await plane.send('POST', `${CORE}/pods?dryRun=All`, { metadata: { name: 'p' }, spec })).body
})
afterAll(() => plane.stop())

async function must(method: string, path: string, body?: JsonObject, type = 'application/json'): Promise<void> {
  const answer = await plane.send(method, path, body, { 'content-type': type })
  expect([path.slice(0, 200), answer.status, answer.body?.message]).toEqual([
    path.slice(0, 200),
    expect.toSatisfy((code: number) => code < 300),
    undefined,
  ])
}

const many = <T>(count: number, of: (n: number) => T): readonly T[] => Array.from({ length: count }, (_, n) => of(n))

async function withPods(count: number, run: () => Promise<void>): Promise<void> {
  const keys = many(count, (n) => `${NAMESPACE}/p${n}`)
  await plane.store.commit(
    keys.map((key, n) => ({
      type: 'put',
      bucket: 'pods',
      key,
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        spec: pod['spec'],
        status: { phase: 'Running' },
        metadata: { name: `p${n}`, namespace: NAMESPACE, uid: randomUUID(), labels: { app: 'x', l0: 'y' } },
      },
    })),
  )
  try {
    await run()
  } finally {
    await plane.store.commit(keys.map((key) => ({ type: 'delete', bucket: 'pods', key })))
  }
}

const EXPRESSIONS: Readonly<Record<string, (n: number) => JsonObject>> = {
  DoesNotExist: (n) => ({ key: `z${n}`, operator: 'DoesNotExist' }),
  NotIn: (n) => ({ key: 'l0', operator: 'NotIn', values: [`w${n}`] }),
  In: (n) => ({ key: 'l0', operator: 'In', values: ['y', `w${n}`] }),
  Exists: () => ({ key: 'l0', operator: 'Exists' }),
}

describe('selectors with many terms', { timeout: 300_000 }, () => {
  test.each(Object.keys(EXPRESSIONS))(
    'of a budget count many pods, and each that is written, in linear time: %s',
    async (operator) => {
      const expression = EXPRESSIONS[operator] ?? ((): JsonObject => ({}))
      const run = (count: number): Promise<void> =>
        withPods(count, async () => {
          const selector = { matchExpressions: many(count * TERMS, expression) }
          await must('POST', BUDGETS, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector } })
          await plane.until(`${BUDGETS}/b`, ({ status }) => status.expectedPods === count)
          for (const n of many(20, (at) => at))
            await must(
              'PATCH',
              `${CORE}/pods/p${n}`,
              { metadata: { labels: { n: '1' } } },
              'application/merge-patch+json',
            )
          await must(
            'PATCH',
            `${CORE}/pods/p0`,
            { metadata: { labels: { l0: 'w0', z0: '' } } },
            'application/merge-patch+json',
          )
          await must('DELETE', `${BUDGETS}/b`)
        })
      expect(await excess(run, 80, 0)).toBeUndefined()
    },
  )

  const QUERIES: Readonly<Record<string, (count: number) => string>> = {
    labelSelector: (count) => [...many(count, (n) => `!z${n}`), 'zzz'].join(','),
    'labelSelector of one label': (count) => [...many(count, (n) => `l0!=w${n}`), 'zzz'].join(','),
    fieldSelector: (count) => [...many(count, (n) => `metadata.name!=w${n}`), 'spec.nodeName=none'].join(','),
  }
  test.each(Object.keys(QUERIES))('of a list are asked of many objects in linear time: %s', async (name) => {
    const query = QUERIES[name] ?? String
    const [parameter = ''] = name.split(' ')
    const run = (count: number): Promise<void> =>
      withPods(count, () => must('GET', `${CORE}/pods?${parameter}=${encodeURIComponent(query(count * TERMS))}`))
    expect(await excess(run, 150, 0)).toBeUndefined()
  })
})
