import type { HookScenario } from '../hook-pair.ts'
import { type Answers, MERGE_PATCH, type Step } from '../scenario.ts'
import { allow, deny, hook, patched } from './hook-steps.ts'

const WIDGETS = '/apis/WORD.test/v1/namespaces/WORD/widgets'

const widget = (more: object = {}, version = 'v1'): object => ({
  apiVersion: `WORD.test/${version}`,
  kind: 'Widget',
  metadata: { name: 'w' },
  ...more,
})

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { n: { type: 'integer', default: 1 }, text: { type: 'string' } } },
        status: { type: 'object', properties: { n: { type: 'integer' } } },
      },
    },
  },
})

const define: readonly Step[] = [
  {
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: 'widgets.WORD.test' },
      spec: {
        group: 'WORD.test',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [version('v1', true), version('v2', false)],
      },
    },
  },
  { method: 'GET', path: WIDGETS, eventually: true },
  { method: 'GET', path: WIDGETS.replace('v1', 'v2'), eventually: true },
]

const undefine: Step = {
  method: 'DELETE',
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.WORD.test',
}

const ofWidgets = (versions: string): object => ({
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: [versions], resources: ['widgets', 'widgets/*'] }],
})

export const custom: readonly HookScenario[] = (['validating', 'mutating'] as const).flatMap((kind) => [
  {
    name: `custom resources, as a ${kind} webhook sees them`,
    hooks: [hook(kind, allow, ofWidgets('v1'))],
    before: define,
    steps: [
      { method: 'POST', path: WIDGETS, body: widget({ spec: { text: 'x' } }), name: 'made' },
      {
        method: 'PUT',
        path: `${WIDGETS}/w`,
        body: (answers: Answers) => ({ ...widget({ spec: { text: 'y' } }), metadata: answers['made']?.body.metadata }),
      },
      { method: 'PATCH', path: `${WIDGETS}/w`, type: MERGE_PATCH, body: { spec: { n: 2 } } },
      { method: 'PATCH', path: `${WIDGETS}/w/status`, type: MERGE_PATCH, body: { status: { n: 2 } } },
      { method: 'PATCH', path: `${WIDGETS}/w/scale`, type: MERGE_PATCH, body: { spec: { replicas: 3 } } },
      { method: 'PATCH', path: `${WIDGETS.replace('v1', 'v2')}/w`, type: MERGE_PATCH, body: { spec: { n: 4 } } },
      { method: 'DELETE', path: `${WIDGETS.replace('v1', 'v2')}/w` },
      undefine,
    ],
  },
  {
    name: `a ${kind} webhook denies and patches custom resources`,
    hooks: [
      hook(
        kind,
        ({ request }) =>
          request.object?.spec.text === 'no'
            ? deny({ message: 'no' })()
            : kind === 'validating'
              ? {}
              : patched([
                  { op: 'add', path: '/spec/n', value: 7 },
                  { op: 'add', path: '/spec/unknown', value: 7 },
                ]),
        ofWidgets('*'),
      ),
    ],
    before: define,
    steps: [
      { method: 'POST', path: WIDGETS, body: widget({ spec: { text: 'no' } }) },
      { method: 'POST', path: WIDGETS, body: widget({ spec: { text: 'x' } }) },
      undefine,
    ],
  },
  {
    name: `a ${kind} webhook makes custom resources that are wrong`,
    hooks: [
      hook(
        kind,
        () => (kind === 'mutating' ? patched([{ op: 'add', path: '/spec/n', value: 'x' }]) : {}),
        ofWidgets('v1'),
      ),
    ],
    before: define,
    steps: [{ method: 'POST', path: WIDGETS, body: widget({ spec: { text: 'x' } }) }, undefine],
  },
])
