import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'

interface Entry {
  readonly names: JsonObject
  readonly isAccepted: boolean
}

/** The names of the definitions of each group, so that no lookup goes through all definitions. */
export class DefinitionNames {
  readonly #groups = new Map<string, Map<string, Entry>>()

  /** The accepted names of the other definitions of a definition's group. */
  besides(definition: KubeObject): readonly JsonObject[] {
    return this.#others(definition).map(([, { names }]) => names)
  }

  /** The other definitions of the group that were refused a name, and may get it once it is given up. */
  waiting(definition: KubeObject): readonly string[] {
    return this.#others(definition).flatMap(([name, { isAccepted }]) => (isAccepted ? [] : [name]))
  }

  /** Notes what the status of a definition says. Gives whether its names have changed. */
  note(definition: KubeObject): boolean {
    const { acceptedNames, conditions } = statusOf(definition)
    const names = objectOf(acceptedNames)
    const isAccepted = objectsOf(conditions).some(({ type, status }) => type === 'NamesAccepted' && status === 'True')
    const group = textOf(specOf(definition).group)
    const entries = this.#groups.get(group) ?? new Map<string, Entry>()
    const before = entries.get(nameOf(definition))?.names
    this.#groups.set(group, entries.set(nameOf(definition), { names, isAccepted }))
    return !jsonEqual(before, names)
  }

  forget(definition: KubeObject): void {
    this.#groups.get(textOf(specOf(definition).group))?.delete(nameOf(definition))
  }

  #others(definition: KubeObject): readonly (readonly [string, Entry])[] {
    const entries = this.#groups.get(textOf(specOf(definition).group)) ?? new Map<string, Entry>()
    return [...entries].filter(([name]) => name !== nameOf(definition))
  }
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
