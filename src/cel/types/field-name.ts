/** The words that CEL reserves, which therefore cannot be the plain name of a field. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var void ' +
    'while'
  ).split(' '),
)

const ESCAPES: readonly (readonly [property: string, name: string])[] = [
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]

/**
 * The name by which an expression reaches a property: `x-prop` as `x__dash__prop`, `namespace` as `__namespace__`.
 * `undefined` for a property that no name reaches. The rule is the CRD documentation's (`x-kubernetes-validations`).
 */
export function escapeField(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(property)) return undefined
  if (!/__|[./-]/.test(property)) return property
  return property.replaceAll(/__|[./-]/g, (part) => ESCAPES.find(([one]) => one === part)?.[1] ?? part)
}

/** The property that a name reaches, or `undefined` where the name escapes nothing that exists. */
export function unescapeField(name: string): string | undefined {
  if (!name.includes('__')) return name
  let valid = true
  const property = name.replaceAll(/__([^_]+)__/g, (whole: string, inner: string) => {
    const escape = ESCAPES.find((pair) => pair[1] === whole)
    if (escape !== undefined) return escape[0]
    valid &&= RESERVED.has(inner) && whole === name
    return inner
  })
  return valid ? property : undefined
}

/**
 * Returns the entry of `fields` for the name that an expression writes. A word that CEL reserves needs no escape behind a dot:
 * `self.namespace` reaches the same field as `self.__namespace__` (apiserver's `RecognizeKeywordAsFieldName`).
 */
export function fieldOf<T>(fields: ReadonlyMap<string, T>, name: string): T | undefined {
  return fields.get(name) ?? (RESERVED.has(name) ? fields.get(`__${name}__`) : undefined)
}

/** May the word not be the name of a variable? */
export const isReservedWord = (word: string): boolean => RESERVED.has(word)
