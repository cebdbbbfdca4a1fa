import { type AnswerReader, isTooLarge } from '../../kube/client/answer-reader.ts'
import type { KubeClient, ListCallOptions, Listed, ResourceKind } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
import { FairList } from './fair-list.ts'
import type { Reading } from './reading.ts'
import { newestFirst, shownPart } from './shown-part.ts'

/** So much is kept of one list. */
const MOST_OF_LIST = 8 * 1024 * 1024
/** So much is read for one request, however little of it is kept. */
const MOST_READ = 64 * 1024 * 1024
const ATTEMPTS = 2

/** Lists for one request that are cut so that each namespace keeps its share. They are read on when what is kept is full. */
export class FairLists implements Pick<KubeClient, 'list'> {
  readonly #reading: Reading
  readonly #client: Pick<KubeClient, 'listPages'>
  #read = 0

  /** `clientFor`: gives a client whose answers the reader counts and prunes. */
  constructor(reading: Reading, clientFor: (reader: AnswerReader) => Pick<KubeClient, 'listPages'>) {
    this.#reading = reading
    this.#client = clientFor({
      begin: () => {
        const count = reading.begin()
        const received = (bytes: number): void => {
          this.#read += bytes
          count.received(bytes)
        }
        return { ...count, received }
      },
      beginList: () => ({ keep: shownPart }),
    })
  }

  /** As `KubeClient`; of a list that is too large as many objects as fit, of each namespace its share. */
  async list<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions = {}): Promise<Listed<T>> {
    let kept = await this.#attempt<T>(kind, options)
    for (let attempt = 1; kept.isStale && attempt < ATTEMPTS; attempt++) kept = await this.#attempt<T>(kind, options)
    const { list, isWhole, resourceVersion } = kept
    const cut = isWhole ? { left: list.left } : { left: undefined }
    return { items: list.objects, resourceVersion, ...(isWhole && list.left === 0 ? {} : { cut }) }
  }

  async #attempt<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions) {
    const list = new FairList<T>(MOST_OF_LIST, newestFirst)
    let held = this.#reading.begin()
    let resourceVersion = ''
    const soFar = (isWhole: boolean, isStale = false) => ({ list, isWhole, isStale, resourceVersion })
    try {
      for await (const page of this.#client.listPages<T>(kind, options)) {
        resourceVersion = page.resourceVersion
        const before = list.weight
        for (const item of page.items) list.add(item)
        if (list.weight < before) {
          held.end()
          held = this.#reading.begin()
          held.received(list.weight)
        } else held.received(list.weight - before)
        if (this.#read > MOST_READ) return soFar(false)
      }
    } catch (error) {
      if (resourceVersion === '') throw error
      if (isTooLarge(error)) return soFar(false)
      if (!(error instanceof ApiError && error.status.code === 410)) throw error
      held.end()
      return soFar(false, true)
    }
    return soFar(true)
  }
}
