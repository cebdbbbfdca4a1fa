/**
 * A selector that cannot be read. The message is upstream's text, fit for a 400 `BadRequest`; the floor that serves
 * requests makes a Status of it.
 */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}
