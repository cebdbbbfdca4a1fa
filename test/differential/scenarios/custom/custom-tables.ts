import { defined, definition, instance, resource, undefine, version } from '../../compared-definition.ts'
import { at, create, type Scenario, type Step } from '../../scenario.ts'

type Tree = Readonly<Record<string, unknown>>

const widgets = resource('widgets')
const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const start = (columns: readonly Tree[]): readonly Step[] =>
  defined(definition('Widget', [version('v1', open, { additionalPrinterColumns: columns })]), 'widgets')
const end: readonly Step[] = [undefine('widgets')]
const table = (name?: string, query = '', accept = TABLE.accept): Step => ({
  method: 'GET',
  path: at(widgets, name) + query,
  headers: { accept },
})
const column = (type: string, jsonPath: string, more: Tree = {}): Tree => ({
  name: `${type} ${jsonPath}`,
  type,
  jsonPath,
  ...more,
})
const types = ['string', 'integer', 'number', 'boolean', 'date']

export const scenarios: readonly Scenario[] = [
  {
    name: 'without columns of its own a table tells names and ages',
    steps: [
      ...start([]),
      create(widgets, instance('Widget', 'a')),
      table(),
      table('a'),
      table('absent'),
      table(undefined, '?includeObject=None'),
      table(undefined, '?includeObject=Object'),
      table('a', '?includeObject=Metadata'),
      table('a', '?includeObject=Some'),
      table(undefined, '?limit=1'),
      { ...create(widgets, instance('Widget', 'b')), headers: TABLE },
      table(undefined, '', 'application/json;as=Table;g=meta.k8s.io;v=v1beta1'),
      table(undefined, '', 'application/json;as=Table;g=meta.k8s.io;v=v2'),
      table(undefined, '', 'application/json;as=Table;g=meta.k8s.io;v=v2,application/json'),
      table(undefined, '', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'),
      table('a', '', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'),
      table(undefined, '', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'),
      ...end,
    ],
  },
  {
    name: 'columns show values of their types',
    steps: [
      ...start([
        ...types.map((type) => column(type, '.spec.value')),
        column('string', '.spec.value.deep', { description: 'deep', format: 'password', priority: 1 }),
        column('string', '.spec.list[*].a'),
        column('string', '.spec.list[0].a'),
        column('string', '.spec.list[?(@.a=="y")].b'),
        column('string', '.spec.list'),
        column('string', '.metadata.labels'),
        column('string', '.metadata.labels.app\\.kubernetes\\.io/name'),
        column('string', '.metadata.name'),
        column('date', '.metadata.creationTimestamp'),
        column('string', '.spec..deep'),
        column('string', '.spec.a['),
        column('integer', '.spec.list[*].n'),
        column('string', '.'),
      ]),
      create(widgets, instance('Widget', 'nothing')),
      ...[
        'x',
        1,
        -7,
        1.5,
        1e21,
        true,
        false,
        '2020-01-01T00:00:00Z',
        '2999-01-01T00:00:00Z',
        '3',
        { deep: 'd' },
        { deep: { deeper: 'e' } },
        ['a', 1],
        [],
        {},
        '',
      ].map((value, index) => create(widgets, instance('Widget', `value-${index}`, { spec: { value } }))),
      create(widgets, {
        ...instance('Widget', 'list', {
          spec: { list: [{ a: 'x', b: 'q', n: 1 }, { a: 'y', b: 'p', n: 2 }, { n: '3' }] },
        }),
        metadata: { name: 'list', labels: { 'app.kubernetes.io/name': 'z' } },
      }),
      table(),
      table('list'),
      ...end,
    ],
  },
]
