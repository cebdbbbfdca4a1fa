/** The migration cannot go on. `message` says why, `advice` what to do about it; it can be repeated. */
export class MigrateError extends Error {
  readonly advice: string
  constructor(message: string, advice: string) {
    super(message)
    this.name = 'MigrateError'
    this.advice = advice
  }
}
