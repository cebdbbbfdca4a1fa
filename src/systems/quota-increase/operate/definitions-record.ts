import type { ConfigMap } from '../../../builtin/core-v1.ts'
import { objectOf } from '../../../machinery/read.ts'
import type { QuotaDefinitions } from '../decide/definitions.ts'
import { readDefinitionsFile } from '../decide/read-definitions.ts'
import { DEFINITIONS_RECORD } from '../../../install/installed-names.ts'
import type { KubeClient, ResourceKind } from '../../../kube/client/kube-client.ts'
import { parseJson } from '../../../machinery/json-text.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isNotFound } from '../../../machinery/status.ts'

const CONFIG_MAPS: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
const PROVIDER = 'provider'
const DEFINITIONS = 'definitions.json'

/** The definitions that the last leader followed, so that a process with a broken file knows which ones it lacks. */
export interface StoredDefinitions {
  readonly definitions: QuotaDefinitions
  /** Of the ConfigMap. */
  readonly object: KubeObject
}

/** The record of the definitions that are followed: a ConfigMap in the operator's namespace. */
export class DefinitionsRecord {
  readonly #client: KubeClient
  readonly #namespace: string
  readonly #provider: string

  constructor(client: KubeClient, namespace: string, provider: string) {
    this.#client = client
    this.#namespace = namespace
    this.#provider = provider
  }

  /** Undefined where there is none of this provider that can be read. Rejects as `KubeClient` does. */
  async read(signal: AbortSignal): Promise<StoredDefinitions | undefined> {
    try {
      const object = await this.#client.get(
        CONFIG_MAPS,
        { namespace: this.#namespace, name: DEFINITIONS_RECORD },
        { signal },
      )
      const definitions = this.#definitionsIn(object)
      return definitions === undefined ? undefined : { definitions, object }
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Writes what is followed from now on, unless the record says so already. Rejects as `KubeClient` does. */
  async write(
    definitions: QuotaDefinitions,
    stored: StoredDefinitions | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const text = textOf(definitions)
    if (stored !== undefined && textOf(stored.definitions) === text) return
    const name = { namespace: this.#namespace, name: DEFINITIONS_RECORD }
    const data = { [PROVIDER]: this.#provider, [DEFINITIONS]: text }
    const resourceVersion = stored?.object.metadata.resourceVersion
    const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } }
    const patch = { type: 'merge', body: { ...metadata, data } } as const
    try {
      await this.#client.patch(CONFIG_MAPS, name, patch, { signal })
    } catch (error) {
      if (stored !== undefined || !isNotFound(error)) throw error
      await this.#client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: name, data }, { signal })
    }
  }

  #definitionsIn(object: ConfigMap): QuotaDefinitions | undefined {
    const data = objectOf(object.data)
    if (data[PROVIDER] !== this.#provider) return undefined
    const text = data[DEFINITIONS]
    if (typeof text !== 'string') return undefined
    try {
      const read = readDefinitionsFile(parseJson(text))
      return read.errors === undefined ? read.definitions : undefined
    } catch {
      // Somebody wrote there who should not; what is in use tells the rest.
      return undefined
    }
  }
}

const textOf = ({ quotas, external }: QuotaDefinitions): string =>
  JSON.stringify({ quotas, externalQuotaDefinitionNames: external })
