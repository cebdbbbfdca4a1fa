/** A format that `format.dns1123Label()` and its kin stand for. */
export class NamedFormat {
  readonly name: string
  /** How long the regular expression is that upstream reckons with; the cost of `validate` goes by it. */
  readonly patternLength: number
  /** The errors in a text; empty for nothing. */
  readonly validate: (text: string) => readonly string[]

  constructor(name: string, patternLength: number, validate: (text: string) => readonly string[]) {
    this.name = name
    this.patternLength = patternLength
    this.validate = validate
  }
}
