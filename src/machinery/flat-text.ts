/**
 * Returns the same text in one piece. V8 stores a concatenated text as references to its parts. Such a text makes
 * `JSON.stringify` of the whole object twice as slow. Use it for texts that the server puts into stored objects.
 */
export function flatText(text: string): string {
  const flat: unknown = JSON.parse(JSON.stringify(text))
  return typeof flat === 'string' ? flat : text
}
