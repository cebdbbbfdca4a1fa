import type { KubeObject } from '../machinery/object.ts'
import type { ObjectType } from '../schema/type/type.ts'

/** Decodes an object as an API server does. Throws ApiError for one that it would not take; `isStrict`: also for unknown fields. */
export type Decoder = (object: KubeObject, isStrict: boolean) => KubeObject

/** What is known of the built-in kinds. */
export interface Schemas {
  readonly decode: Decoder
  /** The type of an object; undefined for other kinds. */
  readonly typeOf: (object: KubeObject) => ObjectType | undefined
}
