import { expect, test } from 'vitest'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import { admissionRequestShape, compileMatchCondition } from '../../../cel/match-condition.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import type { AnsweredHook } from '../../../operator/shell/registered-webhooks.ts'
import { poolHooks, type PoolHooksOptions } from './pool-hooks.ts'

const OPERATOR = `a "quoted" operator's name`

function hookOf(name: string, ownName?: string): AnsweredHook {
  const caches = {
    pools: { list: () => [poolOf('p', { quota: { hard: { cpu: '4' } } })] },
    namespaces: { get: () => ({ name: 'a', labels: { pool: 'p' } }) },
  } as unknown as PoolHooksOptions['caches']
  const hooks = poolHooks({
    client: {} as KubeClient,
    limits: { judge: async () => ({ errors: [], warnings: [] }) },
    clock: { now: () => Date.UTC(2026, 0, 1) },
    caches,
    ownName: () => ownName,
  })
  const found = hooks.find((hook) => hook.name === name)
  if (found === undefined) throw new Error(`the webhook ${name} is missing`)
  return found
}

interface Asked {
  readonly operation: string
  readonly object?: unknown
  readonly oldObject?: unknown
  readonly username?: string
}

/** Does the API server ask the webhook about this? */
function isAsked(
  { conditions = [] }: AnsweredHook,
  { operation, object, oldObject, username = 'somebody' }: Asked,
): boolean {
  return conditions.every(({ expression }) => {
    const { result } = compileMatchCondition(expression, admissionRequestShape()).run(
      { request: { operation, userInfo: { username } }, object: object ?? null, oldObject: oldObject ?? null },
      { maxCost: 1000 },
    )
    if ('error' in result) throw new Error(String(result.error), { cause: result.error })
    return result.value === true
  })
}

const plain = claimOf('c', { cpu: '1' }, { namespace: 'a' })
const annotated = (annotations: Readonly<Record<string, string>>, object: object = plain): object => ({
  ...object,
  metadata: { ...plain.metadata, annotations },
})
const withSpec = (spec: unknown): object => ({ ...plain, spec })

test.each<readonly [string, Asked, boolean]>([
  ['names its pool', { operation: 'CREATE', object: withSpec({ pool: 'p', claim: {} }) }, false],
  ['has other annotations', { operation: 'CREATE', object: annotated({ note: 'x' }) }, false],
  ['names no pool', { operation: 'CREATE', object: withSpec({ pool: '', claim: { cpu: '1' } }) }, true],
  ['leaves its pool out', { operation: 'CREATE', object: withSpec({ claim: { cpu: '1' } }) }, true],
  ['has no spec', { operation: 'CREATE', object: { ...plain, spec: undefined } }, true],
  ['has a spec of another type', { operation: 'CREATE', object: withSpec('p') }, true],
  ['names a pool of another type', { operation: 'CREATE', object: withSpec({ pool: 1, claim: {} }) }, true],
  ['has null for its pool', { operation: 'CREATE', object: withSpec({ pool: null, claim: {} }) }, true],
  ['has null for annotations', { operation: 'CREATE', object: annotated(null as never) }, false],
  [
    'asks for a release when it is made',
    { operation: 'CREATE', object: annotated({ [RELEASE_ANNOTATION]: 'true' }) },
    true,
  ],
  [
    'asks for a release later',
    { operation: 'UPDATE', object: annotated({ [RELEASE_ANNOTATION]: 'true' }), oldObject: plain },
    false,
  ],
  ['names another pool', { operation: 'UPDATE', object: withSpec({ pool: 'q', claim: {} }), oldObject: plain }, false],
  [
    'names no pool any more',
    { operation: 'UPDATE', object: withSpec({ pool: '', claim: { cpu: '1' } }), oldObject: plain },
    true,
  ],
])('a claim that %s is sent to the mutating webhook where that could change it', async (_, asked, isSent) => {
  const hook = hookOf('resourcepoolclaims.mutating.projectcapsule.dev')
  expect(isAsked(hook, asked)).toBe(isSent)
  if (isSent) return
  const request = { ...asked, namespace: 'a' } as unknown as AdmissionRequest
  expect(await hook.handle(request, new AbortController().signal, 1000)).toMatchObject({ verdict: 'allowed' })
})

test.each(['generated-quotas.validating.allot.dev', 'generated-quotas-status.validating.allot.dev'])(
  'writes of the operator are not sent to %s, and those of all others are',
  (name) => {
    const asked = (username: string): Asked => ({ operation: 'UPDATE', object: plain, oldObject: plain, username })
    for (const one of [`${OPERATOR} `, 'a', '', 'system:admin', 'system:serviceaccount:allot-system:other'])
      expect(isAsked(hookOf(name, OPERATOR), asked(one)), one).toBe(true)
    expect(isAsked(hookOf(name, OPERATOR), asked(OPERATOR))).toBe(false)
    expect(isAsked(hookOf(name), asked(OPERATOR))).toBe(true)
  },
)
