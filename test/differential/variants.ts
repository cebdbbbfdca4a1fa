import { type Answers, at, type Step } from './scenario.ts'

/** Dotted paths and what stands there; list places are numbers, `undefined` takes a field away. */
export type Edits = Readonly<Record<string, unknown>>

/** The object with other values at some paths. */
export function edited(object: unknown, edits: Edits): unknown {
  let result = object
  for (const [path, value] of Object.entries(edits)) result = withValue(result, path.split('.'), value)
  return result
}

function withValue(object: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(object)) {
    const copy: unknown[] = [...object]
    copy[Number(key)] = withValue(copy[Number(key)], rest, value)
    return copy
  }
  const before = (object ?? {}) as Readonly<Record<string, unknown>>
  const after = withValue(before[key], rest, value)
  const { [key]: _gone, ...others } = before
  return after === undefined ? others : { ...others, [key]: after }
}

/** One create for each of the edits of an object, under names of their own; the edits name the step. */
export function creates(
  resource: string,
  base: unknown,
  variants: readonly Edits[],
  path: string = at(resource),
): readonly Step[] {
  return variants.map((edits, index) => ({
    method: 'POST',
    path,
    body: edited(base, { 'metadata.name': `v${index}-WORD`, ...edits }),
    name: JSON.stringify(edits),
  }))
}

/** One PUT for each of the edits of what a step named `of` answered, on top of whatever is there. */
export function changes(path: string, of: string, variants: readonly Edits[]): readonly Step[] {
  return variants.map((edits) => ({
    method: 'PUT',
    path,
    body: (answers: Answers) => edited(answers[of]?.body, { 'metadata.resourceVersion': undefined, ...edits }),
    name: `changed ${JSON.stringify(edits)}`,
  }))
}

/** One PUT for each of the edits of what is there then. */
export function updates(path: string, variants: readonly Edits[]): readonly Step[] {
  return variants.flatMap((edits): readonly Step[] => {
    const name = `before ${JSON.stringify(edits)}`
    return [
      { method: 'GET', path, name },
      {
        method: 'PUT',
        path,
        body: (answers: Answers) => edited(answers[name]?.body, edits),
        name: JSON.stringify(edits),
      },
    ]
  })
}
