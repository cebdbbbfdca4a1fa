import { readFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { type ServedResource } from '../../src/apiserver/resource/served-resource.ts'
import type { JsonObject } from '../../src/machinery/object.ts'
import { apiVersionOf } from '../../src/machinery/group-version.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { damaged } from './damage.ts'
import { definitionSpec, webhooks } from './fuzzed-definitions.ts'
import { ObjectGenerator } from './object-generator.ts'
import { VALID } from './valid-objects.ts'
import {
  APPLY_TYPE,
  JSON_PATCH_TYPE,
  JSON_TYPE,
  MERGE_TYPES,
  POINTERS,
  PROTOBUF_TYPE,
  TYPES,
  YAML_TYPE,
} from './words.ts'

/** A body, and its media type. */
export interface FuzzBody {
  readonly type: string
  readonly body: string | Buffer
}

const PROTOBUF: readonly { readonly protobuf: string; readonly json: { readonly kind: string } }[] = JSON.parse(
  readFileSync(new URL('../../src/apiserver/protobuf/fixtures.json', import.meta.url), 'utf8'),
)

/** The bodies of requests: objects, patches and options, mostly good ones, and what becomes of good ones on a bad day. */
export class BodyGenerator {
  readonly #random: SeededRandom
  readonly #objects: ObjectGenerator
  /** Objects that the server has accepted, by resource: the best to go on from. */
  readonly #accepted = new Map<string, JsonObject[]>()

  constructor(random: SeededRandom) {
    this.#random = random
    this.#objects = new ObjectGenerator(random)
  }

  /** Remembers an answer, so that later requests start from what the server takes for right. */
  learn({ group, resource }: ServedResource, object: JsonObject): void {
    const key = `${group}/${resource}`
    const list = this.#accepted.get(key) ?? []
    if (list.length >= 20) list.shift()
    list.push(object)
    this.#accepted.set(key, list)
  }

  /** A whole object of the resource. */
  object(resource: ServedResource, name: string): FuzzBody {
    const random = this.#random
    if (random.chance(0.03)) return this.#protobuf(resource)
    const object = this.#objectOf(resource, name)
    const sent = random.chance(0.35) ? this.#objects.mutated(object) : object
    if (random.chance(0.04)) return { type: YAML_TYPE, body: this.#yaml(sent) }
    const text = JSON.stringify(sent) ?? ''
    const type = random.chance(0.95) ? JSON_TYPE : random.pick(TYPES)
    return { type, body: random.chance(0.08) ? damaged(text, random) : text }
  }

  patch(resource: ServedResource, name: string): FuzzBody {
    const random = this.#random
    const type = random.chance(0.95)
      ? random.pick([JSON_PATCH_TYPE, ...MERGE_TYPES, APPLY_TYPE, APPLY_TYPE])
      : random.pick(TYPES)
    if (type === JSON_PATCH_TYPE) return { type, body: this.#operations() }
    if (type === APPLY_TYPE) return { type, body: this.#applied(resource, name) }
    const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = this.#objectOf(resource, 'a')
    const patch = this.#objects.mutated(
      random.chance(0.5)
        ? rest
        : {
            metadata: { labels: { app: 'b' }, annotations: { n: String(random.between(0, 99)) } },
            ...(random.chance(0.2) ? { spec: this.#objects.anything(0), $patch: 'replace' } : {}),
          },
    )
    const text = JSON.stringify(random.chance(0.97) ? patch : this.#objects.anything(0)) ?? ''
    return { type, body: random.chance(0.05) ? damaged(text, random) : text }
  }

  scale(name: string): FuzzBody {
    return {
      type: JSON_TYPE,
      body: JSON.stringify({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name },
        spec: { replicas: this.#random.pick([0, 1, 5, -1, 1.5, '2', null, 2_147_483_648]) },
      }),
    }
  }

  tokenRequest(): FuzzBody {
    const spec = this.#random.pick<unknown>([
      {},
      { expirationSeconds: 3600, audiences: ['x'] },
      { expirationSeconds: 1 },
      { expirationSeconds: 1e12 },
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'a' } },
      this.#objects.anything(0),
    ])
    return {
      type: JSON_TYPE,
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }),
    }
  }

  deleteOptions(): FuzzBody {
    const random = this.#random
    const options = random.pick<unknown>([
      {},
      { gracePeriodSeconds: 0 },
      { gracePeriodSeconds: -1 },
      { gracePeriodSeconds: 'x' },
      { preconditions: { uid: 'x' } },
      { preconditions: [] },
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 7 },
      { dryRun: ['All'] },
      { dryRun: 'All' },
      { kind: 'Pod' },
      this.#objects.anything(0),
    ])
    return { type: random.chance(0.7) ? JSON_TYPE : random.pick(TYPES), body: JSON.stringify(options) }
  }

  /** Any JSON as any type. */
  anything(): FuzzBody {
    return { type: this.#random.pick(TYPES), body: JSON.stringify(this.#objects.anything(0)) ?? '' }
  }

  /** A configuration as server-side apply takes it: kind and name are there, what the server gives is not. */
  #applied(resource: ServedResource, name: string): string | Buffer {
    const random = this.#random
    const { metadata: _metadata, status: _status, ...rest } = this.#objectOf(resource, name)
    const labels = random.chance(0.5) ? { labels: { app: random.pick(['a', 'b']) } } : {}
    const config = {
      ...rest,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { ...(random.chance(0.9) ? { name } : {}), ...labels },
    }
    const sent = random.chance(0.2) ? this.#objects.mutated(config) : config
    if (random.chance(0.4)) return this.#yaml(sent)
    const text = JSON.stringify(sent) ?? ''
    return random.chance(0.05) ? damaged(text, random) : text
  }

  #yaml(value: unknown): string | Buffer {
    const text = stringify(value, { version: '1.1', aliasDuplicateObjects: false }) ?? ''
    return this.#random.chance(0.1) ? damaged(text, this.#random) : text
  }

  #operations(): string {
    const random = this.#random
    const operation = (): unknown => ({
      op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
      path: random.pick(POINTERS),
      from: random.pick(POINTERS),
      value: this.#objects.anything(1),
    })
    const list = random.chance(0.95)
      ? Array.from({ length: random.between(0, 4) }, operation)
      : this.#objects.anything(0)
    return JSON.stringify(list)
  }

  #protobuf({ kind }: ServedResource): FuzzBody {
    const random = this.#random
    const same = PROTOBUF.filter((one) => one.json.kind === kind)
    const { protobuf } = random.pick(same.length > 0 && random.chance(0.8) ? same : PROTOBUF)
    const bytes = Buffer.from(protobuf, 'base64')
    for (let n = random.pick([0, 0, 1, 2, 10]); n > 0; n--)
      bytes.writeUInt8(random.between(0, 255), random.between(0, bytes.length - 1))
    return {
      type: PROTOBUF_TYPE,
      body: bytes.subarray(0, random.chance(0.9) ? bytes.length : random.between(0, bytes.length)),
    }
  }

  #objectOf(resource: ServedResource, name: string): JsonObject {
    const random = this.#random
    const apiVersion = apiVersionOf(resource)
    const known = random.chance(0.7) ? (this.#known(resource) ?? this.#valid(resource)) : undefined
    const metadata: JsonObject = random.chance(0.3)
      ? { generateName: 'g-' }
      : { name: decodeLoosely(name), labels: { app: 'web' } }
    if (resource.resource.endsWith('webhookconfigurations'))
      return { apiVersion, kind: resource.kind, metadata, webhooks: webhooks(random) }
    if (resource.resource === 'customresourcedefinitions' && random.chance(0.7))
      return { apiVersion, kind: resource.kind, metadata: { name: 'things.fuzz.test' }, spec: definitionSpec(random) }
    if (known === undefined) return this.#objects.object(resource.typeName ?? '', apiVersion, resource.kind, metadata)
    const {
      resourceVersion: _version,
      uid: _uid,
      name: _name,
      namespace: _namespace,
      ...rest
    } = known['metadata'] as JsonObject
    if (resource.resource === 'customresourcedefinitions')
      return { ...known, apiVersion, metadata: { ...rest, name: 'things.fuzz.test' } }
    return { ...known, apiVersion, metadata: random.chance(0.8) ? { ...rest, ...metadata } : known['metadata'] }
  }

  #known({ group, resource }: ServedResource): JsonObject | undefined {
    const list = this.#accepted.get(`${group}/${resource}`)
    return list === undefined ? undefined : this.#random.pick(list)
  }

  #valid({ group, resource, kind }: ServedResource): JsonObject | undefined {
    const object = VALID[group === '' ? resource : `${resource}.${group}`]
    return object === undefined ? undefined : { kind, metadata: {}, ...object }
  }
}

export function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
