/** An expected error that people can act on: `message` says what is wrong, `advice` what to do about it. */
export class AdvisingError extends Error {
  readonly advice: string
  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options)
    this.name = this.constructor.name
    this.advice = advice
  }
}
