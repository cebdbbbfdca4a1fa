import { unreadableFile } from '../../runtime/process/unreadable-file.ts'
import type { PemSource } from '../access/cluster-access.ts'
import type { KubeconfigField } from './field.ts'

/** A PEM text of a kubeconfig, what it holds now, and the field that gives it. */
export interface ReadPem {
  readonly source: PemSource
  readonly text: string
  readonly field: KubeconfigField
}

/** Reads `<name>-data` or else the file that `<name>` names; undefined when neither is there. Throws KubeconfigError. */
export function readPem(
  parent: KubeconfigField,
  name: string,
  readText: (file: string) => string,
): ReadPem | undefined {
  const data = parent.at(`${name}-data`)
  const inline = data.decoded()
  if (inline !== undefined) return { source: { text: inline }, text: inline, field: data }
  const field = parent.at(name)
  const file = field.file()
  if (file === undefined) return undefined
  try {
    return { source: { file }, text: readText(file), field }
  } catch (error) {
    throw field.invalid(unreadableFile(file, error), 'file-unreadable')
  }
}
