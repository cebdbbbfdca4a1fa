import { randomBytes } from 'node:crypto'
import type { KubeObject } from '../../../machinery/object.ts'

/** On probes only: shows that the operator made it. API servers pass it on to webhooks, and tell it to nobody. */
export const TICKET_ANNOTATION = 'allot.dev/probe-ticket'
const NONCE_BYTES = 16
/** A probe takes milliseconds. Clocks of replicas may differ by the rest; where they differ more, each replica knows its own tickets only. */
const FRESH_MS = 60_000
const TICKET = /^([0-9a-f]{32}) (\d{1,15}) ([0-9a-f]{64})$/

/** Signs texts with a key that all replicas share, and nobody else. */
export interface TextSeal {
  readonly sealed: (text: string) => string
  readonly isSealed: (text: string, seal: string) => boolean
}

export interface ProbeTicketOptions {
  readonly seal: TextSeal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** `further`: the API server has called another webhook about the same probe. */
export type TicketUse = 'first' | 'further'

/** The webhooks here that have seen a ticket. */
interface UsedTicket {
  readonly at: number
  readonly webhooks: Set<string>
}

/** Makes and takes what shows that a probe comes from a replica of this operator, through an API server. Each is good once for each webhook. */
export class ProbeTickets {
  readonly #options: ProbeTicketOptions
  /** When each was used, the oldest first. */
  readonly #used = new Map<string, UsedTicket>()

  constructor(options: ProbeTicketOptions) {
    this.#options = options
  }

  make(): string {
    const { seal, now } = this.#options
    const text = `${randomBytes(NONCE_BYTES).toString('hex')} ${now()}`
    return `${text} ${seal.sealed(text)}`
  }

  /** Uses a ticket at a webhook; undefined where it is none of a replica's, or was used there. */
  use(ticket: string, webhook: string): TicketUse | undefined {
    const [, nonce, made, mac] = TICKET.exec(ticket) ?? []
    if (nonce === undefined || made === undefined || mac === undefined) return undefined
    const { seal, now } = this.#options
    if (!seal.isSealed(`${nonce} ${made}`, mac)) return undefined
    const at = now()
    if (Math.abs(at - Number(made)) > FRESH_MS) return undefined
    const used = this.#used.get(nonce)
    if (used?.webhooks.has(webhook) === true) return undefined
    used?.webhooks.add(webhook)
    if (used !== undefined) return 'further'
    this.#forget(at)
    this.#used.set(nonce, { at, webhooks: new Set([webhook]) })
    return 'first'
  }

  /** Drops tickets that nobody can use any more. */
  #forget(now: number): void {
    for (const [nonce, { at }] of this.#used) {
      if (Math.abs(now - at) <= 2 * FRESH_MS) return
      this.#used.delete(nonce)
    }
  }
}

/** The object with a ticket. */
export const withTicket = (object: KubeObject, ticket: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [TICKET_ANNOTATION]: ticket } },
})
