/** The uninstallation cannot go on. `message` says why, `advice` what to do about it; what was done stays done, and it can be repeated. */
export class UninstallError extends Error {
  readonly advice: string
  constructor(message: string, advice: string) {
    super(message)
    this.name = 'UninstallError'
    this.advice = advice
  }
}
