import { OWN_TYPES, UNIONS } from './own-type.ts'
import type { FieldFacts, ProtobufData } from './data.ts'
import { type MessageTarget, messageType } from './read-message.ts'
import type { MessageField, MessageFields } from './message-fields.ts'
import { LENGTH_DELIMITED, SCALARS, type ValueType } from './wire-type.ts'

/** The kinds that can be read from protobuf, and written. */
export interface MessageSet {
  /** The fields of a kind's message, or `undefined` for a kind that the data does not know. */
  fieldsOf(apiVersion: string, kind: string): MessageFields | undefined
  /** As `fieldsOf`, also for what only a server sends: lists, a Status, metadata alone. */
  answerFieldsOf(apiVersion: string, kind: string): MessageFields | undefined
}

/** Goes with a request to delete, under the apiVersion of whatever is deleted. */
const DELETE_OPTIONS = { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' }

/** Resolves the messages of the data, each when it is first used. Throws when a field's type is not in the data. */
export const compileProtobuf = (data: ProtobufData): MessageSet => new MessageCompiler(data)

class MessageCompiler implements MessageSet {
  readonly #packages: ReadonlyMap<string, string>
  readonly #lists: ReadonlyMap<string, string>
  readonly #messages: ReadonlyMap<string, FieldFacts>
  readonly #compiled = new Map<string, MessageFields>()
  readonly #types = new Map<string, ValueType>()

  constructor({ packages, lists, messages }: ProtobufData) {
    this.#packages = new Map(Object.entries(packages))
    this.#lists = new Map(Object.entries(lists))
    this.#messages = new Map(Object.entries({ ...messages, ...ANSWERS }))
  }

  fieldsOf(apiVersion: string, kind: string): MessageFields | undefined {
    const name = this.#nameOf(kind === DELETE_OPTIONS.kind ? DELETE_OPTIONS.apiVersion : apiVersion, kind)
    return Object.hasOwn(ANSWERS, name) ? undefined : this.#known(name)
  }

  answerFieldsOf(apiVersion: string, kind: string): MessageFields | undefined {
    const name = kind === 'Status' ? `${META}.Status` : this.#nameOf(apiVersion, kind)
    return this.#compiled.get(name) ?? this.#known(name) ?? this.#listFields(name)
  }

  #nameOf(apiVersion: string, kind: string): string {
    return `${this.#packages.get(apiVersion) ?? ''}.${kind}`
  }

  #known(name: string): MessageFields | undefined {
    return this.#messages.has(name) ? this.#fields(name) : undefined
  }

  #fields(name: string): MessageFields {
    const known = this.#compiled.get(name)
    if (known !== undefined) return known
    const facts: FieldFacts = this.#messages.get(name) ?? {}
    const made = new Map<number, MessageField>()
    for (const [field, [number, type, rule]] of Object.entries(facts))
      made.set(number, { name: field, rule, type: this.#type(type) })
    this.#compiled.set(name, made)
    return made
  }

  #type(name: string): ValueType {
    const known = SCALARS.get(name) ?? OWN_TYPES.get(name) ?? this.#types.get(name)
    if (known !== undefined) return known
    const items = this.#lists.get(name)
    if (items === undefined && !this.#messages.has(name)) throw new Error(`no message is named ${name}`)
    const made = items === undefined ? this.#message(name) : this.#list(items)
    this.#types.set(name, made)
    return made
  }

  #message(name: string): ValueType {
    const plain = messageType(() => this.#fields(name))
    const union = UNIONS.get(name)
    if (union === undefined) return plain
    return {
      wire: LENGTH_DELIMITED,
      read: (reader, within) => union.shown(plain.read(reader, within) as MessageTarget),
      write: (writer, value) => plain.write(writer, union.members(value)),
    }
  }

  #list(itemType: string): ValueType {
    const fields: MessageFields = new Map([[1, { name: 'items', rule: 'repeated', type: this.#type(itemType) }]])
    const plain = messageType(() => fields)
    return {
      wire: LENGTH_DELIMITED,
      read: (reader, within) => (plain.read(reader, within) as MessageTarget)['items'] ?? [],
      write: (writer, items) => plain.write(writer, { items }),
    }
  }

  #listFields(name: string): MessageFields | undefined {
    const item = name.slice(0, -'List'.length)
    if (!name.endsWith('List') || !this.#messages.has(item)) return undefined
    const fields: MessageFields = new Map<number, MessageField>([
      [1, { name: 'metadata', rule: '', type: this.#type(`${META}.ListMeta`) }],
      [2, { name: 'items', rule: 'repeated', type: this.#type(item) }],
    ])
    this.#compiled.set(name, fields)
    return fields
  }
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Messages that only a server sends, which the data therefore lacks. */
const ANSWERS: Readonly<Record<string, FieldFacts>> = {
  [`${META}.ListMeta`]: {
    selfLink: [1, 'string', 'omitempty'],
    resourceVersion: [2, 'string', 'omitempty'],
    continue: [3, 'string', 'omitempty'],
    remainingItemCount: [4, 'int64', ''],
  },
  [`${META}.Status`]: {
    metadata: [1, `${META}.ListMeta`, ''],
    status: [2, 'string', 'omitempty'],
    message: [3, 'string', 'omitempty'],
    reason: [4, 'string', 'omitempty'],
    details: [5, `${META}.StatusDetails`, ''],
    code: [6, 'int32', 'omitempty'],
  },
  [`${META}.StatusDetails`]: {
    name: [1, 'string', 'omitempty'],
    group: [2, 'string', 'omitempty'],
    kind: [3, 'string', 'omitempty'],
    causes: [4, `${META}.StatusCause`, 'repeated'],
    retryAfterSeconds: [5, 'int32', 'omitempty'],
    uid: [6, 'string', 'omitempty'],
  },
  [`${META}.StatusCause`]: {
    reason: [1, 'string', 'omitempty'],
    message: [2, 'string', 'omitempty'],
    field: [3, 'string', 'omitempty'],
  },
  [`${META}.PartialObjectMetadata`]: { metadata: [1, `${META}.ObjectMeta`, ''] },
}
