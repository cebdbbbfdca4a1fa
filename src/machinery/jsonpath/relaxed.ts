const RELAXED = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/

/**
 * The template that kubectl makes of a path given without braces or leading dot (`custom-columns`, `--sort-by`,
 * `wait --for`): `x`, `.x`, `{x}` and `{.x}` all become `{.x}`; an empty path stays empty.
 * @throws RangeError with kubectl's text
 */
export function relaxedJsonPath(path: string): string {
  if (path === '') return ''
  const match = RELAXED.exec(path)
  if (match === null) {
    throw new RangeError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    )
  }
  return `{.${match[1] ?? match[2] ?? ''}}`
}
