import { dirname, resolve } from 'node:path'
import { isObject } from '../../machinery/object.ts'
import type { KubeconfigError, KubeconfigErrorCode } from './error.ts'

/** The parts of its file that a field uses. */
interface FieldFile {
  readonly path: string
  problem(path: string, what: string, code: KubeconfigErrorCode): KubeconfigError
}

/** A field of a kubeconfig with its value and its place. Messages show the place, and never the value. */
export class KubeconfigField {
  readonly #file: FieldFile
  readonly #path: string
  readonly value: unknown

  constructor(file: FieldFile, path: string, value: unknown) {
    this.#file = file
    this.#path = path
    this.value = value ?? undefined
  }

  at(name: string): KubeconfigField {
    if (this.value !== undefined && !isObject(this.value)) throw this.invalid('it must be a map')
    return new KubeconfigField(this.#file, this.#path === '' ? name : `${this.#path}.${name}`, this.value?.[name])
  }

  /** The names of what is in a map. */
  keys(): readonly string[] {
    if (this.value !== undefined && !isObject(this.value)) throw this.invalid('it must be a map')
    return Object.keys(this.value ?? {})
  }

  items(): readonly KubeconfigField[] {
    if (this.value === undefined) return []
    if (!Array.isArray(this.value)) throw this.invalid('it must be a list')
    return this.value.map((item, index) => new KubeconfigField(this.#file, `${this.#path}[${index}]`, item))
  }

  /** Undefined when it is empty, as Go sees no difference. */
  text(): string | undefined {
    if (this.value === undefined || this.value === '') return undefined
    if (typeof this.value !== 'string') throw this.invalid('it must be a string (put it in quotes)')
    return this.value
  }

  needed(): string {
    const text = this.text()
    if (text === undefined) throw this.invalid('it is needed')
    return text
  }

  texts(): readonly string[] {
    return this.items().map((item) => item.text() ?? '')
  }

  flag(): boolean {
    if (this.value === undefined) return false
    if (typeof this.value !== 'boolean') throw this.invalid('it must be true or false')
    return this.value
  }

  /** A path, which is relative to the kubeconfig that it stands in. */
  file(): string | undefined {
    const text = this.text()
    return text === undefined ? undefined : resolve(dirname(this.#file.path), text)
  }

  /** Returns the text that a base64 value encodes. */
  decoded(): string | undefined {
    const text = this.text()?.replaceAll(/\s/g, '')
    if (text === undefined) return undefined
    if (text.length % 4 !== 0 || !/^[A-Za-z\d+/]*={0,2}$/.test(text)) throw this.invalid('it is not base64')
    return Buffer.from(text, 'base64').toString('utf8')
  }

  invalid(what: string, code: KubeconfigErrorCode = 'field-invalid'): KubeconfigError {
    return this.#file.problem(this.#path, what, code)
  }
}
