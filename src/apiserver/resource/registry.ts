import type { GroupResource } from '../../machinery/status.ts'
import { qualified } from '../../machinery/status.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import type { SchemaSet } from '../../schema/type/compile.ts'
import type { Type } from '../../schema/type/type.ts'
import type { StructuralSchema } from '../../schema/structural/value/structural-schema.ts'
import { typeOf } from '../../schema/structural/type-of.ts'
import { type Conversion, conversions } from '../../kinds/strategy/version-conversion.ts'
import { customVersions, structuralOf } from './custom-versions.ts'
import { customStrategy } from './custom-strategy.ts'
import type { Strategy } from '../../kinds/strategy/strategy.ts'
import type { Column } from '../table/column.ts'
import { columnsOf } from '../table/columns.ts'
import { printerColumns } from '../table/printer-columns.ts'
import { type ServedResource } from './served-resource.ts'

/** A served resource with everything that the handlers need to know of its kind. */
export interface Resource {
  readonly served: ServedResource
  readonly id: GroupResource
  readonly apiVersion: string
  /** Where its objects are stored; versions of one resource share it. */
  readonly bucket: string
  readonly strategy: Strategy
  /** The columns of `kubectl get`. */
  readonly columns: readonly Column[]
  /** The compiled definition of a built-in kind: what strategic merge patches go by. */
  readonly type?: Type
  /** How bodies are decoded: the definition, or for a custom resource its metadata; its schema does the rest. */
  readonly decoding: Type
  /** The schema of a custom resource: what is pruned, defaulted and validated. */
  readonly schema?: StructuralSchema
  /** The type by which server-side apply merges and tracks. */
  readonly merging: Type
  /** The apiVersions under which the same objects are served now: in these, managed fields mean something. */
  readonly versions: () => ReadonlySet<string>
  /** Between the stored form and this version, where they differ. */
  readonly conversion?: Conversion
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/** Of a custom resource only the metadata has a type; everything else is kept as it is. */
const CUSTOM_OBJECT = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { $ref: `#/definitions/${OBJECT_META}` },
  },
} as const

/** Is what is stored of the resource of this version? Of a custom resource any version is. */
const canStore = ({ served, conversion }: Resource): boolean => conversion === undefined || served.custom === true

/** The kinds that the server serves: the built-in ones from data, custom ones as their CRDs come and go. */
export class Registry {
  readonly schemas: SchemaSet
  readonly #resources = new Map<string, Resource>()
  readonly #byBucket = new Map<string, Resource>()
  readonly #customObject: Type
  #generation = 0
  /** Worked out when asked for, until something else is served. */
  readonly #inBucket = new Map<string, readonly Resource[]>()
  readonly #versions = new Map<string, ReadonlySet<string>>()

  constructor(schemas: SchemaSet, builtin: readonly ServedResource[], strategies: Readonly<Record<string, Strategy>>) {
    this.schemas = schemas
    this.#customObject = schemas.inline(CUSTOM_OBJECT)
    for (const served of builtin)
      this.add(served, strategies[qualified({ group: served.group, resource: served.resource })] ?? {})
  }

  /** Counts changes of what is served, so that documents computed from it are made anew only then. */
  get generation(): number {
    return this.#generation
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${resource}`)
  }

  /** The resource that stores under `bucket`, in its first version. */
  ofBucket(bucket: string): Resource | undefined {
    return this.#byBucket.get(bucket)
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some(({ served }) => served.group === group && served.version === version)
  }

  /** Is there a built-in kind in the group, in any version? */
  hasBuiltinGroup(group: string): boolean {
    return this.all().some(({ served }) => served.group === group && served.custom !== true)
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()]
  }

  /** The resources of one storage bucket: its versions. Each write asks for each webhook. */
  inBucket(bucket: string): readonly Resource[] {
    const known = this.#inBucket.get(bucket)
    if (known !== undefined) return known
    const found = this.all().filter((one) => one.bucket === bucket)
    this.#inBucket.set(bucket, found)
    return found
  }

  /** One resource for each storage bucket. */
  stored(): readonly Resource[] {
    return [...this.#byBucket.values()]
  }

  add(served: ServedResource, strategy?: Strategy): Resource {
    const id = { group: served.group, resource: served.resource }
    const name = qualified(id)
    const conversion =
      served.custom === true
        ? customVersions(name, served)
        : conversions[`${served.group}/${served.version}/${served.resource}`]
    const type = served.typeName === undefined ? undefined : this.schemas.type(served.typeName)
    const schema = served.custom === true && served.schema !== undefined ? structuralOf(served.schema) : undefined
    const resource: Resource = {
      served,
      id,
      apiVersion: apiVersionOf(served),
      bucket: conversion?.bucket ?? name,
      strategy: strategy ?? customStrategy(served, schema),
      columns: served.custom === true ? printerColumns(served.printerColumns) : columnsOf(name),
      decoding: type ?? this.#customObject,
      merging: type ?? this.#customType(served, schema),
      versions: () => this.#versionsOf(conversion?.bucket ?? name),
      ...(schema === undefined ? {} : { schema }),
      ...(type === undefined ? {} : { type }),
      ...(conversion === undefined ? {} : { conversion }),
    }
    this.#resources.set(`${served.group}/${served.version}/${served.resource}`, resource)
    if (canStore(resource) && !this.#byBucket.has(resource.bucket)) this.#byBucket.set(resource.bucket, resource)
    this.#changed()
    return resource
  }

  #versionsOf(bucket: string): ReadonlySet<string> {
    const known = this.#versions.get(bucket)
    if (known !== undefined) return known
    const made = new Set(this.inBucket(bucket).map((one) => one.apiVersion))
    this.#versions.set(bucket, made)
    return made
  }

  #changed(): void {
    this.#generation++
    this.#inBucket.clear()
    this.#versions.clear()
  }

  #customType({ group, version, kind }: ServedResource, schema: StructuralSchema | undefined): Type {
    if (schema === undefined) return this.#customObject
    return typeOf(schema, { objectMeta: this.schemas.type(OBJECT_META), groupVersionKind: { group, version, kind } })
  }

  remove(group: string, version: string, resource: string): void {
    const found = this.find(group, version, resource)
    if (found === undefined) return
    this.#resources.delete(`${group}/${version}/${resource}`)
    if (this.#byBucket.get(found.bucket) === found) {
      this.#byBucket.delete(found.bucket)
      const other = this.all().find((one) => one.bucket === found.bucket && canStore(one))
      if (other !== undefined) this.#byBucket.set(found.bucket, other)
    }
    this.#changed()
  }
}
