import type { KubeObject } from '../../machinery/object.ts'
import { expect, test } from 'vitest'
import { hooksFor } from './asked/offered-hooks.ts'
import { formerHooks } from './former-hooks.ts'
import { EVERYWHERE, type OperatorHook, webhookConfiguration } from './configuration.ts'

const FOLLOWING = {
  phase: 'validating',
  name: 'counts.example.test',
  path: '/counts',
  sideEffects: 'NoneOnDryRun',
} as const
const OTHER: OperatorHook = {
  phase: 'validating',
  name: 'guard.example.test',
  path: '/guard',
  rules: [{ groups: [''], resources: ['things'], operations: ['DELETE'] }],
}
const asked = (resource: string, ...namespaces: readonly string[]) => ({
  key: resource,
  rules: [{ groups: [''], versions: ['v1'], resources: [resource], operations: ['CREATE', 'UPDATE'] as const }],
  namespaces: new Set(namespaces),
})
const ADDRESS = { url: 'https://today/' }

/** The rules and namespaces that a configuration asks about at a path. */
const askedAt = (configuration: ReturnType<typeof webhookConfiguration>, url: string): readonly unknown[] =>
  configuration.webhooks
    .filter(({ clientConfig }) => (clientConfig as { readonly url: string }).url === url)
    .map((entry) => ({ ...entry, name: undefined }))

test('former webhooks ask about the same, at the address and with the authorities of today, and each has a name of its own', () => {
  const hook = {
    ...FOLLOWING,
    rules: [],
    asked: [asked('maps', 'a', 'b'), asked('pods', 'a'), asked('nodes', EVERYWHERE)],
    conditions: [{ name: 'c', expression: 'true' }],
  }
  const hooks = hooksFor([hook, OTHER], { matchConditions: true, labelsNamespaces: true })
  expect(hooks.length).toBeGreaterThan(3)
  const stored = webhookConfiguration('validating', hooks, { url: 'https://before/' }, 'authority of before')
  const former = formerHooks(stored as KubeObject, 'validating', [FOLLOWING])
  const kept = webhookConfiguration('validating', [...hooks, ...former], ADDRESS, 'authority')
  const names = kept.webhooks.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const now = webhookConfiguration('validating', hooks, ADDRESS, 'authority')
  expect(askedAt(webhookConfiguration('validating', former, ADDRESS, 'authority'), 'https://today/counts')).toEqual(
    askedAt(now, 'https://today/counts'),
  )
  // The webhooks that follow nothing are those of today.
  expect(former.map(({ path }) => path)).toEqual(former.map(() => '/counts'))
  // Those that are kept once more do not pile up.
  expect(formerHooks(kept as KubeObject, 'validating', [FOLLOWING])).toEqual(former)
})
