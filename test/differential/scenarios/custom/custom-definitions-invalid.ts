import { definition, tried, GROUP, object, version } from '../../compared-definition.ts'
import type { Scenario, Step } from '../../scenario.ts'

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const named = (names: object): Step => tried(definition('Widget', [version('v1', open)], { names }))
const versions = (...list: readonly unknown[]): Step => tried(definition('Widget', list))
const inGroup = (group: string, annotations: object = {}): Step =>
  tried({
    ...definition('Widget', [version('v1', open)], { group }),
    metadata: { name: `widgets.${group}`, annotations },
  })
const columns = (...list: readonly unknown[]): Step =>
  tried(definition('Widget', [version('v1', open, { additionalPrinterColumns: list })]))
const scale = (paths: object): Step =>
  tried(definition('Widget', [version('v1', open, { subresources: { scale: paths } })]))
const conversion = (value: unknown): Step => tried(definition('Widget', [version('v1', open)], { conversion: value }))

export const scenarios: readonly Scenario[] = [
  {
    name: 'a definition that lacks what it needs is refused',
    steps: [
      tried({}),
      tried({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }),
      tried({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'widgets' } }),
      tried({ ...definition('Widget', []), spec: {} }),
      tried({ ...definition('Widget', [version('v1', open)]), metadata: { name: 'widgets' } }),
      tried({ ...definition('Widget', [version('v1', open)]), metadata: { name: `Widgets.${GROUP}` } }),
      tried(definition('Widget', [version('v1', open)], { scope: 'namespaced' })),
      tried(definition('Widget', [version('v1', open)], { scope: '' })),
      tried(definition('Widget', [version('v1', open)], { scope: 1 })),
      tried(definition('Widget', [version('v1', open)], { preserveUnknownFields: true })),
      tried(definition('Widget', 'v1')),
      tried({ ...definition('Widget', [version('v1', open)]), apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      tried({ ...definition('Widget', [version('v1', open)]), kind: 'Widget' }),
      tried('{'),
    ],
  },
  {
    name: 'a definition with bad names is refused',
    steps: [
      named({ plural: '', kind: '' }),
      named({ plural: 'Widgets', kind: 'Widget' }),
      named({ plural: 'widgets', kind: 'Widget', singular: 'Widget' }),
      named({ plural: 'widgets', kind: 'gem_stone' }),
      named({ plural: 'widgets', kind: 'Widget', listKind: 'Widget' }),
      named({ plural: 'widgets', kind: 'Widget', listKind: 'Widget.List' }),
      named({ plural: 'widgets', kind: 'Widget', shortNames: ['G', 'ok', ''] }),
      named({ plural: 'widgets', kind: 'Widget', categories: ['All', 'ok', 'a.b'] }),
      named({
        plural: 'wid.gets',
        kind: '1Widget',
        singular: '-',
        listKind: '_',
        shortNames: ['+'],
        categories: ['*'],
      }),
      named({ plural: 'widgets', kind: 'Widget', shortNames: ['g', 'g'] }),
    ],
  },
  {
    name: 'a definition in a bad group is refused',
    steps: [
      inGroup(''),
      inGroup('WORD'),
      inGroup('Word.example.com'),
      inGroup('WORD.k8s.io'),
      inGroup('WORD.kubernetes.io'),
      inGroup('WORD.k8s.io', { 'api-approved.kubernetes.io': 'yes' }),
      inGroup('WORD.k8s.io', { 'api-approved.kubernetes.io': '' }),
    ],
  },
  {
    name: 'a definition with bad versions is refused',
    steps: [
      versions(),
      versions({ name: 'v1' }),
      versions({ name: 'v1', served: true, storage: true }),
      versions({ name: 'v1', served: true, storage: true, schema: {} }),
      versions(version('v1', open, { storage: false })),
      versions(version('V1', open)),
      versions(version('1', open)),
      versions(version('', open)),
      versions(version('v1', open, { deprecationWarning: 'old' })),
      versions(version('v1', open, { deprecated: true, deprecationWarning: '' })),
      versions(version('v1', open, { deprecated: true, deprecationWarning: 'x'.repeat(257) })),
      versions(version('v1', open, { deprecated: true, deprecationWarning: 'a\nb' })),
      versions(version('v1', open), { name: 'v2', served: true, storage: false }),
      versions(version('v1', { type: 'object' }), version('V2', object({ a: { type: 'text' } }), { storage: false })),
      versions(version('v1', object({ a: {} })), version('v2', object({ b: {} }), { storage: false })),
    ],
  },
  {
    name: 'a definition with bad columns is refused',
    steps: [
      columns({}),
      columns({ name: 'A', type: 'string', jsonPath: '' }),
      columns({ name: 'A', type: 'text', jsonPath: '.spec.a' }),
      columns({ name: 'A', type: 'string', format: 'long', jsonPath: '.spec.a' }),
      columns({ name: 'A', type: 'string', jsonPath: 'spec.a' }),
      columns({ name: 'A', type: 'string', jsonPath: '.spec.a[' }),
      columns({ name: 'A', type: 'string', jsonPath: '.spec..a' }),
      columns({ name: 'A', type: 'string', jsonPath: '.spec.a}{.b' }),
      columns({ name: 'A', type: 'string', jsonPath: '{.spec.a}' }),
      columns(
        { name: 'A', type: 'string', jsonPath: '.spec.a[?(@.b=="c")].d' },
        { name: '', type: 'date', jsonPath: '.' },
      ),
      columns(
        { name: 'A', type: 'string', jsonPath: '.metadata.labels.a\\.b' },
        { name: 'A', type: '', jsonPath: "['a']" },
      ),
    ],
  },
  {
    name: 'a definition with bad paths of its scale is refused',
    steps: [
      scale({}),
      scale({ specReplicasPath: '.spec.replicas' }),
      scale({ specReplicasPath: 'spec.replicas', statusReplicasPath: '.status.replicas' }),
      scale({ specReplicasPath: '.replicas', statusReplicasPath: '.replicas' }),
      scale({ specReplicasPath: '.spec', statusReplicasPath: '.status' }),
      scale({ specReplicasPath: '.spec.a[0]', statusReplicasPath: '.status.a["b"]' }),
      scale({ specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', labelSelectorPath: '' }),
      scale({ specReplicasPath: '.spec.b', statusReplicasPath: '.status.b', labelSelectorPath: 'status.selector' }),
      scale({ specReplicasPath: '.spec.b', statusReplicasPath: '.status.b', labelSelectorPath: '.selector' }),
      scale({ specReplicasPath: '.spec.b', statusReplicasPath: '.spec.b', labelSelectorPath: '.metadata.a' }),
    ],
  },
  {
    name: 'a definition with a bad conversion is refused',
    steps: [
      conversion({}),
      conversion({ strategy: 'Some' }),
      conversion({ strategy: 'Webhook' }),
      conversion({ strategy: 'Webhook', webhook: {} }),
      conversion({ strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: [] } }),
      conversion({ strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } }),
      conversion({
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'http://a.b/c' }, conversionReviewVersions: ['v2'] },
      }),
      conversion({
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://a:b@c.d/e?f#g' }, conversionReviewVersions: ['v1', 'v1', 'V 3'] },
      }),
      conversion({
        strategy: 'Webhook',
        webhook: {
          clientConfig: { url: 'https://a.b', service: { name: 'a', namespace: 'b' } },
          conversionReviewVersions: ['v1'],
        },
      }),
      conversion({
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { name: '', namespace: '', path: 'x', port: 70000 } },
          conversionReviewVersions: ['v1'],
        },
      }),
      conversion({
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { name: 'a', namespace: 'b', path: '/x//y' } },
          conversionReviewVersions: ['v1'],
        },
      }),
      conversion({
        strategy: 'None',
        webhook: { clientConfig: { url: 'https://a.b' }, conversionReviewVersions: ['v1'] },
      }),
    ],
  },
]
