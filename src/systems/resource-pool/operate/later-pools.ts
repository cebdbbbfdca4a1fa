import { newerFormat } from '../../../api/kept-format.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { OperatorContext } from '../../../operator/system.ts'

/** The format of the ledger in the status of a pool. */
const POOL_FORMAT = 1
/** The reason of the Event on a pool whose ledger a later version keeps. */
const LATER_FORMAT = 'LaterFormat'

const problemOf = (pool: ResourcePool): string | undefined => newerFormat(pool, POOL_FORMAT)

/** Does a later version keep the ledger of the pool? Then nothing is granted from it, and nothing of it is written. */
export const isLaterPool = (pool: ResourcePool): boolean => problemOf(pool) !== undefined

/** The pools whose ledgers a later version keeps, and what was said about them. */
export class LaterPools {
  readonly #context: Pick<OperatorContext, 'logger' | 'recorder'>
  /** Why pools are left alone, by name. */
  readonly #said = new Map<string, string>()

  constructor(context: Pick<OperatorContext, 'logger' | 'recorder'>) {
    this.#context = context
  }

  /** Is the pool to be left alone? The log and an Event say why, once. */
  leaves(pool: ResourcePool): boolean {
    const { name = '' } = pool.metadata
    const why = problemOf(pool)
    if (why === undefined) this.#said.delete(name)
    else if (this.#said.get(name) !== why) this.#say(pool, name, why)
    return why !== undefined
  }

  /** The pool is gone. */
  forget(name: string): void {
    this.#said.delete(name)
  }

  #say(pool: ResourcePool, name: string, why: string): void {
    const { logger, recorder } = this.#context
    this.#said.set(name, why)
    const note = `${why}: nothing is granted until the version that wrote it, or a later one, runs`
    logger.warn({ pool: name }, note)
    recorder.record({ regarding: pool, type: 'Warning', reason: LATER_FORMAT, action: 'Reconciled', note })
  }
}
