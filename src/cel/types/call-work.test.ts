import { describe, expect, test } from 'vitest'
import type { Overload } from '../library/declaration.ts'
import { OBJECT_BUDGET, OBJECT_WORK, evaluateRules } from '../evaluate-rules.ts'
import { KUBERNETES_FUNCTIONS } from '../library/kubernetes.ts'
import { compileCel } from '../program.ts'
import { shapeOfSchema } from './schema-shape.ts'
import { formatType } from './cel-type.ts'
import { compileRules } from '../validation-rule.ts'

/** Texts that a function reads to their end. */
const TEXTS: { readonly [name: string]: (length: number) => string } = {
  semver: (length) => `1.0.0-${'a'.repeat(length)}`,
  url: (length) => `http://a/?${'b=c&'.repeat(length / 4)}`,
}

/** The functions that take the same time however large their arguments are. */
const CONSTANT = new Set(
  'size_list list_size size_map map_size size_bytes bytes_size list_first list_last type to_dyn optional_of optional_ofNonZeroValue optional_none'.split(
    ' ',
  ),
)

/** An argument of a type, as an expression; `undefined` for what has no size or cannot be written. */
function argument(type: string): { readonly text: string; readonly sized: boolean } | undefined {
  if (type === 'string') return { text: 't', sized: true }
  if (type === 'bytes') return { text: 'bytes(t)', sized: true }
  if (type === 'list(string)') return { text: 'texts', sized: true }
  if (type === 'list(list(A))' || type === 'list(list(<A>))') return { text: 'lists', sized: true }
  if (type === 'list(dyn)') return { text: 'l', sized: true }
  if (type.startsWith('list(')) return { text: 'l', sized: true }
  if (type.startsWith('map(')) return { text: 'm', sized: true }
  if (type === 'int') return { text: '1', sized: false }
  if (type === 'bool') return { text: 'true', sized: false }
  if (type === 'net.URL' || type === 'kubernetes.URL') return { text: 'url(t)', sized: true }
  if (type === 'kubernetes.Semver') return { text: 'semver(t)', sized: true }
  return undefined
}

function expressionOf(name: string, { id, member, args }: Overload): string | undefined {
  const parts = args.map((type) => argument(formatType(type)))
  const texts = parts.map((part) => part?.text ?? '')
  if (texts.includes('') || !parts.some((part) => part?.sized) || CONSTANT.has(id)) return undefined
  if (/^[@_]/.test(name) || name.includes('@') || name === '!_' || name === '-_') return undefined
  const [first, ...rest] = texts
  return member
    ? `dyn(${first}).${name}(${rest.join(', ')})`
    : `${name}(${texts.map((one) => `dyn(${one})`).join(', ')})`
}

const charged = (expression: string, length: number): number => {
  const text =
    TEXTS[/semver/i.test(expression) ? 'semver' : /url/i.test(expression) ? 'url' : ''] ?? ((n) => 'a'.repeat(n))
  const lists = Array.from({ length }, (_, at) => at)
  const { cost, work } = compileCel(expression, {
    variables: { t: {}, l: {}, m: {}, texts: {}, lists: {} },
  }).run(
    {
      t: text(length),
      l: lists,
      m: Object.fromEntries(lists.map((at) => [`k${at}`, at])),
      texts: lists.map(String),
      lists: [lists, lists],
    },
    { maxCost: 1e15 },
  )
  return cost + work
}

const calls = [...KUBERNETES_FUNCTIONS].flatMap(([name, overloads]) =>
  overloads.flatMap((overload) => {
    const expression = expressionOf(name, overload)
    return expression === undefined ? [] : [[overload.id, expression] as const]
  }),
)
const operators = [
  'l == l.map(x, x)',
  'l != l.map(x, x)',
  'l + l',
  't + t',
  't < t',
  't >= t',
  'bytes(t) == bytes(t)',
  '-1 in l',
  'm == m.transformMap(k, v, v)',
  'm.all(k, true)',
  '[t].max()',
  '[t, t].sort()',
]

describe('the work of a call', () => {
  test('covers the functions of the library', () => {
    expect(calls.length).toBeGreaterThan(60)
  })

  test.each([...calls, ...operators.map((one) => [one, one] as const)])(
    '%s grows with the size of the operands',
    (_, expression) => {
      const small = charged(expression, 200)
      expect(charged(expression, 200 * 16)).toBeGreaterThan(small * 4)
    },
  )
})

describe('the rules of one object', () => {
  const schema = {
    type: 'object',
    properties: {
      l: { type: 'array', items: { type: 'integer' } },
      m: { type: 'array', items: { type: 'integer' } },
      t: { type: 'string' },
    },
  }
  const shape = shapeOfSchema(schema, false, 'selfType')
  const numbers = Array.from({ length: 1000 }, (_, at) => at)
  const self = { l: numbers, m: [...numbers], t: `1.0.0-${'a'.repeat(10_000)}` }

  test.each([
    '[self.l, self.m].flatten().size() >= 0',
    "'%s'.format([self.l]) != ''",
    '(self.l + self.m).size() >= 0',
    'self.l == self.m',
    'isSemver(self.t)',
    "self.t.replace('a', 'b') != ''",
    'self.l.reverse().size() >= 0',
    'self.l.slice(0, 500).size() >= 0',
  ])('share the work that one object may take: %s', (rule) => {
    const [compiled] =
      shape === undefined
        ? []
        : compileRules(
            [{ rule, message: '', messageExpression: '', reason: '', fieldPath: '', optionalOldSelf: undefined }],
            shape,
          )
    const evaluate = (count: number, work: number) =>
      evaluateRules({
        rules: compiled === undefined ? [] : Array.from({ length: count }, () => compiled),
        value: self,
        old: undefined,
        path: 'spec',
        pathOf: () => undefined,
        type: 'object',
        isUnchanged: () => false,
        budget: OBJECT_BUDGET,
        work,
      })
    const one = evaluate(1, OBJECT_WORK)
    expect(one.errors).toEqual([])
    const work = OBJECT_WORK - one.work
    expect(work).toBeGreaterThan(400)
    expect(evaluate(10, work * 10).errors).toEqual([])
    expect(evaluate(11, work * 10)).toMatchObject({
      errors: [
        {
          path: 'spec',
          detail: 'validation failed due to running out of cost budget, no further validation rules will be run',
        },
      ],
      budget: -1,
    })
  })
})
