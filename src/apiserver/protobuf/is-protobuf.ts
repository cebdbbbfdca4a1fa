import { parseMediaType } from '../../runtime/http/media-type.ts'

export const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/** Does a Content-Type announce an object in Kubernetes' protobuf envelope, which `decodeProtobuf` reads? */
export function isProtobuf(contentType: string | undefined): boolean {
  return contentType !== undefined && parseMediaType(contentType).type === PROTOBUF
}
