import { setTimeout as sleep } from 'node:timers/promises'
import { ViewerClient } from '../../test/dashboard/viewer-client.ts'

/** Whose page it is, and of which namespace; empty: of all. */
export interface View {
  readonly token: string
  readonly namespace: string
}

/** A page does not read more often. */
const READ_AGAIN_MS = 1000

/** A page as a browser holds it: an event stream, and what it shows is read again after changes. */
export class Page {
  reads = 0
  bytes = 0
  refused = 0
  readonly #client: ViewerClient
  readonly #view: View
  #close: () => void = () => undefined
  #following: Promise<void> = Promise.resolve()
  #isOpen = true

  private constructor(url: string, view: View) {
    this.#client = new ViewerClient(() => url)
    this.#view = view
  }

  static async open(url: string, view: View): Promise<Page> {
    const page = new Page(url, view)
    const stream = await page.#client.open(view.token, view.namespace)
    page.#close = stream.close
    page.#following = page.#follow(stream.text)
    return page
  }

  async close(): Promise<void> {
    this.#isOpen = false
    await this.#following
    this.#close()
    await this.#client[Symbol.asyncDispose]()
  }

  async #follow(text: () => string): Promise<void> {
    let seen = 0
    while (this.#isOpen) {
      await sleep(READ_AGAIN_MS)
      const told = text().slice(seen)
      seen += told.length
      if (told.includes('event: change')) await Promise.all(this.#paths(told).map((path) => this.#read(path)))
    }
  }

  #paths(told: string): readonly string[] {
    const { namespace } = this.#view
    if (namespace === '') return told.includes('"resourcequotas"') ? ['/api/v1/quotas'] : []
    return [`/api/v1/namespaces/${namespace}`, `/api/v1/quotas?namespace=${namespace}`]
  }

  async #read(path: string): Promise<void> {
    const { code, text } = await this.#client.ask({ path, token: this.#view.token })
    this.reads++
    this.bytes += text.length
    if (code !== 200) this.refused++
  }
}
