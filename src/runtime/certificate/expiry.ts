import { X509Certificate } from 'node:crypto'
import { Gauge, type Registry } from '@prometheus-io/client'
import { certificatesIn } from './check.ts'
import type { Logger } from '../process/logger.ts'
import type { ClockSteps } from '../time/clock-steps.ts'

/** The certificates that a process presents or goes by, as metrics and the log name them. */
export const CERTIFICATES = [
  'api',
  'api-authority',
  'webhooks',
  'webhooks-authority',
  'webhook-clients-authority',
  'kubeconfig',
] as const
export type CertificateName = (typeof CERTIFICATES)[number]

const LOOK_EVERY_MS = 3_600_000
const WARN_EVERY_MS = 24 * LOOK_EVERY_MS
/** A certificate that allot renews itself is renewed long before. */
const WARN_BEFORE_MS = 7 * WARN_EVERY_MS
const MS_PER_SECOND = 1000

export interface CertificateExpiryOptions {
  readonly registry: Registry
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly clockSteps: Pick<ClockSteps, 'subscribe'>
}

interface Followed {
  /** The PEM text as it is now. */
  readonly read: () => string
  warnedAt: number
}

/** Shows Prometheus until when each certificate is valid, and warns in the log a week before one expires, once a day. */
export class CertificateExpiry {
  readonly #options: CertificateExpiryOptions
  readonly #followed = new Map<CertificateName, Followed>()
  readonly #timer: NodeJS.Timeout
  readonly #unsubscribe: () => void

  constructor(options: CertificateExpiryOptions) {
    this.#options = options
    const expiries = (): ReadonlyMap<CertificateName, number> => this.#expiries()
    // oxlint-disable-next-line no-new -- it is read through its registry
    new Gauge({
      name: 'allot_certificate_expiry_timestamp_seconds',
      help: 'When a certificate expires, in seconds since the epoch: one that is presented, with its chain, or an authority that is trusted.',
      labelNames: ['certificate'],
      registers: [options.registry],
      collect() {
        this.reset()
        for (const [certificate, at] of expiries()) this.set({ certificate }, at / MS_PER_SECOND)
      },
    })
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref()
    this.#unsubscribe = options.clockSteps.subscribe(() => this.look())
  }

  /** Follows a certificate from now on. `read` gives its PEM text; '' where there is none. */
  follow(name: CertificateName, read: () => string): void {
    this.#followed.set(name, { read, warnedAt: -Infinity })
    this.look()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#unsubscribe()
  }

  /** Warns of what expires soon, unless that was done within a day. */
  look(): void {
    const { now, logger } = this.#options
    for (const [certificate, at] of this.#expiries()) {
      const followed = this.#followed.get(certificate)
      if (followed === undefined || at - now() > WARN_BEFORE_MS) continue
      if (Math.abs(now() - followed.warnedAt) < WARN_EVERY_MS) continue
      followed.warnedAt = now()
      const expires = new Date(at).toISOString()
      if (at <= now()) logger.warn({ certificate, expires }, 'a certificate has expired')
      else logger.warn({ certificate, expires }, 'a certificate expires within a week')
    }
  }

  #expiries(): ReadonlyMap<CertificateName, number> {
    const now = this.#options.now()
    return new Map(
      [...this.#followed].flatMap(([name, { read }]) => {
        const ends = certificatesIn(unlessUnreadable(read)).map((one) => new X509Certificate(one).validToDate.getTime())
        if (ends.length === 0) return []
        // A chain is as good as its worst part. Of authorities those that are over are not missed as long as another is valid.
        const valid = name.endsWith('-authority') ? ends.filter((end) => end > now) : ends
        return [[name, valid.length === 0 ? Math.max(...ends) : Math.min(...valid)] as const]
      }),
    )
  }
}

/** A file that cannot be read is reported by the part that uses it. */
function unlessUnreadable(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
