import type { DataDirectory } from '../../runtime/files/data-directory.ts'

const FILE = 'webhook-port'
const HIGHEST = 65_535

/**
 * The port of the webhooks in earlier runs. Stored configurations name it until they are written again: with another port each time, creates
 * would fail after a restart until then.
 */
export class UsualPort {
  readonly #directory: Pick<DataDirectory, 'read' | 'write'>
  readonly port: number | undefined

  constructor(directory: Pick<DataDirectory, 'read' | 'write'>) {
    this.#directory = directory
    const port = Number(directory.read(FILE)?.trim() ?? '')
    this.port = Number.isSafeInteger(port) && port > 0 && port <= HIGHEST ? port : undefined
  }

  /** Sets the port of the next runs. */
  keep(port: number): void {
    if (port !== this.port) this.#directory.write(FILE, `${port}\n`)
  }
}
