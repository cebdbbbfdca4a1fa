import { describe, expect, test } from 'vitest'
import { CelRuntimeError } from '../../src/cel/types/error.ts'
import { compileCel } from '../../src/cel/program.ts'
import type { CelOutcome } from '../../src/cel/program.ts'
import { shapeOfSchema } from '../../src/cel/types/schema-shape.ts'

const LIMIT = 1_000_000

function run(expression: string, object: unknown = {}, maxCost = LIMIT): CelOutcome {
  return compileCel(expression, { variables: { object: {} } }).run({ object }, { maxCost })
}

/** It was the cost that ended it. */
function check(outcome: CelOutcome): void {
  expect(outcome.result).toEqual({
    error: new CelRuntimeError('operation cancelled: actual cost limit exceeded', true),
  })
}

const compile = (source: string, limits = {}): unknown => compileCel(source, { variables: { object: {} }, limits })

describe('an evaluation stops when its cost is used up', () => {
  const items = Array.from({ length: 5000 }, (_, at) => at)

  test('two nested loops over 5,000 items stop after the limit, not after 25,000,000 steps', () => {
    const outcome = run('object.items.all(x, object.items.all(y, x >= 0 && y >= 0))', { items })
    check(outcome)
    expect(outcome.cost).toBeLessThan(LIMIT + 100)
  })

  test('three nested loops over 400 items stop too', () => {
    const some = items.slice(0, 400)
    check(run('object.items.all(x, object.items.all(y, object.items.all(z, x + y + z >= 0)))', { items: some }))
  })

  test('an item that a loop makes costs as much as upstream says', () => {
    expect(run('object.items.map(x, x).size() == 5000', { items }).cost).toBe(2 + 5000 * 13 + 1 + 1 + 1)
  })

  test('no || hides that the limit is reached', () => {
    check(run('object.items.all(x, object.items.all(y, true)) || true', { items }, 1000))
  })

  test('a small limit stops a small expression', () => {
    check(run('1 + 1 + 1 == 3', {}, 1))
  })

  test.each([
    ["object.items.all(x, object.items.map(y, 'a').join('bbbbbbbbbb').size() > 0)", 'texts that are joined'],
    ['object.items.all(x, (object.items + object.items + object.items).size() > 0)', 'lists that are appended'],
    ['object.items.all(x, object.items == object.items)', 'lists that are compared'],
    ['object.items.all(x, object.items.distinct().size() > 0)', 'lists compared with themselves'],
    ['object.items.all(x, sets.contains(object.items, object.items))', 'sets that are compared'],
    ['object.items.all(x, object.items.sort().size() > 0)', 'lists that are sorted'],
    ['object.items.all(x, !(-1 in object.items))', 'lists that are searched'],
    ['object.items.all(x, object.items.reverse().size() > 0)', 'lists that are copied'],
    ['lists.range(100000000).size() > 0', 'a range that would not fit'],
    ['object.items.map(x, object.items).flatten().size() > 0', 'lists that are flattened'],
  ])('%s is bounded: %s', (expression) => {
    check(run(expression, { items }))
  })

  test('a list that doubles at each step does not fill the memory', () => {
    const steps = Array.from({ length: 40 }, (_, at) => `cel.bind(b${at + 1}, b${at} + b${at}, `).join('')
    const source = `cel.bind(b0, [1, 2], ${steps} b40.size() > 0${')'.repeat(40)})`
    check(compileCel(source, { variables: {}, bindings: true }).run({}))
  })

  test('a text that doubles at each step is paid for', () => {
    const steps = Array.from({ length: 40 }, (_, at) => `cel.bind(b${at + 1}, b${at} + b${at}, `).join('')
    const source = `cel.bind(b0, 'ab', ${steps} b40.size() > 0${')'.repeat(40)})`
    check(compileCel(source, { variables: {}, bindings: true }).run({}))
  })

  test('the cost of a replacement grows with the text that it makes', () => {
    const text = 'a'.repeat(100_000)
    check(run("object.text.replace('a', object.text).size() > 0", { text }))
    check(run("object.text.replace('', object.text).size() > 0", { text }))
  })

  test('a pattern of format may not blow a text up without being paid for', () => {
    const text = 'a'.repeat(1_000_000)
    const args = Array.from({ length: 100 }, () => 'object.text').join(', ')
    check(run(`'${'%s'.repeat(100)}'.format([${args}]).size() > 0`, { text }))
    expect(() => compile("'%.99999f'.format([1.0])")).toThrow('precision too large')
  })
})

describe('regular expressions take time in proportion to the text', () => {
  test('the bomb of a backtracking engine is answered, and cheaply', () => {
    const outcome = run("object.text.matches('(a+)+$')", { text: `${'a'.repeat(5000)}b` })
    expect(outcome).toMatchObject({ cost: 1004, result: { value: false } })
  })

  test('patterns that are made while running are paid for', () => {
    const items = Array.from({ length: 2000 }, (_, at) => `x${at}{1000}`)
    check(run("object.items.all(x, !'a'.matches(x))", { items }))
  })

  test('patterns that need a backtracking engine are rejected', () => {
    expect(() => compile(String.raw`'a'.matches('(?=a)')`)).toThrow('invalid matches argument')
    expect(() => compile(String.raw`'a'.matches(r'(a)\1')`)).toThrow('invalid matches argument')
    expect(() => compile("'a'.matches('((a{100}){100}){100}')")).toThrow('invalid matches argument')
  })
})

describe('a source is refused that is too large to be looked at', () => {
  test.each([
    [`1${' '.repeat(100_000)}`, 'expression code point size exceeds limit: size: 100001, limit 100000'],
    [`${'('.repeat(300)}1${')'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    [`${'['.repeat(300)}1${']'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    [Array.from({ length: 300 }, () => '1').join(' + '), 'max recursion depth exceeded'],
    [`object${'.a'.repeat(300)}`, 'max recursion depth exceeded'],
    [`[${'1,'.repeat(49_990)}1]`, undefined],
    [`[${'-a,'.repeat(33_000)}1]`, 'expression node limit exceeded: 50000'],
    [`optional.none()${'.optMap(x, x)'.repeat(30)}`, 'expression node limit exceeded: 50000'],
  ])('%.20s… (%#)', (source, message) => {
    if (message === undefined) expect(compile(source)).toBeDefined()
    else expect(() => compile(source)).toThrow(message)
  })

  test('signs may be repeated, as in cel-go', () => {
    expect(run(`${'!'.repeat(300)}true`).result).toEqual({ value: true })
    expect(run(`${'-'.repeat(99_991)}1 == -1`).result).toEqual({ value: true })
  })

  test('a long chain of conditions is not deep', () => {
    expect(run(Array.from({ length: 5000 }, () => 'true').join(' && ')).result).toEqual({ value: true })
  })

  test('many large regular expressions are not all compiled', () => {
    expect(() => compile(`[${"'a'.matches('x{1000}'), ".repeat(4000)}true]`)).toThrow(
      'the regular expressions are too large',
    )
  })

  test('limits may be smaller', () => {
    expect(() => compile('1 + 2 + 3', { maxNodes: 4 })).toThrow('expression node limit exceeded: 4')
    expect(() => compile('1 + 2', { maxLength: 4 })).toThrow('limit 4')
    expect(() => compile('((1))', { maxDepth: 2 })).toThrow('expression recursion limit exceeded: 2')
  })

  test('complaints are counted, not all printed', () => {
    expect(() => compile(`[${'b,'.repeat(150)}1]`)).toThrow('50 more errors were truncated')
  })
})

describe('the cost of a rule is estimated before it is taken', () => {
  const unbounded = { type: 'array', items: { type: 'string' } }
  const bounded = { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 5 } }
  const estimate = (list: object, rule: string): number => {
    const shape = shapeOfSchema({ type: 'object', properties: { list } }, false, 'selfType')!
    return compileCel(rule, { variables: { self: { shape } } }).estimatedCost.max
  }

  test('nested loops over lists without a bound are beyond any budget', () => {
    expect(estimate(unbounded, 'self.list.all(x, self.list.all(y, x == y || x != y))')).toBeGreaterThan(1e11)
  })

  test('the same loops over short lists are cheap', () => {
    expect(estimate(bounded, 'self.list.all(x, self.list.all(y, x == y || x != y))')).toBeLessThan(2000)
  })
})
