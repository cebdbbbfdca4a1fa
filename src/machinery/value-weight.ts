import { failure } from './status.ts'
import { isTree } from './json-value.ts'

/**
 * The bound of what one body may hold: three bytes make an object or a list, which takes fifty times as much memory once it is decoded and
 * has its defaults. No object that fits into the store comes near it.
 */
export const MOST_WEIGHT = 1_000_000
/** An object or a list counts as so many texts or numbers. */
const OBJECT_WEIGHT = 10
/** The shortest text of an object with its comma: `{},`. */
const LEAST_OBJECT_TEXT = 3

/** Counts what is decoded. `take` throws 413 once it is too much. */
export class WeightAllowance {
  readonly #most: number
  #left: number

  constructor(most = MOST_WEIGHT) {
    this.#most = most
    this.#left = most
  }

  takeObject(): void {
    this.#take(OBJECT_WEIGHT)
  }

  takeScalar(): void {
    this.#take(1)
  }

  #take(weight: number): void {
    this.#left -= weight
    if (this.#left < 0) throw tooHeavy(this.#most)
  }
}

/**
 * So many amounts may one object hold in all its lists of resources. Each is parsed, compared and counted in steps that cannot be
 * divided. The longest ResourceQuota has 10,400 names, in three lists.
 */
export const MOST_AMOUNTS = 40_000

export const tooManyAmounts = (): Error =>
  failure(
    413,
    'RequestEntityTooLarge',
    `the object holds too many amounts of resources: at most ${MOST_AMOUNTS} are read`,
  )

const tooHeavy = (most: number): Error =>
  failure(
    413,
    'RequestEntityTooLarge',
    `the body holds too many values: at most ${most} are read, of which each object and list counts as ${OBJECT_WEIGHT}`,
  )

/**
 * Throws 413 for a value that holds too much to be worked on.
 * @param textLength how long its JSON is, where that is known: a short text cannot hold much
 */
export function refuseHeavy(value: unknown, textLength = Infinity): void {
  if ((textLength / LEAST_OBJECT_TEXT) * OBJECT_WEIGHT > MOST_WEIGHT) weigh(value, new WeightAllowance())
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b])
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d])

/** As `refuseHeavy`, for a JSON text of which nothing has been made yet; invalid JSON may pass. */
export function refuseHeavyText(text: string, most = MOST_WEIGHT): void {
  if ((text.length / LEAST_OBJECT_TEXT) * OBJECT_WEIGHT <= most) return
  let weight = 1
  let inString = false
  let hasOpened = false
  for (let at = 0; at < text.length && weight <= most; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === BACKSLASH) at++
      else inString = code !== QUOTE
      continue
    }
    if (code <= SPACE) continue
    // A value begins behind each comma, and behind what opens, unless it closes at once.
    if (code === COMMA || (hasOpened && !CLOSING.has(code))) weight++
    hasOpened = OPENING.has(code)
    if (hasOpened) weight += OBJECT_WEIGHT - 1
    inString = code === QUOTE
  }
  if (weight > most) throw tooHeavy(most)
}

function weigh(value: unknown, allowance: WeightAllowance): void {
  if (Array.isArray(value)) {
    allowance.takeObject()
    for (const item of value) weigh(item, allowance)
  } else if (isTree(value)) {
    allowance.takeObject()
    for (const key in value) weigh(value[key], allowance)
  } else allowance.takeScalar()
}
