interface NamedKind {
  readonly kind: string
  readonly name: string
}

const isBlank = (text: string): boolean => text.trim() === ''

/** Is there an object that can be asked about? Events may be of anything. */
export const hasFullName = ({ kind, name }: NamedKind): boolean => !isBlank(kind) && !isBlank(name)

/** An object in words, such as `Deployment web`. */
export const objectText = ({ kind, name }: NamedKind): string =>
  `${isBlank(kind) ? 'Object of no kind' : kind} ${isBlank(name) ? 'without a name' : name}`
