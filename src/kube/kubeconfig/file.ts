import { resolve } from 'node:path'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { yamlPosition } from '../../machinery/yaml/position.ts'
import { parseYaml, YamlTextError } from '../../machinery/yaml/text.ts'
import { systemCode } from '../../runtime/process/startup-error.ts'
import { unreadableFile } from '../../runtime/process/unreadable-file.ts'
import { KubeconfigError, type KubeconfigErrorCode } from './error.ts'
import { KubeconfigField } from './field.ts'

/** The lists of a kubeconfig whose entries have names, and what such an entry holds. */
const KINDS = { clusters: 'cluster', contexts: 'context', users: 'user' } as const
export type EntryList = keyof typeof KINDS

/** One kubeconfig file that was read. Its fields are only looked into when they are used. */
export class KubeconfigFile {
  readonly path: string
  readonly #text: string
  readonly root: KubeconfigField

  private constructor(path: string, text: string, document: JsonObject) {
    this.path = path
    this.#text = text
    this.root = new KubeconfigField(this, '', document)
  }

  /** Throws KubeconfigError; undefined when there is no such file and `optional`. `from`: what named it. */
  static read(
    file: string,
    readText: (file: string) => string,
    { optional, from }: { readonly optional: boolean; readonly from: string },
  ): KubeconfigFile | undefined {
    const path = resolve(file)
    let text: string
    try {
      text = readText(path)
    } catch (error) {
      const code = systemCode(error)
      if (optional && code === 'ENOENT') return undefined
      const kind = code === 'ENOENT' ? 'file-missing' : 'file-unreadable'
      throw new KubeconfigError(kind, unreadableFile(path, error, from), { cause: error })
    }
    return new KubeconfigFile(path, text, documentOf(path, text))
  }

  /** The entry of that name, as what it holds; undefined when there is none. Throws KubeconfigError when there are two. */
  entry(list: EntryList, name: string): KubeconfigField | undefined {
    const found = this.root
      .at(list)
      .items()
      .filter((entry) => entry.at('name').text() === name)
    const second = found[1]
    if (second !== undefined) throw second.at('name').invalid(`the name ${JSON.stringify(name)} is used twice`)
    return found[0]?.at(KINDS[list])
  }

  names(list: EntryList): readonly string[] {
    return this.root
      .at(list)
      .items()
      .flatMap((entry) => entry.at('name').text() ?? [])
  }

  /** `file:line:column: field: what`. */
  problem(path: string, what: string, code: KubeconfigErrorCode): KubeconfigError {
    const { line, column } = yamlPosition(this.#text, path)
    return new KubeconfigError(code, `${this.path}:${line}:${column}: ${path === '' ? '' : `${path}: `}${what}`)
  }
}

function documentOf(path: string, text: string): JsonObject {
  let document: unknown
  try {
    document = parseYaml(text)
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error
    const problem = withoutQuotes(error.message.replace(/^yaml: (?:line \d+: )?/, ''))
    throw new KubeconfigError('not-yaml', `${path}:${error.line}:${error.column}: this is not YAML: ${problem}`)
  }
  // An empty file is an empty kubeconfig.
  if (document === null || document === undefined) return {}
  if (!isObject(document)) throw new KubeconfigError('not-yaml', `${path}:1:1: invalid kubeconfig: it must be a map`)
  const kind = document['kind'] ?? ''
  if (kind !== 'Config' && kind !== '') {
    const { line, column } = yamlPosition(text, 'kind')
    throw new KubeconfigError(
      'field-invalid',
      `${path}:${line}:${column}: kind: invalid kubeconfig: its kind must be Config`,
    )
  }
  return document
}

/** A parser may quote part of a secret. */
const withoutQuotes = (message: string): string => message.replaceAll(/(['"`]).*\1/g, '…')
