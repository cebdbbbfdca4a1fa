import { yamlOf } from './yaml-answer.ts'

/** A list whose items are made one after the other, each time that it is gone through. */
export interface SlicedList {
  /** All its fields but that of the items, in the order of JSON. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The field of the items, which comes last in JSON. */
  readonly name: 'items' | 'rows'
  /** Each item as a JSON text. */
  readonly texts: Iterable<string>
}

/** A list of what `make` gives of each source, as JSON texts. */
export const textsMadeFrom = <Source>(
  sources: Iterable<Source>,
  make: (source: Source) => string,
): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (const source of sources) yield make(source)
  },
})

/** The list as JSON, in parts: one for each item. */
export function* jsonParts({ fields, name, texts }: SlicedList): Generator<string> {
  yield `${JSON.stringify(fields).slice(0, -1)},"${name}":[`
  let separator = ''
  for (const text of texts) {
    yield `${separator}${text}`
    separator = ','
  }
  yield ']}'
}

/** The list as YAML, in parts: as the whole would be written, with sorted names. */
export function* yamlParts({ fields, name, texts }: SlicedList): Generator<string> {
  for (const field of [...Object.keys(fields), name].toSorted()) {
    if (field !== name) {
      yield yamlOf(JSON.stringify({ [field]: fields[field] }))
      continue
    }
    let isEmpty = true
    for (const text of texts) {
      yield `${isEmpty ? `${name}:\n` : ''}${yamlOf(`[${text}]`)}`
      isEmpty = false
    }
    if (isEmpty) yield `${name}: []\n`
  }
}
