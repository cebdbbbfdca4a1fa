/**
 * The checks of certificates that the rules of kinds need and that take cryptography. Each returns the problem in
 * upstream's words, or undefined. Texts are PEM.
 */
export interface CertificateChecks {
  /** Of the request that a CertificateSigningRequest carries. */
  readonly requestProblem: (pem: string) => string | undefined
  /** Of the certificates that a signer issued. */
  readonly issuedProblem: (pem: string) => string | undefined
  /** Of a certificate with its key. */
  readonly keyPairProblem: (certificate: string, key: string) => string | undefined
}
