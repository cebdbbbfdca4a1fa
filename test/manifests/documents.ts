import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

/** The folder of the manifests. */
const WILD = fileURLToPath(new URL('wild/', import.meta.url))

export interface Document {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec?: Readonly<Record<string, unknown>>
}

/** A document with the file that it stands in. */
export interface Manifest {
  /** `2-database StatefulSet/reef`. */
  readonly title: string
  readonly document: Document
}

/** Every document of every file, in the order in which they are to be created. */
export const manifests: readonly Manifest[] = readdirSync(WILD)
  .toSorted()
  .flatMap((file) =>
    parseAllDocuments(readFileSync(`${WILD}${file}`, 'utf8')).map((parsed) => {
      const document = parsed.toJS() as Document
      const version = document.apiVersion.replace(/^.*\//, '')
      const title = `${file.replace('.yaml', '')} ${document.kind} ${version} ${document.metadata.name}`
      return { title, document }
    }),
  )

export const isDefinition = ({ kind }: Document): boolean => kind === 'CustomResourceDefinition'
