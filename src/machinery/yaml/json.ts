import { duplicateFields, JsonTextError, parseJson } from '../json-text.ts'
import { isRawNumber, isTree, setOwn } from '../json-value.ts'
import { CONTROL } from './text.ts'
import { INT64_MIN, UINT64_MAX } from '../go/int64.ts'

/** The value of a text that is YAML and JSON, and whether it sets a key twice, where that is asked for. */
export interface JsonAsYaml {
  readonly value: unknown
  readonly isTwice: boolean
}

/** Texts that JSON admits and Go's reader of YAML does not: an escaped slash, and halves of characters. */
const OTHERWISE = /\\(?:\/|u[dD][89a-fA-F])/

/**
 * The value that a reader of YAML makes of a text that is JSON, in a fraction of the time. `undefined` for a text that has to be read as
 * YAML, since it is not JSON or stands for something else there.
 */
export function readJsonAsYaml(text: string, withDuplicates: boolean): JsonAsYaml | undefined {
  if (!text.startsWith('{') || OTHERWISE.test(text) || CONTROL.test(text)) return undefined
  try {
    const value = parseJson(text)
    const isTwice = withDuplicates && duplicateFields(text, value).length > 0
    return { value: MAY_BE_OTHERWISE.test(text) ? withYamlNumbers(value) : value, isTwice }
  } catch (error) {
    if (error instanceof JsonTextError) return undefined
    throw error
  }
}

/** Only where this matches a number may not be as `parseJson` gives it. */
const MAY_BE_OTHERWISE = /\d[.eE]\d|\d[eE][-+]\d|\d{16}|-0/

/** With whole numbers of 64 bits, float64 numbers, and texts for numbers that no float64 holds. Shares what does not change. */
function withYamlNumbers(value: unknown): unknown {
  if (isRawNumber(value)) return yamlNumber(value.rawJSON) ?? value
  if (Array.isArray(value)) {
    const items = value.map(withYamlNumbers)
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isTree(value)) return value
  let changed = false
  const result: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const item = withYamlNumbers(value[name])
    changed ||= item !== value[name]
    setOwn(result, name, item)
  }
  return changed ? result : value
}

/** `undefined` for a whole number of 64 bits, which keeps its digits. */
function yamlNumber(text: string): number | string | undefined {
  if (/^-?\d{1,20}$/.test(text)) {
    const whole = BigInt(text)
    if (whole >= INT64_MIN && whole <= UINT64_MAX)
      return Number.isSafeInteger(Number(whole)) ? Number(whole) : undefined
  }
  const float = Number(text)
  return Number.isFinite(float) ? float : text
}
