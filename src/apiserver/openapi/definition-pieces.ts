import type { JsonObject } from '../../machinery/object.ts'
import { rootInOpenApiV2 } from './custom-definition.ts'
import { definitionV3 } from './v3.ts'

/** The pieces of the documents for one definition. Each piece is made when first asked for, and kept. */
export interface DefinitionPieces {
  readonly v3: string
  readonly v2: string
  readonly v2Protobuf: Uint8Array
}

/** How one definition is encoded in protobuf. */
export type EncodeDefinition = (name: string, definition: JsonObject) => Uint8Array

/**
 * Gives the pieces of definitions, which are kept for as long as the definition is. A definition of a custom resource that
 * cannot be written, such as one that is nested too deeply, is written as any object: the documents are shared by all.
 */
export function definitionPieces(
  encode: EncodeDefinition,
): (name: string, definition: JsonObject, custom: boolean) => DefinitionPieces {
  const known = new WeakMap<JsonObject, DefinitionPieces>()
  return (name, definition, custom) => {
    const found = known.get(definition)
    if (found !== undefined) return found
    const v2 = custom ? rootOrOpen(definition) : definition
    const pieces = {
      get v3() {
        return replace(
          this,
          'v3',
          writing(definition, (one) => JSON.stringify(definitionV3(name, one))),
        )
      },
      get v2() {
        return replace(this, 'v2', writing(v2, JSON.stringify))
      },
      get v2Protobuf() {
        return replace(
          this,
          'v2Protobuf',
          writing(v2, (one) => encode(name, one)),
        )
      },
    }
    known.set(definition, pieces)
    return pieces
  }
}

/** Makes a getter a plain member. */
function replace<T>(of: object, name: string, value: T): T {
  Object.defineProperty(of, name, { value })
  return value
}

function writing<T>(definition: JsonObject, write: (definition: JsonObject) => T): T {
  try {
    return write(definition)
  } catch {
    return write(openDefinition(definition))
  }
}

function rootOrOpen(definition: JsonObject): JsonObject {
  try {
    return rootInOpenApiV2(definition)
  } catch {
    return openDefinition(definition)
  }
}

const KINDS = 'x-kubernetes-group-version-kind'

/** Any object of the kind. */
const openDefinition = (definition: JsonObject): JsonObject => ({ type: 'object', [KINDS]: definition[KINDS] })
