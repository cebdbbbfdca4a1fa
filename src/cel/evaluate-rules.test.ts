import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../machinery/object.ts'
import { OBJECT_BUDGET, OBJECT_WORK, evaluateRules } from './evaluate-rules.ts'
import type { RulesOutcome, RuledValue } from './evaluate-rules.ts'
import { CelAuthorizer, ResourceCheck } from './types/authorization.ts'
import { admissionRequestShape, compileMatchCondition } from './match-condition.ts'
import { shapeOfSchema } from './types/schema-shape.ts'
import { compileRules } from './validation-rule.ts'
import type { CompiledRule, ValidationRule } from './validation-rule.ts'

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { replicas: { type: 'integer' }, max: { type: 'integer' }, text: { type: 'string' } },
}

const ruleOf = (rule: Partial<ValidationRule>): ValidationRule => ({
  rule: '',
  message: '',
  messageExpression: '',
  reason: '',
  fieldPath: '',
  optionalOldSelf: undefined,
  ...rule,
})

const compile = (rule: Partial<ValidationRule>): CompiledRule =>
  compileRules([ruleOf(rule)], shapeOfSchema(SCHEMA, false, 'selfType')!)[0]!

function evaluate(rule: Partial<ValidationRule>, value: unknown, place: Partial<RuledValue> = {}): RulesOutcome {
  return evaluateRules({
    rules: [compile(rule)],
    value,
    old: undefined,
    path: 'spec',
    pathOf: () => undefined,
    type: 'object',
    isUnchanged: () => false,
    budget: OBJECT_BUDGET,
    work: OBJECT_WORK,
    ...place,
  })
}

const details = ({ errors }: RulesOutcome): readonly string[] => errors.map(({ path, detail }) => `${path}: ${detail}`)

describe('rules are compiled with complaints, not errors', () => {
  test('a type error', () => {
    expect(compile({ rule: "self.replicas == 'a'" }).error).toBe(
      "compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(int, string)'\n" +
        " | self.replicas == 'a'\n | ..............^",
    )
  })

  test('a rule that is not a condition, and a message that is not a text', () => {
    expect(compile({ rule: 'self.replicas' }).error).toBe('cel expression must evaluate to a bool')
    expect(compile({ rule: 'true', messageExpression: '1' }).messageError).toBe(
      'messageExpression must evaluate to a string',
    )
    expect(compile({ rule: 'true', messageExpression: 'nope' }).messageError).toMatch(
      /^messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope'/,
    )
    expect(compile({ rule: "int('x') == 1" }).error).toBe(
      "program instantiation failed: type conversion error from 'string' to 'int'",
    )
  })

  test('a rule that compares with the old value is a transition rule', () => {
    expect(compile({ rule: 'self == oldSelf' }).isTransition).toBe(true)
    expect(compile({ rule: 'self == self' }).isTransition).toBe(false)
    expect(compile({ rule: 'oldSelf.hasValue()', optionalOldSelf: true }).error).toBeUndefined()
    expect(compile({ rule: 'oldSelf.hasValue()' }).error).toContain("applied to 'selfType.()'")
  })

  test('the cost of a rule is estimated', () => {
    expect(compile({ rule: 'self.replicas <= self.max' }).cost).toEqual({ min: 5, max: 5 })
  })
})

describe('rules are evaluated as CRD validation does', () => {
  test('a rule that holds says nothing', () => {
    const outcome = evaluate({ rule: 'self.replicas <= self.max' }, { replicas: 1, max: 2 })
    expect(outcome).toMatchObject({ errors: [], warnings: [], budget: OBJECT_BUDGET - 5 })
  })

  test('a rule that does not hold is named, or has its message', () => {
    expect(details(evaluate({ rule: ' self.replicas < 1 ' }, { replicas: 1 }))).toEqual([
      'spec: failed rule: self.replicas < 1',
    ])
    expect(details(evaluate({ rule: 'false', message: ' too many ' }, {}))).toEqual(['spec: too many'])
  })

  test('a message may be an expression, and falls back to the plain one', () => {
    const rule = { rule: 'false', message: 'plain', messageExpression: "'got %d'.format([self.replicas])" }
    expect(details(evaluate(rule, { replicas: 7 }))).toEqual(['spec: got 7'])
    expect(details(evaluate(rule, {}))).toEqual(['spec: plain'])
    expect(details(evaluate({ ...rule, messageExpression: "' '" }, {}))).toEqual(['spec: plain'])
    expect(details(evaluate({ ...rule, messageExpression: String.raw`'a\nb'` }, {}))).toEqual(['spec: plain'])
  })

  test('the value is shown but for objects and lists', () => {
    expect(evaluate({ rule: 'false' }, {}).errors[0]).not.toHaveProperty('value')
    expect(evaluate({ rule: 'false' }, 5, { type: 'integer' }).errors[0]).toHaveProperty('value', 5)
  })

  test('reason and path of the error are the rule’s', () => {
    const outcome = evaluate(
      { rule: 'false', reason: 'FieldValueForbidden', fieldPath: '.max' },
      {},
      { pathOf: () => 'max' },
    )
    expect(outcome.errors).toEqual([{ code: 'FieldValueForbidden', path: 'spec.max', detail: 'failed rule: false' }])
    const root = evaluate({ rule: 'false', reason: 'FieldValueRequired' }, {}, { path: '<nil>', pathOf: () => 'max' })
    expect(root.errors[0]).toMatchObject({ code: 'FieldValueRequired', path: 'max' })
    expect(evaluate({ rule: 'false', reason: 'FieldValueDuplicate' }, {}).errors[0]!.code).toBe('FieldValueDuplicate')
  })

  test('a transition rule says nothing without an old value, unless that is optional', () => {
    const rule = 'self.replicas >= oldSelf.replicas'
    expect(details(evaluate({ rule }, { replicas: 1 }))).toEqual([])
    expect(details(evaluate({ rule }, { replicas: 1 }, { old: { replicas: 2 } }))).toHaveLength(1)
    const optional = { rule: 'oldSelf.hasValue()', optionalOldSelf: true }
    expect(details(evaluate(optional, {}))).toHaveLength(1)
    expect(details(evaluate(optional, {}, { old: {} }))).toEqual([])
    expect(details(evaluate({ ...optional, rule: 'oldSelf.replicas.orValue(3) == 3' }, {}))).toEqual([])
  })

  test('an unchanged value only causes warnings, but for transition rules', () => {
    const unchanged = { old: {}, isUnchanged: () => true }
    expect(evaluate({ rule: 'false' }, {}, unchanged)).toMatchObject({ errors: [], warnings: [{ path: 'spec' }] })
    expect(evaluate({ rule: 'self != oldSelf' }, {}, unchanged)).toMatchObject({
      errors: [{ path: 'spec' }],
      warnings: [],
    })
  })

  test('failures while running are worded as Kubernetes words them', () => {
    expect(details(evaluate({ rule: 'self.replicas > 0' }, {}))).toEqual([
      'spec: no such key: replicas evaluating rule: self.replicas > 0',
    ])
    expect(details(evaluate({ rule: "dyn(self.replicas) > 'a'" }, { replicas: 1 }))).toEqual([
      "spec: 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: dyn(self.replicas) > 'a'",
    ])
    expect(details(evaluate({ rule: 'nope' }, {}))[0]).toMatch(/^spec: rule compile error: compilation failed: ERROR/)
  })

  test('a rule that costs too much ends it for the whole object', () => {
    const expensive = { rule: 'self.text.split("").all(x, self.text.split("").all(y, true))' }
    const outcome = evaluate(expensive, { text: 'x'.repeat(2000) })
    expect(outcome.budget).toBe(-1)
    expect(details(outcome)).toEqual([
      `spec: 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${expensive.rule}`,
    ])
  })

  test('a budget that is used up ends it too', () => {
    const exhausted =
      'spec: validation failed due to running out of cost budget, no further validation rules will be run'
    expect(details(evaluate({ rule: 'self.replicas > 0' }, { replicas: 1 }, { budget: 0 }))).toEqual([exhausted])
    expect(details(evaluate({ rule: 'self.replicas > 0' }, { replicas: 1 }, { budget: 2 }))).toEqual([exhausted])
    const message = evaluate(
      { rule: 'false', messageExpression: 'self.text + self.text' },
      { text: 'a' },
      { budget: 3 },
    )
    expect(message.budget).toBe(-1)
    expect(details(message)).toEqual([
      'spec: messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    ])
  })

  test('an empty rule is left out', () => {
    expect(evaluate({ rule: '  ' }, {}).errors).toEqual([])
  })
})

describe('match conditions', () => {
  const request = admissionRequestShape()
  const matches = (expression: string, activation: object): unknown =>
    compileMatchCondition(expression, request).evaluate({ ...activation })

  test('see the object, the old one and the request', () => {
    const activation = {
      object: { metadata: { labels: { app: 'x' } } },
      oldObject: null,
      request: {
        operation: 'CREATE',
        namespace: 'default',
        userInfo: { username: 'me', groups: ['a'], extra: { k: ['v'] } },
        options: { kind: 'CreateOptions' },
      },
    }
    expect(matches("object.metadata.labels['app'] == 'x' && oldObject == null", activation)).toBe(true)
    expect(matches("request.operation == 'CREATE' && request.namespace == 'default'", activation)).toBe(true)
    expect(matches("'a' in request.userInfo.groups && request.userInfo.extra['k'][0] == 'v'", activation)).toBe(true)
    expect(matches("request.options.kind == 'CreateOptions' && !has(request.dryRun)", activation)).toBe(true)
  })

  test('the request has a type', () => {
    expect(() => compileMatchCondition('request.nope == 1', request)).toThrow(
      "compilation failed: ERROR: <input>:1:8: undefined field 'nope'",
    )
  })

  test('must be conditions', () => {
    expect(() => compileMatchCondition('1', request)).toThrow('must evaluate to bool but got int')
    expect(() => compileMatchCondition('object.x', request)).toThrow('must evaluate to bool but got dyn')
  })

  test('ask for the permissions of users', () => {
    const seen: unknown[] = []
    const authorizer = new CelAuthorizer((query, account) => {
      seen.push([query.verb, query.path ?? query.resource, query.name, account?.name])
      return { allowed: query.verb === 'get', reason: 'because' }
    })
    const activation = {
      authorizer,
      'authorizer.requestResource': new ResourceCheck(authorizer, {
        group: '',
        resource: 'pods',
        subresource: '',
        namespace: 'n',
        name: 'p',
      }),
    }
    expect(
      [
        "authorizer.group('').resource('nodes').name('x').check('get').allowed()",
        "authorizer.serviceAccount('n', 'robot').path('/x').check('put').allowed()",
        "authorizer.requestResource.check('put').reason() == 'because'",
      ].map((expression) => matches(expression, activation)),
    ).toEqual([true, false, true])
    expect(seen).toEqual([
      ['get', 'nodes', 'x', undefined],
      ['put', '/x', '', 'robot'],
      ['put', 'pods', 'p', undefined],
    ])
    expect(() => compileMatchCondition("authorizer.group('').check('get').allowed()", request)).toThrow(
      "found no matching overload for 'check'",
    )
  })
})
