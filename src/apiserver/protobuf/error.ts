/** Bytes that are not an object in protobuf. The message is a part of a sentence, to put behind what could not be read. */
export class ProtobufError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtobufError'
  }
}
