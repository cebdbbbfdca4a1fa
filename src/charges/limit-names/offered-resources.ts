import { type GroupResource, qualified } from '../../machinery/status.ts'

/** A resource that an API server offers, as its discovery names it. */
export interface OfferedResource extends GroupResource {
  readonly kind: string
  /** Left out, or empty: the kind in lower case. */
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** Resources that an API server offers, by what people call them. A value. */
export class OfferedResources {
  readonly #byId: ReadonlyMap<string, OfferedResource>
  readonly #byForm = new Map<string, OfferedResource[]>()

  /** Of a resource in several versions the first counts. */
  constructor(resources: Iterable<OfferedResource>) {
    const byId = new Map<string, OfferedResource>()
    for (const one of resources) if (!byId.has(qualified(one))) byId.set(qualified(one), one)
    this.#byId = byId
    for (const one of byId.values()) for (const form of formsOf(one)) this.#note(form, one)
  }

  find(resource: GroupResource): OfferedResource | undefined {
    return this.#byId.get(qualified(resource))
  }

  get all(): readonly OfferedResource[] {
    return [...this.#byId.values()]
  }

  /** The resources of which this is the plural, the singular, the kind or a short name, in lower case. */
  called(form: string): readonly OfferedResource[] {
    return this.#byForm.get(form) ?? []
  }

  /** Everything that resources are called. */
  get forms(): Iterable<string> {
    return this.#byForm.keys()
  }

  #note(form: string, resource: OfferedResource): void {
    const known = this.#byForm.get(form)
    if (known === undefined) this.#byForm.set(form, [resource])
    else known.push(resource)
  }
}

function formsOf({ resource, kind, singular = '', shortNames = [] }: OfferedResource): ReadonlySet<string> {
  const forms = [resource, singular, kind, ...shortNames].map((form) => form.toLowerCase())
  return new Set(forms.filter((form) => form !== ''))
}
