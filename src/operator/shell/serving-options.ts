import type { AuthorityFile } from '../../runtime/certificate/authority-file.ts'
import type { KeyPair } from '../../runtime/certificate/check.ts'
import type { CertificateExpiry } from '../../runtime/certificate/expiry.ts'
import type { CertificateKeeper } from '../../runtime/certificate/keeper.ts'
import type { Listening } from '../../runtime/probe/server.ts'
import type { CallersOptions } from '../webhook/callers/open.ts'
import type { HookAddress } from '../webhook/configuration.ts'

/** What an operator serves: webhooks, metrics and probes. */
export interface ServingOptions {
  /** The percentages of limits at which usage is warned of, which a metric shows and alerts go by. */
  readonly warnAt: readonly number[]
  readonly webhooks: Listening
  readonly metrics: Listening & {
    /** May only clients read them that the API server authenticates and allows to? */
    readonly secured: boolean
    /** The certificate for them; by default plain HTTP. */
    readonly tls?: KeyPair
    /** Presented, as soon as the webhooks have a certificate, is one of the same authority for these names. Left out: `tls` stays. */
    readonly names?: readonly string[]
    /** Called with that certificate, for what else this process serves over TLS. */
    readonly presented?: (certificate: KeyPair) => void
  }
  readonly health: Listening
  /** By which names, besides addresses, these are asked where only this machine gets in. */
  readonly names: readonly string[]
  /** Where API servers reach the webhooks, which are served on this port. */
  readonly address: (webhookPort: number) => HookAddress
  /** Opens the certificate that the webhooks present. */
  readonly certificate: (signal: AbortSignal) => Promise<CertificateKeeper>
  /** Opens the authorities of which callers of the webhooks have to present a certificate; undefined: they need none. */
  readonly clientAuthority?: (signal: AbortSignal) => Promise<AuthorityFile>
  /** Which probes show that reviews come from API servers; left out: all are answered. */
  readonly callers?: Pick<CallersOptions, 'enough'>
  /** May the webhooks be asked from an address? Left out: from any. */
  readonly isPeer?: (address: string) => boolean
  /** Shows when certificates expire. */
  readonly expiry: CertificateExpiry
  /** How long API servers wait for the answer of a webhook. */
  readonly webhookTimeoutSeconds: number
  /** How long the webhooks go on answering after the signal to stop, so that API servers find another replica. */
  readonly noticeMs: number
}
