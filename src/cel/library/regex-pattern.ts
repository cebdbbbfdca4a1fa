import { RE2JS, RE2JSException } from 're2js'
import type { Run } from '../types/run-budget.ts'
import { Failure } from '../types/scalar.ts'

/**
 * A regular expression of RE2, which takes time in proportion to the text whatever the pattern is. JavaScript's own
 * expressions do not, and differ in syntax.
 */
export class CelPattern {
  readonly #compiled: RE2JS
  /** How many states it has: what matching costs for each character, at the worst. */
  readonly states: number

  constructor(compiled: RE2JS) {
    this.#compiled = compiled
    this.states = compiled.programSize()
  }

  /** Is there a match anywhere in the text? */
  test(text: string, run: Run): boolean {
    this.#pay(text, run)
    return this.#compiled.test(text)
  }

  /** The first match, empty where there is none. */
  find(text: string, run: Run): string {
    return this.findAll(text, 1, run)[0] ?? ''
  }

  /** The matches, not more than `limit` unless that is negative. */
  findAll(text: string, limit: number, run: Run): readonly string[] {
    this.#pay(text, run)
    const matcher = this.#compiled.matcher(text)
    const found: string[] = []
    const most = limit < 0 ? Infinity : limit
    for (let count = 0; count < most && matcher.find(); count++) {
      run.work(MATCH_WORK)
      found.push(matcher.group() ?? '')
    }
    return found
  }

  #pay(text: string, run: Run): void {
    run.work(((text.length + 1) * this.states) / MATCH_UNIT)
  }
}

// Measured: a state takes 5 µs to compile, a character in a state a fiftieth of what a unit of work stands for.
const MATCH_UNIT = 50
const MATCH_WORK = 10
const COMPILE_UNITS = 100

/** What takes long to compile and is one state: a class by name, and where letters of both cases match, each character of a range beyond ASCII. */
const NAMED_CLASS = /\\p/gi
const FOLDED = /\(\?[a-z-]*i/i
const WIDE_RANGE = /-(?:[^\0-\x7f]|\\)/g
// Measured: 50 µs, 270 µs and 3.3 ms at most, of which a unit is 50 ns.
const NAMED_UNITS = 1_500
const FOLDED_NAMED_UNITS = 6_000
const FOLDED_RANGE_UNITS = 70_000

/** What compiling a pattern takes beside its states, at the most. */
function classUnits(source: string): number {
  const named = countOf(source, NAMED_CLASS)
  if (!FOLDED.test(source)) return named * NAMED_UNITS
  return named * FOLDED_NAMED_UNITS + countOf(source, WIDE_RANGE) * FOLDED_RANGE_UNITS
}

const countOf = (text: string, what: RegExp): number => text.match(what)?.length ?? 0

/** Compiles a pattern; the failure words what is wrong as Go does. `run` pays, and may be left out at compile time. */
export function compilePattern(source: string, run?: Run): CelPattern | Failure {
  run?.work(source.length + classUnits(source))
  try {
    const pattern = new CelPattern(RE2JS.compile(source))
    run?.work(pattern.states * COMPILE_UNITS)
    return pattern
  } catch (error) {
    if (error instanceof RE2JSException) return new Failure(withEmptyQuote(error.message))
    throw error
  }
}

const withEmptyQuote = (message: string): string =>
  message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message
