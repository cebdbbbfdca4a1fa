import type { HookScenario } from '../hook-pair.ts'
import { create, MERGE_PATCH } from '../scenario.ts'
import { add, allow, deny, named, one, patched, pod, rules } from './hook-steps.ts'

export const several: readonly HookScenario[] = [
  {
    name: 'mutating webhooks see what those before them made',
    hooks: [
      named('b.hook.test', 'mutating', () => add('b')),
      named('a.hook.test', 'mutating', () => add('a1')),
      named('v.hook.test', 'validating', allow),
    ],
    steps: one,
  },
  {
    name: 'the first refusal of mutating webhooks ends it',
    hooks: [
      named('a.hook.test', 'mutating', deny({ message: 'a' })),
      named('b.hook.test', 'mutating', deny({ message: 'b' })),
    ],
    steps: one,
  },
  {
    name: 'validating webhooks are all asked',
    hooks: [named('a.hook.test', 'validating', deny({ message: 'same' })), named('b.hook.test', 'validating', allow)],
    steps: one,
  },
  {
    name: 'a webhook is asked again when another changed the object behind it',
    hooks: [
      named('a.hook.test', 'mutating', ({ request }) => add(`a${Object.keys(request.object.data).length}`), {
        reinvocationPolicy: 'IfNeeded',
      }),
      named('b.hook.test', 'mutating', ({ request }) => add(`b${Object.keys(request.object.data).length}`)),
      named('c.hook.test', 'mutating', allow, { reinvocationPolicy: 'IfNeeded' }),
    ],
    steps: one,
  },
  {
    name: 'a webhook is not asked again when nothing changed behind it',
    hooks: [
      named('a.hook.test', 'mutating', allow, { reinvocationPolicy: 'IfNeeded' }),
      named('b.hook.test', 'mutating', () => add('b'), { reinvocationPolicy: 'IfNeeded' }),
    ],
    steps: one,
  },
  {
    name: 'built-in admission sees again what webhooks changed',
    hooks: [
      named(
        'a.hook.test',
        'mutating',
        () => patched([{ op: 'add', path: '/spec/containers/-', value: { name: 'more', image: 'x' } }]),
        { rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] },
      ),
    ],
    before: [
      create('limitranges', {
        metadata: { name: 'l' },
        spec: { limits: [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] },
      }),
    ],
    steps: [create('pods', pod('p'))],
  },
  {
    name: 'a webhook changes the status',
    hooks: [
      named(
        'a.hook.test',
        'mutating',
        () =>
          patched([
            { op: 'add', path: '/status/message', value: 'mine' },
            { op: 'add', path: '/metadata/labels/x', value: 'y' },
            { op: 'add', path: '/spec/activeDeadlineSeconds', value: 5 },
          ]),
        rules('pods/status'),
      ),
    ],
    before: [create('pods', pod('p'))],
    steps: [
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/WORD/pods/p/status',
        type: MERGE_PATCH,
        body: { status: { phase: 'Running' } },
      },
    ],
  },
]
