// Covers built-in-strategies.ts, by recorded objects.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { builtInStrategies } from './built-in-strategies.ts'
import type { Strategy } from '../../kinds/strategy/strategy.ts'

interface Exchange {
  readonly name: string
  readonly request: { readonly method: string; readonly path: string; readonly body?: KubeObject }
  readonly expect: { readonly status: number; readonly object?: KubeObject; readonly statusObject?: JsonObject }
}

const read = (file: string): readonly Exchange[] =>
  JSON.parse(readFileSync(new URL(`../../../test/golden/${file}.json`, import.meta.url), 'utf8')) as Exchange[]

/** `pods`, `deployments.apps` from the path of a create. */
function resourceOf(path: string): string {
  const parts = path
    .split('?')[0]!
    .split('/')
    .filter((part) => part !== '')
  const group = parts[0] === 'api' ? '' : `.${parts[1]}`
  return parts.at(-1)! + group
}

/** Returns the object that an API server would store, without admission. */
function created(strategy: Strategy, body: KubeObject): KubeObject {
  const decoded = { ...body, metadata: { uid: 'b7f0', namespace: 'golden', ...body.metadata } }
  const defaulted = strategy.defaults?.(decoded) ?? decoded
  return strategy.prepareForCreate?.(defaulted, { now: '2026-11-21T00:00:00Z' }) ?? defaulted
}

/** Fields that admission fills. */
const ADMITTED = new Set(['serviceAccountName', 'priority', 'preemptionPolicy'])

function subset(expected: unknown, actual: unknown, path: string): readonly string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [path]
    return expected.flatMap((value, index) => subset(value, actual[index], `${path}[${index}]`))
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return [path]
    return Object.entries(expected).flatMap(([key, value]) =>
      ADMITTED.has(key) ? [] : subset(value, actual[key], `${path}.${key}`),
    )
  }
  if (typeof expected === 'string' && expected.includes('*')) return []
  return Object.is(expected, actual) ? [] : [`${path}: ${JSON.stringify(expected)} ≠ ${JSON.stringify(actual)}`]
}

for (const file of ['exchanges', 'pools', 'custom-quotas', 'increases', 'queue']) {
  const creates = read(file).filter(
    ({ request, expect: answer }) =>
      request.method === 'POST' &&
      answer.status === 201 &&
      isObject(request.body) &&
      resourceOf(request.path) in builtInStrategies,
  )
  describe(`the objects that a real server made of the creates of ${file}.json`, () => {
    test.each(creates.map((one) => [one.name, one] as const))('%s', (_, { request, expect: answer }) => {
      const strategy = builtInStrategies[resourceOf(request.path)]!
      const object = created(strategy, request.body!)
      expect(strategy.validate?.(object) ?? []).toEqual([])
      expect(subset(answer.object ?? {}, object, resourceOf(request.path))).toEqual([])
    })
  })
}

describe('quotas that a real server refused', () => {
  const refused = read('exchanges').filter(
    ({ request, expect: answer }) =>
      request.method === 'POST' && answer.status === 422 && resourceOf(request.path) === 'resourcequotas',
  )
  test.each(refused.map((one) => [one.name, one] as const))('%s', (_, { request, expect: answer }) => {
    const quotas = builtInStrategies.resourcequotas!
    const causes = (answer.statusObject!.details as JsonObject).causes as readonly JsonObject[]
    const errors = quotas.validate!(created(quotas, request.body!))
    expect(errors.map(({ code, path }) => ({ code, path }))).toEqual(
      causes.map(({ reason, field }) => ({ code: reason, path: field })),
    )
  })
})
