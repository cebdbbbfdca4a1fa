/** The step that failed: reading the template (`parse`), the object it was applied to (`execute`), or a guard of ours (`limit`). */
export type JsonPathPhase = 'parse' | 'execute' | 'limit'

/** Thrown by `JsonPath`. The message is client-go's text, without any prefix; `limit` messages are ours. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
  readonly phase: JsonPathPhase

  constructor(phase: JsonPathPhase, message: string) {
    super(message)
    this.phase = phase
  }
}
