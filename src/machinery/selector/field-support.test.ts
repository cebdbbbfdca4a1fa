import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import { parseFieldQuery } from './field-query.ts'
import { builtInFieldSupport, compileFieldQuery, customFieldSupport, supportedFieldQuery } from './field-support.ts'
import type { FieldSupport } from './field-support.ts'

const FILE = 'kubernetes/selectors.json'

interface Case {
  readonly kind: string
  readonly fields: readonly string[]
  readonly rewritten?: Readonly<Record<string, string>>
  readonly unknown: string
}

function supportOf(kind: string): FieldSupport {
  if (kind === 'custom resources') return customFieldSupport(true, ['.spec.color'])
  if (kind.startsWith('every other')) return builtInFieldSupport('', 'ConfigMap')
  const [name = '', where = ''] = kind.split(' ')
  return builtInFieldSupport(where.startsWith('(batch') ? 'batch' : '', name)
}

eachCase(
  FILE,
  vectors<{ fieldSelectorSupport: readonly Case[] }>(FILE).fieldSelectorSupport,
  (c) => `fieldSelectorSupport ${c.kind}`,
  (c) => {
    const support = supportOf(c.kind)
    const listed = c.fields.map((field) => (field.startsWith('spec.versions[]') ? 'spec.color' : field))
    expect([...support.fields].toSorted()).toEqual(listed.toSorted())
    expect(Object.fromEntries(support.renamed)).toEqual(c.rewritten ?? {})
    // The Job's text stands in the case with a remark on its version.
    const text = c.unknown.replace(' (1.20 text)', '').replace('<label>', 'x')
    expect(() => supportedFieldQuery(parseFieldQuery('x=1'), support)).toThrow(
      expect.objectContaining({ name: 'SelectorError', message: text }),
    )
  },
)

function fits(text: string, support: FieldSupport, object: Readonly<Record<string, unknown>>): boolean {
  return compileFieldQuery(supportedFieldQuery(parseFieldQuery(text), support), support)(object)
}

describe('matching objects', () => {
  const pod = { metadata: { name: 'a' }, spec: { nodeName: 'n' }, status: {} }

  test('an old name of a field is the new one', () => {
    expect(fits('spec.host=n', builtInFieldSupport('', 'Pod'), pod)).toBe(true)
  })

  test('an absent field is the empty text, a flag is false, a number is 0', () => {
    expect(fits('status.phase=,spec.hostNetwork=false', builtInFieldSupport('', 'Pod'), pod)).toBe(true)
    expect(fits('status.phase!=Running', builtInFieldSupport('', 'Pod'), pod)).toBe(true)
    expect(fits('status.successful=0', builtInFieldSupport('batch', 'Job'), {})).toBe(true)
    expect(fits('spec.unschedulable=true', builtInFieldSupport('', 'Node'), { spec: { unschedulable: true } })).toBe(
      true,
    )
  })

  test('a job is selected by how many of its pods succeeded', () => {
    expect(fits('status.successful=3', builtInFieldSupport('batch', 'Job'), { status: { succeeded: 3 } })).toBe(true)
  })

  test('an event without source is selected by its reporter', () => {
    const event = { reportingComponent: 'allot' }
    expect(fits('source=allot', builtInFieldSupport('', 'Event'), event)).toBe(true)
    expect(
      fits('source=kubelet', builtInFieldSupport('', 'Event'), { ...event, source: { component: 'kubelet' } }),
    ).toBe(true)
  })

  test('an event is selected in both of its forms by the same fields, under the names of the form', () => {
    const core = { involvedObject: { kind: 'Pod', name: 'p' }, reportingComponent: 'a', source: { component: 'b' } }
    const newer = {
      regarding: { kind: 'Pod', name: 'p' },
      reportingController: 'a',
      deprecatedSource: { component: 'b' },
    }
    const events = builtInFieldSupport('events.k8s.io', 'Event')
    expect(
      fits(
        'involvedObject.name=p,involvedObject.kind=Pod,reportingComponent=a,source=b',
        builtInFieldSupport('', 'Event'),
        core,
      ),
    ).toBe(true)
    expect(fits('regarding.name=p,regarding.kind=Pod,reportingController=a', events, newer)).toBe(true)
    expect(fits('regarding.name=q', events, newer)).toBe(false)
    for (const field of ['involvedObject.name', 'source'])
      expect(() => fits(`${field}=p`, events, newer)).toThrow(`field label not supported: ${field}`)
  })

  test('a field of a custom resource is what stands at its path, whatever built-in kinds mean by its name', () => {
    const custom = customFieldSupport(true, ['.status.successful', '.spec.hostNetwork'])
    expect(fits('status.successful=1', custom, { status: { successful: 1, succeeded: 2 } })).toBe(true)
    expect(fits('status.successful=,spec.hostNetwork=', custom, {})).toBe(true)
  })

  test('a custom resource of the cluster has no namespace to select by', () => {
    expect(() => fits('metadata.namespace=a', customFieldSupport(false), pod)).toThrow(
      /^field label not supported: metadata.namespace$/,
    )
  })
})
