import type { HookScenario, TestHook } from '../hook-pair.ts'
import { deny, one } from './hook-steps.ts'

const FAILURES: readonly (readonly [string, TestHook])[] = [
  ['hangs', { name: 'a.hook.test', kind: 'validating', reply: () => ({ hang: true }), more: { timeoutSeconds: 1 } }],
  [
    'is not there',
    { name: 'a.hook.test', kind: 'validating', more: { clientConfig: { url: 'https://127.0.0.1:1/x' } } },
  ],
  [
    'has no service',
    {
      name: 'a.hook.test',
      kind: 'validating',
      more: { clientConfig: { service: { name: 'x', namespace: 'WORD', path: '/y' } } },
    },
  ],
  [
    'has a certificate of others',
    { name: 'a.hook.test', kind: 'validating', more: (url) => ({ clientConfig: { url } }) },
  ],
  ['answers 500', { name: 'a.hook.test', kind: 'validating', reply: () => ({ status: 500, text: 'boom' }) }],
  ['denies', { name: 'a.hook.test', kind: 'validating', reply: deny() }],
]

export const failed: readonly HookScenario[] = (['validating', 'mutating'] as const).flatMap((kind) =>
  ['Fail', 'Ignore'].flatMap((failurePolicy) =>
    FAILURES.map(([what, failing]) => ({
      name: `a ${kind} webhook of the policy ${failurePolicy} ${what}`,
      hooks: [
        {
          ...failing,
          kind,
          more: (url: string) => ({
            failurePolicy,
            ...(typeof failing.more === 'function' ? failing.more(url) : failing.more),
          }),
        },
      ],
      steps: one,
    })),
  ),
)
