import { isObject, type KubeObject } from '../machinery/object.ts'

/** A function of the library got an invalid argument. */
export class InputError extends TypeError {
  readonly code = 'invalid-input'
  /** Where in the argument: `object`, `quotas[1]`, `operation`. */
  readonly input: string
  constructor(input: string, problem: string) {
    super(`${input}: ${problem}`)
    this.name = 'InputError'
    this.input = input
  }
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`

/** Throws InputError unless the value is an object with metadata, as everything in an API server is. */
export function assertMetadata(value: unknown, input: string): asserts value is Pick<KubeObject, 'metadata'> {
  if (!isObject(value)) throw new InputError(input, `must be an object, not ${shown(value)}`)
  if (!isObject(value['metadata']))
    throw new InputError(`${input}.metadata`, `must be an object, not ${shown(value['metadata'])}`)
}

/** Throws InputError unless the value says by apiVersion and kind what it is. */
export function assertKind(value: unknown, input: string): asserts value is Pick<KubeObject, 'apiVersion' | 'kind'> {
  if (!isObject(value)) throw new InputError(input, `must be an object, not ${shown(value)}`)
  for (const field of ['apiVersion', 'kind'])
    if (typeof value[field] !== 'string' || value[field] === '')
      throw new InputError(`${input}.${field}`, 'must be a non-empty string')
}
