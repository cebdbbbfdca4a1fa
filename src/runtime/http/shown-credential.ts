import type { Socket } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'

export interface PresentedCertificate {
  /** Does the authority that clients are to be vouched for by vouch for it? */
  readonly verified: boolean
  readonly certificate: PeerCertificate
}

/** The credential that a client shows before it is known. */
export interface ShownCredential {
  readonly certificate: PresentedCertificate | undefined
  /** The value of the header. */
  readonly authorization: string | undefined
}

/** The certificate that the client of a connection presented; undefined where it presented none. */
export function presentedBy(socket: Partial<TLSSocket> | Socket): PresentedCertificate | undefined {
  if (!('getPeerCertificate' in socket)) return undefined
  const certificate = socket.getPeerCertificate?.()
  // Without a certificate Node gives an empty object.
  return certificate?.subject === undefined ? undefined : { verified: socket.authorized === true, certificate }
}
