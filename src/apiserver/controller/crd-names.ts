import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'

interface Entry {
  readonly names: JsonObject
  readonly isAccepted: boolean
}

/** The names of the CRDs of each group, so that no lookup goes through all CRDs. */
export class CrdNames {
  readonly #groups = new Map<string, Map<string, Entry>>()

  /** The accepted names of the other CRDs of the group of a CRD. */
  besides(crd: CustomResourceDefinition): readonly JsonObject[] {
    return this.#others(crd).map(([, { names }]) => names)
  }

  /** The other CRDs of the group that were refused a name, and may get it once it is given up. */
  waiting(crd: CustomResourceDefinition): readonly string[] {
    return this.#others(crd).flatMap(([name, { isAccepted }]) => (isAccepted ? [] : [name]))
  }

  /** Notes what the status of a CRD says. Gives whether its names have changed. */
  note(crd: CustomResourceDefinition): boolean {
    const { acceptedNames, conditions } = statusOf(crd)
    const names = objectOf(acceptedNames)
    const isAccepted = objectsOf(conditions).some(({ type, status }) => type === 'NamesAccepted' && status === 'True')
    const group = textOf(specOf(crd).group)
    const entries = this.#groups.get(group) ?? new Map<string, Entry>()
    const before = entries.get(nameOf(crd))?.names
    this.#groups.set(group, entries.set(nameOf(crd), { names, isAccepted }))
    return !jsonEqual(before, names)
  }

  forget(crd: CustomResourceDefinition): void {
    this.#groups.get(textOf(specOf(crd).group))?.delete(nameOf(crd))
  }

  #others(crd: CustomResourceDefinition): readonly (readonly [string, Entry])[] {
    const entries = this.#groups.get(textOf(specOf(crd).group)) ?? new Map<string, Entry>()
    return [...entries].filter(([name]) => name !== nameOf(crd))
  }
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
