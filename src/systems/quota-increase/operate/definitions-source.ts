import { quotaServiceConfig } from '../api/quota-service-config.ts'
import type { QuotaDefinitions } from '../decide/definitions.ts'
import { readServiceConfig } from '../decide/read-definitions.ts'
import { type Clock, pause } from '../../../kube/time/clock.ts'
import { sentence } from '../../../machinery/field-error.ts'
import { StartupError } from '../../../runtime/process/startup-error.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { type KeptFields, keepFields } from '../../../operator/shell/keep-fields.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import { definitionsIn, textOfDefinitions } from './definitions-file.ts'
import type { DefinitionsPlace } from './options.ts'

/** Definitions as their author wrote them last, or why there are none that could be followed. */
export type Candidate =
  | { readonly definitions: QuotaDefinitions; readonly problem?: undefined }
  | { readonly problem: string; readonly definitions?: undefined }

/** Where definitions come from. */
export interface DefinitionsSource {
  readonly current: Candidate
  /** Calls a handler after every change. Gives what ends it. */
  readonly onChange: (handler: () => void) => () => void
  readonly stop: () => Promise<void>
}

/** Opens the place of the definitions. Throws StartupError where it is a file that cannot be used. */
export const openDefinitions = (place: DefinitionsPlace, context: OperatorContext): DefinitionsSource =>
  'file' in place ? new DefinitionsFile(place.file, context.clock) : new ServiceConfig(place.config, context)

/** How often the file is read. A file behind a mounted path changes without a sign. */
const EVERY_MS = 1000

/** A file, which is read again and again while the process runs. */
class DefinitionsFile implements DefinitionsSource {
  readonly #file: string
  readonly #handlers = new Set<() => void>()
  readonly #abort = new AbortController()
  readonly #loop: Promise<void>
  #text: string | undefined
  #current: Candidate

  constructor(file: string, clock: Clock) {
    this.#file = file
    this.#text = textOfDefinitions(file)
    this.#current = { definitions: definitionsIn(file, this.#text) }
    this.#loop = this.#follow(clock)
  }

  get current(): Candidate {
    return this.#current
  }

  onChange(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#loop
  }

  async #follow(clock: Clock): Promise<void> {
    const { signal } = this.#abort
    for (await pause(clock, EVERY_MS, signal); !signal.aborted; await pause(clock, EVERY_MS, signal)) {
      const next = this.#read()
      if (next === undefined) continue
      this.#current = next
      for (const handler of this.#handlers) handler()
    }
  }

  /** Undefined where nothing has changed. */
  #read(): Candidate | undefined {
    let text: string | undefined
    try {
      text = textOfDefinitions(this.#file)
      if (text === this.#text) return undefined
      return { definitions: definitionsIn(this.#file, text) }
    } catch (error) {
      if (!(error instanceof StartupError)) throw error
      return error.message === this.#current.problem ? undefined : { problem: error.message }
    } finally {
      this.#text = text
    }
  }
}

/** A QuotaServiceConfig, which is watched. */
class ServiceConfig implements DefinitionsSource {
  readonly #name: string
  readonly #configs: CacheView<KeptFields>

  constructor(name: string, { caches }: OperatorContext) {
    this.#name = name
    this.#configs = caches.view({ kind: quotaServiceConfig, keep: keepFields('spec') })
  }

  get current(): Candidate {
    const config = this.#configs.get('', this.#name)
    if (config === undefined) return { problem: `the QuotaServiceConfig ${this.#name} does not exist` }
    const read = readServiceConfig(config.fields['spec'] ?? null)
    if (read.errors === undefined) return read
    return { problem: `the QuotaServiceConfig ${this.#name} is invalid: ${read.errors.map(sentence).join(', ')}` }
  }

  onChange(handler: () => void): () => void {
    return this.#configs.onChange((_, __, { name }) => {
      if (name === this.#name) handler()
    })
  }

  stop = (): Promise<void> => Promise.resolve()
}
