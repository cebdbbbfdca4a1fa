/**
 * The same text in one piece. The engine keeps a text that was put together, or cut out of another, as a reference to its
 * parts, and `JSON.stringify` takes twice as long and more for an object that holds a single such text: hence this for
 * whatever the server itself puts into objects that are stored.
 */
export function flatText(text: string): string {
  const flat: unknown = JSON.parse(JSON.stringify(text))
  return typeof flat === 'string' ? flat : text
}
