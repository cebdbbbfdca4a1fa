import type { GroupVersionKind } from '../../machinery/group-version.ts'
import type { Field, LeafKind, LeafType, ListType, MapType, ObjectType, PatchStrategy, Type } from './type.ts'

/** One schema as `schemas/kubernetes-*-definitions.json` and custom resource definitions hold it (OpenAPI v2 words). */
export interface SchemaNode {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly additionalProperties?: SchemaNode | boolean
  readonly default?: unknown
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
}

export type SchemaDefinitions = Readonly<Record<string, SchemaNode>>

export interface SchemaSet {
  /** The type of a definition's full name. Throws when there is none: names come from the data itself. */
  type(name: string): Type
  /** The type of a kind's objects, or `undefined` for a kind that the data does not know. */
  typeOf(kind: GroupVersionKind): ObjectType | undefined
  /** The type of a schema that stands alone, such as one of a custom resource; references go to the definitions. */
  inline(node: SchemaNode): Type
}

/** Does JSON leave out the field of a definition where it is empty? */
export type OmitsEmpty = (definition: string, field: string, required: boolean) => boolean

/** Definitions that say less than their Go types do: these marshal themselves. */
const WELL_KNOWN: Readonly<Record<string, readonly [LeafKind, string]>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': ['quantity', 'resource.Quantity'],
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': ['time', 'v1.Time'],
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': ['microTime', 'v1.MicroTime'],
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': ['any', 'v1.FieldsV1'],
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch': ['any', 'v1.Patch'],
  'io.k8s.apimachinery.pkg.runtime.RawExtension': ['any', 'runtime.RawExtension'],
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': ['intOrString', 'intstr.IntOrString'],
}

const FIRST_FIELDS = ['kind', 'apiVersion', 'metadata']
const NO_STRATEGY: PatchStrategy = { merge: false, replace: false, retainKeys: false, mergeKey: undefined }

/**
 * Resolves the definitions into types, each when it is first used. The definitions do not say which empty fields JSON omits.
 * Without `omits` it omits none.
 */
export const compileSchema = (definitions: SchemaDefinitions, omits: OmitsEmpty = () => false): SchemaSet =>
  new SchemaCompiler(definitions, omits)

class SchemaCompiler implements SchemaSet {
  readonly #definitions: SchemaDefinitions
  readonly #omits: OmitsEmpty
  readonly #granular = new Map<string, Type>()
  readonly #compiled = new Map<string, Type>()
  readonly #names = new Map<string, string>()

  constructor(definitions: SchemaDefinitions, omits: OmitsEmpty) {
    this.#definitions = definitions
    this.#omits = omits
    for (const [name, node] of Object.entries(definitions)) {
      for (const kind of node['x-kubernetes-group-version-kind'] ?? []) this.#names.set(keyOf(kind), name)
    }
  }

  type(name: string): Type {
    const known = this.#compiled.get(name)
    if (known !== undefined) return known
    const wellKnown = WELL_KNOWN[name]
    const node = this.#definitions[name]
    if (wellKnown === undefined && node === undefined) throw new Error(`no definition is named ${name}`)
    const made =
      wellKnown === undefined ? this.#compile(node ?? {}, name) : { kind: wellKnown[0], goType: wellKnown[1] }
    this.#compiled.set(name, made)
    return made
  }

  typeOf(kind: GroupVersionKind): ObjectType | undefined {
    const name = this.#names.get(keyOf(kind))
    const found = name === undefined ? undefined : this.type(name)
    return found?.kind === 'object' ? found : undefined
  }

  inline(node: SchemaNode): Type {
    return this.#compile(node, '')
  }

  /** `name` is empty for a schema inside another one. */
  #compile(node: SchemaNode, name: string): Type {
    if (node.$ref !== undefined) return this.#referred(node.$ref.replace('#/definitions/', ''), node)
    if (node['x-kubernetes-int-or-string'] === true) return { kind: 'intOrString', goType: 'intstr.IntOrString' }
    if (node.type === 'array') return this.#list(node)
    if (node.type !== 'object' && node.properties === undefined) return leaf(node, name)
    const { additionalProperties } = node
    if (node.properties === undefined && additionalProperties !== undefined && additionalProperties !== false) {
      return this.#map(node, additionalProperties === true ? {} : additionalProperties)
    }
    return this.#object(node, name)
  }

  /** Members beside a reference describe the place rather than the type: one field may be granular, others atomic. */
  #referred(name: string, beside: SchemaNode): Type {
    const made = this.type(name)
    if (beside['x-kubernetes-map-type'] !== 'granular' || made.kind !== 'object' || !made.atomic) return made
    const known = this.#granular.get(name) ?? { ...made, atomic: false }
    this.#granular.set(name, known)
    return known
  }

  #list(node: SchemaNode): ListType {
    const items = this.#compile(node.items ?? {}, '')
    const listType = node['x-kubernetes-list-type']
    return {
      kind: 'list',
      goType: `[]${items.goType}`,
      items,
      listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
      keys: node['x-kubernetes-list-map-keys'] ?? [],
    }
  }

  #map(node: SchemaNode, valueNode: SchemaNode): MapType {
    const values = this.#compile(valueNode, '')
    return {
      kind: 'map',
      // Every map of quantities in the built-in types is declared under this name.
      goType: values.kind === 'quantity' ? 'v1.ResourceList' : `map[string]${values.goType}`,
      values,
      atomic: node['x-kubernetes-map-type'] === 'atomic',
    }
  }

  #object(node: SchemaNode, name: string): Type {
    const fields = new Map<string, Field>()
    const required = node.required ?? []
    const made: ObjectType = {
      kind: 'object',
      name,
      struct: name.slice(name.lastIndexOf('.') + 1),
      goType: name === '' ? 'map[string]interface {}' : name.split('.').slice(-2).join('.'),
      fields,
      atomic: node['x-kubernetes-map-type'] === 'atomic',
      keepsUnknown: node['x-kubernetes-preserve-unknown-fields'] === true,
      required,
      groupVersionKinds: node['x-kubernetes-group-version-kind'] ?? [],
    }
    // Registered before its fields are compiled, because they may refer back to it.
    if (name !== '') this.#compiled.set(name, made)
    const properties = node.properties ?? {}
    if (made.keepsUnknown && Object.keys(properties).length === 0) return { kind: 'any', goType: made.goType }
    for (const field of inOrder(Object.keys(properties))) {
      const child = properties[field] ?? {}
      fields.set(field, {
        name: field,
        index: fields.size,
        type: this.#compile(child, ''),
        required: required.includes(field),
        omitsEmpty: name !== '' && this.#omits(name, field, required.includes(field)),
        default: child.default,
        patch: strategyOf(child),
      })
    }
    return made
  }
}

function leaf(node: SchemaNode, name: string): LeafType {
  const kind = leafKind(node)
  if (kind === 'any') return { kind, goType: name === '' ? 'interface {}' : name.split('.').slice(-2).join('.') }
  return { kind, goType: GO_TYPES[kind] }
}

const GO_TYPES: Readonly<Record<Exclude<LeafKind, 'any'>, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  bytes: '[]uint8',
}

function leafKind({ type, format }: SchemaNode): LeafKind {
  if (type === 'string') return format === 'byte' ? 'bytes' : format === 'int-or-string' ? 'intOrString' : 'string'
  if (type === 'integer') return format === 'int32' ? 'int32' : 'int64'
  if (type === 'number') return 'double'
  return type === 'boolean' ? 'boolean' : 'any'
}

function strategyOf(node: SchemaNode): PatchStrategy {
  const text = node['x-kubernetes-patch-strategy']
  if (text === undefined) return NO_STRATEGY
  const words = text.split(',')
  return {
    merge: words.includes('merge'),
    replace: words.includes('replace'),
    retainKeys: words.includes('retainKeys'),
    mergeKey: node['x-kubernetes-patch-merge-key'],
  }
}

function inOrder(names: readonly string[]): readonly string[] {
  const first = FIRST_FIELDS.filter((name) => names.includes(name))
  return [...first, ...names.filter((name) => !FIRST_FIELDS.includes(name))]
}

const keyOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`
