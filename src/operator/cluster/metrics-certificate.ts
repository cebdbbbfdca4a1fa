import type { KeyPair } from '../../runtime/certificate/check.ts'
import type { ServingCertificate } from '../../runtime/certificate/keeper.ts'
import type { Logger } from '../../runtime/process/logger.ts'

export interface MetricsCertificateOptions {
  /** The names and addresses that this process is reached by. */
  readonly names: readonly string[]
  /** Presents a certificate from now on. */
  readonly present: (certificate: KeyPair) => void
  readonly logger: Logger
}

/**
 * The certificate of the metrics port. The authority of the webhooks signs it for the addresses of this process, which the
 * certificate that all replicas share cannot name. It lasts as long as that one and is made anew with it. Where the authority is
 * not allot's own, or has not signed the presented certificate yet, the port presents the certificate of the webhooks.
 */
export class MetricsCertificate {
  readonly #options: MetricsCertificateOptions
  #presenting: Promise<void> = Promise.resolve()
  #shared = ''

  constructor(options: MetricsCertificateOptions) {
    this.#options = options
  }

  /** Follows a change of the webhook certificate. A failure is logged, and the certificate stays unchanged. */
  follow(serving: ServingCertificate): Promise<void> {
    const { present, logger } = this.#options
    this.#presenting = this.#presenting.then(async () => {
      if (serving.certificate === this.#shared) return
      try {
        present(await this.#certificateOf(serving))
        this.#shared = serving.certificate
      } catch (error) {
        logger.error({ error }, 'the certificate of the metrics could not be renewed: the old one stays in use')
      }
    })
    return this.#presenting
  }

  async #certificateOf(serving: ServingCertificate): Promise<KeyPair> {
    if (serving.authority === undefined) return serving
    const { makeSiblingCertificate } = await import('../../runtime/certificate/certificates.ts')
    return await makeSiblingCertificate(serving.authority, serving.certificate, this.#options.names)
  }
}
