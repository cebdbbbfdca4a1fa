import type { MessageSet } from '../protobuf/message-set.ts'
import type { YamlReader } from './yaml-reader.ts'

/** The decoders of bodies that are not JSON. */
export interface BodyDecoders {
  readonly protobuf: MessageSet
  readonly yaml: YamlReader
}
