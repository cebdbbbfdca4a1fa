/** Ends a command that did its work and has said what it leaves to its caller: exit code 3. */
export class LeftOver extends Error {
  constructor() {
    super('something is left to do')
    this.name = 'LeftOver'
  }
}
