import type { Dispatcher } from 'undici'

/** The headers and the text of an answer. */
export interface WholeAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/**
 * Sends a request and reads the whole answer as text. It does what `request` of undici does, without a stream for each answer, which costs
 * more than all else of a short one. `received` is told of the bytes as they come. Rejects with what it throws, with the signal's reason when that
 * aborts, else as undici does.
 */
export function sendWhole(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  received?: (bytes: number) => void,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const reading = new Reading(signal, resolve, reject, received)
    try {
      dispatcher.dispatch(request, reading)
    } catch (error) {
      reading.fail(error)
    }
  })
}

class Reading implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal
  readonly #resolve: (answer: WholeAnswer) => void
  readonly #reject: (error: unknown) => void
  readonly #received: ((bytes: number) => void) | undefined
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #statusCode = 0
  #headers: WholeAnswer['headers'] = {}

  constructor(
    signal: AbortSignal,
    resolve: (answer: WholeAnswer) => void,
    reject: (error: unknown) => void,
    received: ((bytes: number) => void) | undefined,
  ) {
    this.#received = received
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    signal.addEventListener('abort', this.#aborted, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#signal.aborted) controller.abort(reasonOf(this.#signal))
    else this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: WholeAnswer['headers'],
  ): void {
    // The final answer follows upon one that only informs.
    this.#statusCode = statusCode
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    try {
      this.#received?.(chunk.length)
      this.#chunks.push(chunk)
    } catch (error) {
      this.fail(error)
      controller.abort(error instanceof Error ? error : new Error(String(error)))
    }
  }

  onResponseEnd(): void {
    this.#leave()
    const [first] = this.#chunks
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#resolve({ statusCode: this.#statusCode, headers: this.#headers, text: textOf(bytes) })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  fail(error: unknown): void {
    this.#leave()
    this.#reject(error)
  }

  readonly #aborted = (): void => {
    this.#reject(this.#signal.reason)
    this.#controller?.abort(reasonOf(this.#signal))
  }

  #leave(): void {
    this.#signal.removeEventListener('abort', this.#aborted)
  }
}

const reasonOf = ({ reason }: AbortSignal): Error => (reason instanceof Error ? reason : new Error(String(reason)))

/** Without the mark of the byte order that a text may begin with. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
