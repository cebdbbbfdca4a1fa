import { invalid, sentence } from '../field-error.ts'
import { isValidLabelKey } from '../names.ts'
import { lexLabelQuery } from './label-query-lexer.ts'
import type { LabelQueryToken, LabelQueryTokenKind } from './label-query-lexer.ts'
import { aggregate, requirementErrors, requirementText } from './requirement.ts'
import { matcherOf } from './requirement-matcher.ts'
import type { LabelMatcher, Requirement, SelectionOperator } from './requirement.ts'
import { SelectorError } from './error.ts'
import { compareText } from '../text/compare.ts'

/** A compiled label selector in the form that `labelSelector=` carries. */
export interface LabelQuery {
  /** Sorted by key; all must hold. */
  readonly requirements: readonly Requirement[]
  /** Asks for nothing, so that every object fits. */
  readonly isEverything: boolean
  readonly matches: LabelMatcher
  /** The one value that the label must have, if the query says so (upstream's `RequiresExactMatch`). */
  exactValue(key: string): string | undefined
  /** The query in its normal form. */
  toString(): string
}

/**
 * Reads a label query such as `a=b,c in (d,e),!f`; grammar and messages are those of apimachinery's `labels.Parse`.
 * @throws SelectorError with upstream's text if it is not well formed.
 */
export function parseLabelQuery(text: string): LabelQuery {
  return labelQueryOf(new Parser(text).parse())
}

/** The query that asks for all of these requirements. */
export function labelQueryOf(unsorted: readonly Requirement[]): LabelQuery {
  const requirements = unsorted.toSorted((a, b) => compareText(a.key, b.key))
  // Many a selector is only validated.
  let compiled: LabelMatcher | undefined
  return {
    requirements,
    isEverything: requirements.length === 0,
    matches: (labels) => (compiled ??= matcherOf(requirements))(labels),
    exactValue: (key) => exactValue(requirements, key),
    toString: () => requirements.map(requirementText).join(','),
  }
}

function exactValue(requirements: readonly Requirement[], key: string): string | undefined {
  const first = requirements.find((requirement) => requirement.key === key)
  if (first === undefined || first.values.length !== 1) return undefined
  return ['=', '==', 'in'].includes(first.operator) ? first.values[0] : undefined
}

const BINARY: ReadonlyMap<LabelQueryTokenKind, SelectionOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
])
const END: LabelQueryToken = { kind: 'end', text: '' }

class Parser {
  readonly #tokens: readonly LabelQueryToken[]
  #position = 0

  constructor(text: string) {
    this.#tokens = lexLabelQuery(text)
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = []
    const first = this.#peek()
    if (first.kind === 'end') return requirements
    if (!startsRequirement(first))
      throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`)
    for (;;) {
      requirements.push(this.#requirement())
      const after = this.#take()
      if (after.kind === 'end') return requirements
      if (after.kind !== ',') throw new SelectorError(`found '${after.text}', expected: ',' or 'end of string'`)
      const next = this.#peek()
      if (!startsRequirement(next)) throw new SelectorError(`found '${next.text}', expected: identifier after ','`)
    }
  }

  #requirement(): Requirement {
    const isNegated = this.#peek().kind === '!'
    if (isNegated) this.#take()
    const key = this.#key()
    if (isNegated) return { key, operator: '!', values: [] }
    const next = this.#peek().kind
    if (next === 'end' || next === ',') return { key, operator: 'exists', values: [] }
    const operator = this.#operator()
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#value()]
    const errors = requirementErrors(key, operator, values)
    if (errors.length > 0) throw unreadable(aggregate(errors))
    return { key, operator, values }
  }

  #key(): string {
    const token = this.#take()
    if (!isWord(token)) throw unreadable(`found '${token.text}', expected: identifier`)
    const wrong = isValidLabelKey(token.text)
    // Upstream prints the path that a query has not got, and clients know the message so.
    if (wrong.length > 0) throw unreadable(sentence(invalid('<nil>', token.text, wrong.join('; '))))
    return token.text
  }

  #operator(): SelectionOperator {
    const token = this.#take()
    const operator = BINARY.get(token.kind)
    if (operator === undefined) throw unreadable(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`)
    return operator
  }

  #value(): string {
    const next = this.#peek().kind
    if (next === 'end' || next === ',') return ''
    const token = this.#take()
    if (!isWord(token)) throw unreadable(`found '${token.text}', expected: identifier`)
    return token.text
  }

  /** `(a,b)`; where a value is left out it is the empty text, so `()` is a set of one. */
  #set(): readonly string[] {
    const open = this.#take()
    if (open.kind !== '(') throw unreadable(`found '${open.text}' expected: '('`)
    const first = this.#peek()
    if (first.kind !== ')' && first.kind !== ',' && !isWord(first)) {
      throw unreadable(`found '${first.text}', expected: ',', ')' or identifier`)
    }
    const values = new Set<string>()
    for (;;) {
      const token = this.#peek()
      if (isWord(token)) values.add(this.#take().text)
      else if (token.kind === ',' || token.kind === ')') values.add('')
      else throw unreadable(`found '${token.text}', expected: ',', or identifier`)
      const after = this.#take()
      if (after.kind === ')') return [...values].toSorted()
      if (after.kind !== ',') throw unreadable(`found '${after.text}', expected: ',' or ')'`)
    }
  }

  #peek(): LabelQueryToken {
    return this.#tokens[this.#position] ?? END
  }

  #take(): LabelQueryToken {
    const token = this.#peek()
    this.#position++
    return token
  }
}

/** `in` and `notin` are words where no operator can stand. */
function isWord({ kind }: LabelQueryToken): boolean {
  return kind === 'identifier' || kind === 'in' || kind === 'notin'
}

function startsRequirement(token: LabelQueryToken): boolean {
  return isWord(token) || token.kind === '!'
}

function unreadable(text: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${text}`)
}
