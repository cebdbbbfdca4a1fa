import { describe, expect, test } from 'vitest'
import type { ScopeRequirement } from '../../../kinds/resource-quota/resource-quota.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { type Attributes, type Evaluator, ScopeError } from '../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/table.ts'
import { concernedNames } from './concerned-names.ts'
import { QuotaRule } from './quota-rule.ts'

const measuring = { now: 0 }

function evaluatorOf(resource: string): Evaluator {
  const found = QUOTA_EVALUATORS.of({ group: '', resource })
  if (found === undefined) throw new Error(`${resource} are not charged`)
  return found
}

const PODS = evaluatorOf('pods')
const podOf = (resources: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n' },
  spec: { containers: [{ name: 'c', resources }] },
})
const attributesOf = (object: KubeObject, more: Partial<Attributes> = {}): Attributes => ({
  group: '',
  resource: 'pods',
  subresource: '',
  operation: 'CREATE',
  name: 'p',
  namespace: 'n',
  object,
  dryRun: false,
  ...more,
})
const ruleOf = (names: readonly string[], scopes: readonly ScopeRequirement[] = []): QuotaRule =>
  new QuotaRule(names, scopes, QUOTA_EVALUATORS)
const concerned = (names: readonly string[], resources: JsonObject, more: Partial<Attributes> = {}): unknown =>
  concernedNames(ruleOf(names), PODS, attributesOf(podOf(resources), more), measuring).toSorted()

describe('a request may be refused for the limits', () => {
  test.each<readonly [string, readonly string[], JsonObject, readonly string[]]>([
    ['of what it uses', ['pods', 'requests.cpu', 'secrets'], { requests: { cpu: '1' } }, ['pods', 'requests.cpu']],
    ['of what it lacks', ['limits.memory', 'pods'], { requests: { memory: '1' } }, ['limits.memory', 'pods']],
    ['of no amount of zero', ['requests.cpu', 'requests.example.com/gpu'], { requests: { cpu: '0' } }, []],
    ['under each name once', ['cpu', 'requests.cpu'], { requests: { cpu: '1' } }, ['cpu', 'requests.cpu']],
    ['of other kinds never', ['secrets', 'services'], { requests: { cpu: '1' } }, []],
  ])('%s', (_, names, resources, expected) => {
    expect(concerned(names, resources)).toEqual(expected)
  })

  test('never when it deletes, and never when its kind of write is not charged', () => {
    expect(concerned(['pods'], {}, { operation: 'DELETE' })).toEqual([])
    expect(concerned(['pods'], {}, { subresource: 'eviction' })).toEqual([])
    const anything: Evaluator = { ...PODS, handles: () => true }
    const gone = attributesOf(podOf({}), { operation: 'DELETE' })
    expect(concernedNames(ruleOf(['pods']), anything, gone, measuring)).toEqual([])
  })

  test('of a kind that demands no values by what it uses alone', () => {
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' } }
    const attributes = attributesOf(secret, { resource: 'secrets' })
    expect(concernedNames(ruleOf(['pods', 'secrets']), evaluatorOf('secrets'), attributes, measuring)).toEqual([
      'secrets',
    ])
  })

  test('and of a negative amount', () => {
    const negative: Evaluator = { ...PODS, usage: () => ({ pods: Quantity.of(-1) }) }
    expect(concernedNames(ruleOf(['pods']), negative, attributesOf(podOf({})), measuring)).toEqual(['pods'])
  })
})

describe('an object that cannot be measured', () => {
  const names = ['pods', 'requests.cpu', 'secrets']
  const failing = (error: Error): Evaluator => ({
    ...PODS,
    usage: () => {
      throw error
    },
  })
  const of = (error: Error): unknown =>
    concernedNames(ruleOf(names), failing(error), attributesOf(podOf({})), measuring)

  test('may be refused for each limit of its kind', () => {
    expect(concerned(names, { requests: { cpu: 'x' } })).toEqual(['pods', 'requests.cpu'])
    expect(of(new ScopeError('no selector'))).toEqual(['pods', 'requests.cpu'])
  })

  test('by an error of another kind is an error', () => {
    expect(() => of(new TypeError('broken'))).toThrow(TypeError)
  })

  test('is not measured where the quota limits nothing of its kind', () => {
    const attributes = attributesOf(podOf({}))
    expect(concernedNames(ruleOf(['secrets']), failing(new TypeError('broken')), attributes, measuring)).toEqual([])
  })
})
