import { isObject } from '../object.ts'
import { byCodePoint, sortedNames } from './code-point-order.ts'
import { goText, goTypeName } from './go-text.ts'
import { kindOf, memberOf, exactNumber } from './json-kind.ts'
import { JsonPathError } from './json-path-error.ts'
import { type Allowance, MAX_DEPTH, MAX_RANGES, MAX_STEPS, tooDeep, tooManyRanges, tooManySteps } from './limits.ts'
import type { ArrayNode, FilterNode, ListNode, PathNode, Template } from './json-path-syntax.ts'

export interface EvaluationOptions {
  readonly allowMissingKeys: boolean
  readonly scalarAsList: boolean
}

type Values = readonly unknown[]

const ENCODER = new TextEncoder()

/**
 * One list of results for each text and action of the template, as client-go's `FindResults`. Members of objects come in
 * the order of their names. `undefined` among the results is Go's invalid value, which prints as `<no value>`.
 * @throws JsonPathError (`execute`, `limit`)
 */
export function evaluate(
  template: Template,
  object: unknown,
  options: EvaluationOptions,
  allowance?: Allowance,
): unknown[][] {
  return new Evaluation(template, options, allowance).results(object, 0)
}

/**
 * The state of one evaluation. A failing node sets `failure` and returns what upstream returns beside its error: an
 * existence filter ignores the error and counts exactly that.
 */
class Evaluation {
  readonly #template: Template
  readonly #options: EvaluationOptions
  readonly #allowance: Allowance | undefined
  #failure: string | undefined
  #steps = 0
  #nesting = 0
  #pendingRanges = 0
  #openRanges = 0
  #pendingEnds = 0
  #lastEnd = -1

  constructor(template: Template, options: EvaluationOptions, allowance: Allowance | undefined) {
    this.#template = template
    this.#options = options
    this.#allowance = allowance
  }

  /** Runs the template from its node `start`, until the `end` of the range it is in. */
  results(object: unknown, start: number): unknown[][] {
    const all: unknown[][] = []
    const input = [object]
    for (let i = start; i < this.#template.length; i++) {
      const node = this.#template[i]
      if (node === undefined) break
      const found = this.#walk(input, node)
      if (this.#failure !== undefined) throw new JsonPathError('execute', this.#failure)
      if (this.#pendingEnds > 0 && this.#pendingEnds <= this.#openRanges) {
        this.#pendingEnds--
        this.#lastEnd = i
        break
      }
      if (this.#pendingRanges > 0) {
        for (const list of this.#range(found, i + 1)) all.push(list)
        // Without an `end` the loop goes on after the range node, as upstream's does.
        if (this.#lastEnd > i) i = this.#lastEnd
      } else all.push([...found])
    }
    return all
  }

  /** An empty range still runs once on no value, so that its `end` is found. */
  #range(items: Values, start: number): unknown[][] {
    this.#pendingRanges--
    this.#openRanges++
    if (++this.#nesting > MAX_RANGES) throw tooManyRanges()
    const all: unknown[][] = []
    for (const item of items) {
      this.#count(1)
      for (const list of this.results(item ?? undefined, start)) all.push(list)
    }
    if (items.length === 0) this.results(undefined, start)
    this.#nesting--
    this.#openRanges--
    return all
  }

  #walk(input: Values, node: PathNode): Values {
    this.#count(1)
    switch (node.type) {
      case 'list':
        return this.#list(input, node)
      case 'text':
        return [node.text]
      case 'literal':
        this.#count(input.length)
        return input.map(() => node.value)
      case 'field':
        return this.#field(input, node.name)
      case 'wildcard':
        return input.flatMap((value) => this.#children(value))
      case 'recursive':
        return this.#descendants(input)
      case 'array':
        return this.#array(input, node)
      case 'union':
        return this.#union(input, node.lists)
      case 'filter':
        return this.#filter(input, node)
      case 'identifier':
      default:
        return this.#identifier(input, node.name)
    }
  }

  #list(input: Values, list: ListNode): Values {
    let current = input
    for (const node of list.nodes) {
      current = this.#walk(current, node)
      if (this.#failure !== undefined) break
    }
    return current
  }

  #field(input: Values, name: string): Values {
    this.#count(input.length)
    const found: unknown[] = []
    for (const value of input) {
      const member = memberOf(value, name)
      if (member !== undefined) found.push(member)
    }
    const isMissing = found.length === 0 && input.length > 0
    return isMissing && !this.#options.allowMissingKeys ? this.#fail(found, `${name} is not found`) : found
  }

  /** Members of an object, elements of a list, bytes of a string. */
  #children(value: unknown): Values {
    if (typeof value === 'string') {
      this.#count(value.length)
      return [...ENCODER.encode(value)]
    }
    if (Array.isArray(value)) {
      this.#count(value.length)
      return value
    }
    if (!isObject(value) || kindOf(value) !== 'map') return []
    const names = sortedNames(value)
    this.#count(names.length)
    return names.map((name) => value[name])
  }

  /** Everything that has something inside, parents first: objects, lists and strings that are not empty. */
  #descendants(input: Values): Values {
    const found: unknown[] = []
    const visit = (values: Values, depth: number): void => {
      if (depth > MAX_DEPTH) throw tooDeep()
      for (const value of values) {
        const children = typeof value === 'string' ? [] : this.#children(value)
        if (children.length === 0 && (typeof value !== 'string' || value === '')) continue
        this.#count(1)
        found.push(value)
        visit(children, depth + 1)
      }
    }
    visit(input, 0)
    return found
  }

  #array(input: Values, node: ArrayNode): Values {
    const found: unknown[] = []
    for (const value of input) {
      if (value === null || value === undefined) continue
      if (!Array.isArray(value)) return this.#fail(input, `${goTypeName(value)} is not array or slice`)
      const bounds = sliceBounds(node, value.length)
      if (typeof bounds === 'string') return this.#fail(input, bounds)
      // Upstream leaves out all that would follow an empty slice.
      if (bounds.from === bounds.to) return found
      for (let i = bounds.from; i < bounds.to; i += bounds.step) {
        this.#count(1)
        found.push(value[i])
      }
    }
    return found
  }

  #union(input: Values, lists: readonly ListNode[]): Values {
    const found: unknown[] = []
    for (const list of lists) {
      const part = this.#list(input, list)
      if (this.#failure !== undefined) return input
      this.#count(part.length)
      for (const value of part) found.push(value)
    }
    return found
  }

  #filter(input: Values, node: FilterNode): Values {
    const found: unknown[] = []
    for (const value of input) {
      const elements = this.#elements(value)
      if (elements === undefined) {
        return this.#fail(input, `${goText(value)} is not array or slice and cannot be filtered`)
      }
      for (const element of elements) {
        const passes = this.#passes(element, node)
        if (this.#failure !== undefined) return input
        if (passes) found.push(element)
      }
    }
    return found
  }

  #elements(value: unknown): Values | undefined {
    if (Array.isArray(value)) return value
    if (!this.#options.scalarAsList || kindOf(value) === 'map') return undefined
    return value === null || value === undefined ? [] : [value]
  }

  #passes(element: unknown, node: FilterNode): boolean {
    const lefts = this.#list([element], node.left)
    if (node.operator === 'exists') {
      this.#failure = undefined
      return lefts.length > 0
    }
    if (this.#failure !== undefined || !this.#isSingle(lefts)) return false
    const rights = this.#list([element], node.right)
    if (this.#failure !== undefined || !this.#isSingle(rights)) return false
    const comparison = compare(lefts[0], node.operator, rights[0])
    if ('holds' in comparison) return comparison.holds
    this.#failure = comparison.failure
    return false
  }

  #isSingle(values: Values): boolean {
    if (values.length > 1) this.#failure = 'can only compare one element at a time'
    return values.length === 1
  }

  #identifier(input: Values, name: string): Values {
    if (name === 'range') {
      this.#pendingRanges++
      return input
    }
    if (name !== 'end') return this.#fail(input, `unrecognized identifier ${name}`)
    if (this.#openRanges === 0) return this.#fail([], 'not in range, nothing to end')
    this.#pendingEnds++
    return []
  }

  #fail(values: Values, failure: string): Values {
    this.#failure = failure
    return values
  }

  #count(steps: number): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS) throw tooManySteps()
    this.#allowance?.take(steps)
  }
}

/** The answer of a comparison, or why there is none (client-go's text). */
type ComparisonResult = { readonly holds: boolean } | { readonly failure: string }

const INVALID: ComparisonResult = { failure: 'invalid type for comparison' }
const INCOMPATIBLE: ComparisonResult = { failure: 'incompatible types for comparison' }

const SCALARS: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'string'])

const TESTS: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/**
 * `left operator right` as text/template compares: only scalars of one kind, integers and floats being two kinds, and
 * booleans only for equality.
 */
function compare(left: unknown, operator: string, right: unknown): ComparisonResult {
  const test = TESTS[operator]
  if (test === undefined) return { failure: `unrecognized filter operator ${operator}` }
  const kind = kindOf(left)
  const other = kindOf(right)
  if (!SCALARS.has(kind) || !SCALARS.has(other)) return INVALID
  if (kind !== other) return INCOMPATIBLE
  if (kind === 'bool') {
    return operator === '==' || operator === '!=' ? { holds: test(left === right ? 0 : 1) } : INVALID
  }
  return { holds: test(typeof left === 'string' ? byCodePoint(left, String(right)) : byValue(left, right)) }
}

function byValue(left: unknown, right: unknown): number {
  const a = exactNumber(left)
  const b = exactNumber(right)
  if (a < b) return -1
  return a > b ? 1 : 0
}

interface SliceBounds {
  readonly from: number
  readonly to: number
  readonly step: number
}

/**
 * The elements that `[from:to:step]` means in a list of `length`; negative numbers count from its end. A string is why it
 * means none, in client-go's words. Equal bounds are empty wherever they lie.
 */
function sliceBounds(node: ArrayNode, length: number): SliceBounds | string {
  const start = node.from ?? 0
  const from = start < 0 ? start + length : start
  const end = node.single ? start + 1 : (node.to ?? length)
  const to = end < 0 || (end === 0 && node.single) ? end + length : end
  if (from === to) return { from, to, step: 1 }
  if (from >= length || from < 0) return `array index out of bounds: index ${from}, length ${length}`
  if (to > length || to < 0) return `array index out of bounds: index ${to - 1}, length ${length}`
  if (from > to) return `starting index ${from} is greater than ending index ${to}`
  const step = node.step ?? 1
  return step <= 0 ? 'step must be > 0' : { from, to, step }
}
